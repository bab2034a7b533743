//! Subset Takeaway on at most six points: the Grundy values of all 16,352 positions up to symmetry, made when a search begins.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Chomp;
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::rule::Rule;
use crate::space::layer::hash;
use crate::symmetry::{Canonical, Canonicaliser, Isa};

/// The most points of a small position.
pub const SMALL: u32 = 6;

/// Places of the table: half of them stay empty.
const PLACES: usize = 1 << 15;

/// Places of what was asked lately: a megabyte.
const RECENT: usize = 1 << 16;

/// Grundy values of the positions on at most [`SMALL`] of the points of a Boolean lattice.
pub struct SmallPositions {
    symmetry: Canonicaliser<1>,
    table: Table,
    recent: Recent,
    /// For each small set of points and each element the same subset when the points of the set are numbered from 0, as an
    /// element of the lattice of six points.
    renumbered: Vec<Option<Box<[u8]>>>,
}

impl SmallPositions {
    /// For subsets of so many points; the elements are given as bit masks.
    pub fn new(points: usize, masks: &[usize]) -> Self {
        let six = Poset::boolean(SMALL as usize);
        let symmetry = Canonicaliser::new(&six, Isa::detect());
        let table = Table::new(&six, &symmetry);
        let mut element = [0; 1 << SMALL];
        let (_, sets) = six.sets().expect("a Boolean lattice");
        sets.iter().enumerate().for_each(|(number, &mask)| element[mask] = number as u8);
        let renumbered = (0..1usize << points).map(|set| {
            let squeeze = |mask: usize| {
                let within = (0..points).filter(|p| set >> p & 1 == 1).enumerate();
                within.fold(0, |squeezed, (to, from)| squeezed | (mask >> from & 1) << to)
            };
            (set.count_ones() <= SMALL).then(|| masks.iter().map(|&mask| element[squeeze(mask)]).collect())
        });
        Self { symmetry, table, recent: Recent::new(), renumbered: renumbered.collect() }
    }

    /// The value of a position whose members are subsets of `points`; `None` if these are too many.
    #[inline(always)]
    pub fn value<const W: usize>(&self, points: usize, position: &Ideal<W>) -> Option<u8> {
        let element = self.renumbered[points].as_deref()?;
        let position = position.iter().fold(0, |position, x| position | 1 << element[x]);
        Some(self.recent.value(position).unwrap_or_else(|| {
            let value = self.table.value(&self.symmetry.canonical(Ideal([position])).ideal);
            self.recent.put(position, value);
            value
        }))
    }
}

/// Values of positions, canonical or not, that were asked lately: the same ones come again and again, and their canonical forms
/// are most of what they cost. Shared by all searchers without locks: an entry that two of them wrote at once is nobody's,
/// because its first word is the position only together with the second (Hyatt and Mann's way to store entries of two words).
struct Recent(Vec<[AtomicU64; 2]>);

impl Recent {
    fn new() -> Self {
        Self((0..RECENT).map(|_| Default::default()).collect())
    }

    #[inline(always)]
    fn entry(&self, position: u64) -> &[AtomicU64; 2] {
        &self.0[hash(&Ideal([position])) as usize % RECENT]
    }

    #[inline(always)]
    fn value(&self, position: u64) -> Option<u8> {
        let [mixed, value] = self.entry(position);
        let value = value.load(Ordering::Relaxed);
        // The empty entry is that of the position without members, whose value is 0.
        (mixed.load(Ordering::Relaxed) ^ value.wrapping_mul(MIX) == position).then_some(value as u8)
    }

    #[inline(always)]
    fn put(&self, position: u64, value: u8) {
        let [mixed, stored] = self.entry(position);
        stored.store(u64::from(value), Ordering::Relaxed);
        mixed.store(position ^ u64::from(value).wrapping_mul(MIX), Ordering::Relaxed);
    }
}

/// Odd and without a pattern: what two writers leave together is no position that anybody asks for.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Values of canonical positions, found by their hash.
struct Table {
    /// 0 where there is none.
    positions: Vec<u64>,
    values: Vec<u8>,
}

impl Table {
    /// By the definition: the least value that no option has.
    fn new(poset: &Poset, symmetry: &Canonicaliser<1>) -> Self {
        let mut table = Self { positions: vec![0; PLACES], values: vec![0; PLACES] };
        let game = Chomp::<1>::new(poset);
        // All positions that can be reached, each with the places of its options.
        let mut found = vec![symmetry.canonical(Ideal::first(poset.len())).ideal];
        let mut options: Vec<Vec<usize>> = Vec::new();
        let mut forms = Vec::new();
        table.insert(&found[0]);
        while let Some(&position) = found.get(options.len()) {
            let left: Vec<_> = game.moves(position).map(|(_, left)| left).collect();
            forms.clear();
            symmetry.canonical_batch(&left, &mut forms);
            let place = |form: &Canonical<1>| {
                table.place(&form.ideal).unwrap_or_else(|_| {
                    found.push(form.ideal);
                    table.insert(&form.ideal)
                })
            };
            options.push(forms.iter().map(place).collect());
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_unstable_by_key(|&number| found[number].len());
        for number in order {
            let mut seen = Default::default();
            options[number].iter().for_each(|&place| Grundy::<1>::see(&mut seen, table.values[place]));
            let (Ok(place) | Err(place)) = table.place(&found[number]);
            table.values[place] = Grundy::<1>::value(seen).expect("values on six points are small");
        }
        table
    }

    /// Where a position is, or would be.
    #[inline(always)]
    fn place(&self, position: &Ideal<1>) -> Result<usize, usize> {
        let mut place = hash(position) as usize % PLACES;
        loop {
            match self.positions[place] {
                0 => return Err(place),
                other if other == position.0[0] => return Ok(place),
                _ => place = (place + 1) % PLACES,
            }
        }
    }

    /// Gives a position a place.
    fn insert(&mut self, position: &Ideal<1>) -> usize {
        let (Ok(place) | Err(place)) = self.place(position);
        self.positions[place] = position.0[0];
        place
    }

    #[inline(always)]
    fn value(&self, position: &Ideal<1>) -> u8 {
        let (Ok(place) | Err(place)) = self.place(position);
        self.values[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ReducingSolver;
    use crate::oracle;

    #[test]
    fn values_are_those_of_another_search_whatever_the_points_are_called() {
        let poset = Poset::boolean(6);
        let mut solver = ReducingSolver::<1, Grundy<1>>::new(&poset);
        let (_, masks) = Poset::boolean(7).sets().expect("a Boolean lattice");
        let small = SmallPositions::new(7, &masks);
        // Positions on the points 0 1 3 4 6, and the same on five points.
        let five = Poset::boolean(5);
        let (_, few) = five.sets().expect("a Boolean lattice");
        let spread = |mask: usize| [0, 1, 3, 4, 6].iter().enumerate().fold(0, |to, (i, p)| to | (mask >> i & 1) << p);
        for position in oracle::ideals(&five).into_iter().step_by(17) {
            let elements = oracle::members(position).map(|x| masks.iter().position(|&mask| mask == spread(few[x])));
            let spread = elements.flatten().fold(Ideal::<2>::empty(), |set, x| set.with(x));
            let members = oracle::members(position).map(|x| few[x]);
            let (_, six) = poset.sets().expect("a Boolean lattice");
            let plain = members.filter_map(|mask| six.iter().position(|&other| other == mask));
            let expected = solver.value(plain.fold(Ideal::empty(), |set, x| set.with(x)), 100_000);
            for _ in 0..2 {
                assert_eq!(small.value(0b101_1011, &spread), expected.as_ref().ok().copied(), "{position:b}");
            }
        }
        assert_eq!(small.value(0b111_1111, &Ideal::<2>::first(8)), None, "seven points are not few");
    }

    #[test]
    fn what_two_write_at_once_is_the_entry_of_nobody() {
        let recent = Recent::new();
        assert_eq!((recent.value(0), recent.value(5)), (Some(0), None));
        recent.put(5, 3);
        assert_eq!(recent.value(5), Some(3));
        recent.entry(5)[1].store(4, Ordering::Relaxed);
        assert_eq!(recent.value(5), None);
    }
}
