//! Positions of one poset written as those of another one.

use crate::ideal::Ideal;
use crate::poset::Poset;

/// From the positions of a table to those of a search.
pub(super) struct Translation {
    /// The points of the first poset; of posets other than Boolean lattices 0.
    points: usize,
    /// For each set of points that members may contain, if the other poset has so many: for each element the same set when
    /// the points are numbered from 0, as an element of the other poset, if it has it.
    elements: Vec<Option<Box<[Option<u8>]>>>,
}

impl Translation {
    /// From `table` to `search`; `None` unless every position of the search on few enough points is one of the table.
    pub(super) fn new(table: &Poset, search: &Poset) -> Option<Self> {
        let (Some((points, masks)), Some((of_search, wanted))) = (table.sets(), search.sets()) else {
            let same = (0..table.len()).map(|x| u8::try_from(x).ok()).collect();
            return (table.name() == search.name()).then(|| Self { points: 0, elements: vec![Some(same)] });
        };
        let largest = |masks: &[usize]| masks.last().map_or(0, |mask| mask.count_ones() as usize);
        if largest(&masks) < largest(&wanted).min(points) {
            return None;
        }
        let mut element = vec![None; 1 << of_search];
        wanted.iter().enumerate().for_each(|(x, &mask)| element[mask] = u8::try_from(x).ok());
        let row = |used: usize| {
            let squeeze = |mask: usize| {
                let within = (0..points).filter(|p| used >> p & 1 == 1).enumerate();
                within.fold(0, |squeezed, (to, from)| squeezed | (mask >> from & 1) << to)
            };
            let fits = used.count_ones() as usize <= of_search;
            fits.then(|| masks.iter().map(|&mask| element[squeeze(mask)]).collect())
        };
        Some(Self { points, elements: (0..1 << points).map(row).collect() })
    }

    /// The points of the first poset; of posets other than Boolean lattices 0.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// A position of the first poset as one of the other, if it is one.
    #[inline(always)]
    pub(super) fn position<const V: usize, const W: usize>(&self, position: &Ideal<V>) -> Option<Ideal<W>> {
        // Elements are the empty set, then the sets of one point.
        let used = (position.0[0] >> 1) as usize & ((1 << self.points) - 1);
        let elements = self.elements[used].as_deref()?;
        position.iter().try_fold(Ideal::empty(), |to, x| Some(to.with(usize::from(elements[x]?))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poset::{format_position, parse_position};

    /// The position as the other poset writes it.
    fn translated(table: &str, search: &str, position: &str) -> Option<String> {
        let [table, search]: [Poset; 2] = [table, search].map(|spec| spec.parse().expect("a poset"));
        let members = parse_position(&table, position).expect("a position").members;
        let position = members.iter().fold(Ideal::<4>::empty(), |position, &x| position.with(x));
        let translated = Translation::new(&table, &search)?.position::<4, 4>(&position)?;
        Some(format_position(&search, &translated.iter().collect::<Vec<_>>()))
    }

    #[test]
    fn positions_keep_their_sets_as_far_as_there_are_points() {
        for (table, search, position, expected) in [
            ("boolean:7", "boolean:7:3", "012 346 5", Some("5 012 346")),
            ("boolean:7", "boolean:8:4", "0123 456", Some("456 0123")),
            ("boolean:8", "boolean:7:3", "012 567 47", Some("36 012 456")),
            ("boolean:8", "boolean:7:3", "012 567 347", None),
            ("boolean:7", "boolean:7:3", "0123", None),
            ("boolean:7:4", "boolean:8:3", "012 6", Some("3 012")),
            ("boolean:7:2", "boolean:8:3", "01", None),
            ("chains:4x4", "chains:4x4", "3.1", Some("3.1")),
            ("chains:4x4", "chains:4x5", "3.1", None),
        ] {
            assert_eq!(translated(table, search, position).as_deref(), expected, "{table} {search} {position}");
        }
    }
}
