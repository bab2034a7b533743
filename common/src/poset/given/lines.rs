//! Relations by lines: `a < b`, `a b`, `a < b < c`, or an element alone. `#` begins a remark.

use super::order::Relations;
use super::{GivenError, GivenFault};
use crate::poset::words::{Piece, pieces};

pub(super) fn read(text: &str) -> Result<Relations, GivenError> {
    let mut relations = Relations::default();
    for (number, line) in (1..).zip(text.lines()) {
        let found = pieces(line, &['<', '#']).map_err(|_| GivenFault::Unclosed.at(number))?;
        let end = found.iter().position(|piece| *piece == Piece::Sign('#')).unwrap_or(found.len());
        let is_relation = |pieces: &[Piece]| match pieces {
            [Piece::Word(_), Piece::Word(_)] => true,
            _ => pieces.iter().enumerate().all(|(i, piece)| (i % 2 == 0) == matches!(piece, Piece::Word(_))),
        };
        let found = &found[..end];
        if found.last() == Some(&Piece::Sign('<')) || !is_relation(found) {
            return Err(GivenFault::NoRelation(line.trim().to_owned()).at(number));
        }
        let mut below = None;
        for piece in found {
            let Piece::Word(label) = piece else { continue };
            let x = relations.element(label, number)?;
            if let Some(below) = below.replace(x) {
                relations.relate(below, x, number)?;
            }
        }
    }
    Ok(relations)
}
