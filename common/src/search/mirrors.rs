//! Involutions of positions of a Boolean lattice, found fast; the theorem is that of
//! [`involution`](crate::game::reductions::involution).
//!
//! An involution that serves exchanges pairs of points that are in no member together. So the matchings of the graph of
//! such pairs are gone through, each once; most positions have hardly any.

use std::sync::Arc;

use crate::ideal::{Bits, Ideal};
use crate::poset::Poset;
use crate::symmetry::{Canonicaliser, GroupElement};

/// The involutions of a group of point permutations.
pub struct Mirrors<const W: usize> {
    symmetry: Arc<Canonicaliser<W>>,
    pairs: Vec<Pair>,
    /// For each point the elements that contain it.
    containing: Vec<Ideal<W>>,
    /// For each set of points the pairs within it.
    within: Vec<u64>,
    /// The involutions, first the one that exchanges nothing.
    mirrors: Vec<Mirror<W>>,
}

/// Two points, in the order in which the sets of two points are numbered.
struct Pair {
    points: [usize; 2],
    /// The pairs after this one that have no point in common with it.
    apart: u64,
}

struct Mirror<const W: usize> {
    by: GroupElement,
    /// The elements that contain points that are exchanged.
    moved: Ideal<W>,
    /// By number of a pair after its last one: the involution that exchanges it besides.
    further: Vec<u16>,
}

impl<const W: usize> Mirrors<W> {
    /// For positions of subsets of `points` points.
    ///
    /// # Panics
    /// If the poset is no Boolean lattice of that many points.
    pub fn new(poset: &Poset, points: usize, symmetry: &Arc<Canonicaliser<W>>) -> Self {
        let containing: Vec<Ideal<W>> = (1..=points).map(|x| poset.principal_filter(x)).collect();
        let all: Vec<[usize; 2]> = (0..points).flat_map(|j| (0..j).map(move |i| [i, j])).collect();
        let select =
            |test: &dyn Fn(usize) -> bool| (0..all.len()).filter(|&p| test(p)).fold(0, |set, p| set | 1u64 << p);
        let is_apart = |p: usize, q: usize| p < q && all[p].iter().all(|point| !all[q].contains(point));
        let pairs = (0..all.len()).map(|p| Pair { points: all[p], apart: select(&|q| is_apart(p, q)) }).collect();
        let is_within = |set: usize, p: usize| all[p].iter().all(|&point| set >> point & 1 == 1);
        let within = (0..1 << points).map(|set| select(&|p| is_within(set, p))).collect();
        let mut mirrors = Self { symmetry: Arc::clone(symmetry), pairs, containing, within, mirrors: Vec::new() };
        mirrors.list();
        mirrors
    }

    /// Lists the involutions of the group.
    fn list(&mut self) {
        let mut number_of = std::collections::HashMap::new();
        let order = (1..=self.containing.len()).product::<usize>();
        let elements = (0..order).map(|g| GroupElement(g as u16));
        let Some(action) = self.symmetry.action().cloned() else { return };
        for by in elements.filter(|&g| action.inverse(g) == g) {
            let image = |point: usize| usize::from(action.preimages(by)[point + 1]) - 1;
            let exchanges = |pair: &Pair| image(pair.points[0]) == pair.points[1];
            let key = (0..self.pairs.len()).filter(|&p| exchanges(&self.pairs[p])).fold(0u64, |set, p| set | 1 << p);
            let points = Bits(key).flat_map(|p| self.pairs[p].points);
            let moved = points.fold(Ideal::empty(), |moved: Ideal<W>, point| moved.union(&self.containing[point]));
            number_of.insert(key, self.mirrors.len());
            self.mirrors.push(Mirror { by, moved, further: vec![0; self.pairs.len()] });
        }
        for (&key, &number) in number_of.iter().filter(|(key, _)| **key != 0) {
            let last = key.ilog2();
            self.mirrors[number_of[&(key & !(1 << last))]].further[last as usize] = number as u16;
        }
    }

    /// The points that members contain, as a bit mask.
    #[inline(always)]
    pub fn points(&self, position: &Ideal<W>) -> usize {
        // Elements are the empty set, then the sets of one point.
        (position.0[0] >> 1) as usize & (self.within.len() - 1)
    }

    /// The pairs of points of a position that are in no member together.
    #[inline(always)]
    pub fn pairs_apart(&self, position: &Ideal<W>) -> u64 {
        // After those come the sets of two points.
        self.within[self.points(position)] & !(position.0[0] >> (1 + self.containing.len()))
    }

    /// The points of each pair, in their order.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.pairs.iter().map(|pair| pair.points)
    }

    /// An involution and what the theorem leaves of a position; `None` if there is none.
    #[inline(always)]
    pub fn find(&self, position: &Ideal<W>) -> Option<(GroupElement, Ideal<W>)> {
        let apart = self.pairs_apart(position);
        if apart == 0 { None } else { self.find_among(position, apart) }
    }

    fn find_among(&self, position: &Ideal<W>, apart: u64) -> Option<(GroupElement, Ideal<W>)> {
        let members = |point: usize| self.containing[point].intersection(position).len();
        let alike = Bits(apart).filter(|&p| {
            let [i, j] = self.pairs[p].points;
            members(i) == members(j)
        });
        let alike = alike.fold(0, |set, p| set | 1 << p);
        self.walk(position, &self.mirrors[0], alike)
    }

    /// Goes through the matchings that add some of `pairs` to one.
    fn walk(&self, position: &Ideal<W>, matching: &Mirror<W>, pairs: u64) -> Option<(GroupElement, Ideal<W>)> {
        Bits(pairs).find_map(|p| {
            let mirror = &self.mirrors[usize::from(matching.further[p])];
            if self.symmetry.image(mirror.by, *position) == *position {
                return Some((mirror.by, position.difference(&mirror.moved)));
            }
            self.walk(position, mirror, pairs & self.pairs[p].apart)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::reductions::involution::Involutions;
    use crate::oracle;
    use crate::symmetry::Isa;

    #[test]
    fn an_involution_is_found_where_there_is_one() {
        for spec in ["boolean:4", "boolean:5", "boolean:5:2", "boolean:4:1"] {
            let poset: Poset = spec.parse().expect("a poset");
            let symmetry = Arc::new(Canonicaliser::<1>::new(&poset, Isa::detect()));
            let (points, _) = poset.sets().expect("a Boolean lattice");
            let mirrors = Mirrors::new(&poset, points, &symmetry);
            let reference = Involutions::new(&poset, &symmetry);
            for position in oracle::ideals(&poset).into_iter().step_by(3).map(|mask| Ideal([mask])) {
                let found = mirrors.find(&position);
                let expected = reference.reduce(&symmetry.canonical(position));
                assert_eq!(found.is_some(), expected.is_some(), "{spec} {position:?}");
                if let Some((by, left)) = found {
                    let image = |x: usize| symmetry.image(by, Ideal::empty().with(x)).last();
                    let fixed = crate::game::reductions::involution::delete_moved(&poset, position, image);
                    assert_eq!(fixed, Some(left), "{spec} {position:?}");
                }
            }
        }
    }
}
