//! The moves that stay in a facet, and the values that follow.
//!
//! In the lower half such a move takes one free upper out, in the upper half it adds one to the dual. Codes are taken in
//! groups of eight that share their high bits: what differs in a high bit is seen eight at a time.

use crate::ideal::Bits;
use crate::recurrence::rule::Rule;
use crate::space::code::{GROUP, GROUP_BITS, Ranks, Shape, codes_up_to};

/// Where the moves within a facet lead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To codes with one bit less.
    Down,
    /// To codes with one bit more.
    Up,
}

/// Gives every code with at most `cap` members its value, in the order in which they depend on each other; codes with more
/// members keep what they have, and slots without a code keep zero. `valued` is called for every value, with its code.
/// Returns whether a value could not be represented.
#[inline(always)]
pub fn finish<R: Rule>(
    ranks: &Ranks,
    (shape, cap, direction): (Shape, u32, Direction),
    seen: &mut [R::Seen],
    values: &mut [u8],
    highs: &mut Vec<u64>,
    mut valued: impl FnMut(u64, u8),
) -> bool {
    let mut lost = false;
    let bits = shape.q.min(GROUP_BITS);
    let groups = shape.q - bits;
    highs.clear();
    highs.extend(codes_up_to(groups, cap));
    if direction == Direction::Up {
        highs.reverse();
    }
    let start = |high: u64| shape.address(ranks, high << bits) as usize;
    let size = 1 << bits;
    for &high in &*highs {
        let members = high.count_ones();
        let first = start(high);
        let mut group = [R::Seen::default(); GROUP];
        group[..size].copy_from_slice(&seen[first..first + size]);
        let others = match direction {
            Direction::Down => high,
            // Codes with so many members are not valued here, so all that have one more have a slot.
            Direction::Up => !high & ((1 << groups) - 1),
        };
        for bit in Bits(others) {
            let from = start(high ^ 1 << bit);
            if bits == GROUP_BITS {
                // A fixed length is worth a register.
                let from = values[from..].first_chunk::<GROUP>().copied().unwrap_or_default();
                for (seen, value) in group.iter_mut().zip(from) {
                    R::see(seen, value);
                }
            } else {
                for (seen, &value) in group.iter_mut().zip(&values[from..from + size]) {
                    R::see(seen, value);
                }
            }
        }
        for number in 0..size {
            let code = match direction {
                Direction::Down => number,
                Direction::Up => size - 1 - number,
            };
            if members + code.count_ones() > cap {
                continue;
            }
            let mut seen = group[code];
            for bit in 0..bits {
                if (code >> bit & 1 == 1) == (direction == Direction::Down) {
                    R::see(&mut seen, values[first + (code ^ 1 << bit)]);
                }
            }
            let value = R::value(seen);
            lost |= value.is_none();
            let value = value.unwrap_or_default();
            values[first + code] = value;
            valued(high << bits | code as u64, value);
        }
    }
    lost
}
