//! Subset Takeaway on at most six points: the Grundy values of all 16,352 positions up to symmetry, made when a search begins.

use crate::game::Chomp;
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::rule::Rule;
use crate::space::layer::hash;
use crate::symmetry::{Canonicaliser, Isa};

/// The most points of a small position.
pub const SMALL: u32 = 6;

/// Places of the table: half of them stay empty.
const PLACES: usize = 1 << 15;

/// Grundy values of the positions on at most [`SMALL`] of the points of a Boolean lattice.
pub struct SmallPositions {
    symmetry: Canonicaliser<1>,
    table: Table,
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
        Self { symmetry, table, renumbered: renumbered.collect() }
    }

    /// The value of a position whose members are subsets of `points`; `None` if these are too many.
    #[inline(always)]
    pub fn value<const W: usize>(&self, points: usize, position: &Ideal<W>) -> Option<u8> {
        let element = self.renumbered[points].as_deref()?;
        let position = position.iter().fold(0, |position, x| position | 1 << element[x]);
        Some(self.table.value(&self.symmetry.canonical(Ideal([position])).ideal))
    }
}

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
        let all = symmetry.canonical(Ideal::first(poset.len())).ideal;
        let mut found = vec![all];
        table.insert(&all, 0);
        let mut next = 0;
        let mut forms = Vec::new();
        while let Some(&position) = found.get(next) {
            next += 1;
            let options: Vec<_> = game.moves(position).map(|(_, left)| left).collect();
            forms.clear();
            symmetry.canonical_batch(&options, &mut forms);
            for form in &forms {
                if table.place(&form.ideal).is_err() {
                    table.insert(&form.ideal, 0);
                    found.push(form.ideal);
                }
            }
        }
        found.sort_unstable_by_key(Ideal::len);
        for position in found {
            let mut seen = Default::default();
            for (_, left) in game.moves(position) {
                Grundy::<1>::see(&mut seen, table.value(&symmetry.canonical(left).ideal));
            }
            table.insert(&position, Grundy::<1>::value(seen).expect("values on six points are small"));
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

    fn insert(&mut self, position: &Ideal<1>, value: u8) {
        let (Ok(place) | Err(place)) = self.place(position);
        self.positions[place] = position.0[0];
        self.values[place] = value;
    }

    #[inline(always)]
    fn value(&self, position: &Ideal<1>) -> u8 {
        let (Ok(place) | Err(place)) = self.place(position);
        self.values[place]
    }
}
