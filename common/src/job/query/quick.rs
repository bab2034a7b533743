//! Values that are quick to compute: a value depends on the ideals contained in the position alone.

use std::collections::HashMap;

use num_bigint::BigUint;

use crate::ideal::{Element, Ideal, Labelled};
use crate::poset::Poset;
use crate::symmetry::Canonicaliser;

/// Ideals whose canonical forms are asked for together.
const BATCH: usize = 1024;

/// The edges of a layer of canonical ideals to the layer below.
#[derive(Default)]
struct Edges {
    /// For each edge the number of the smaller ideal in its layer.
    targets: Vec<u32>,
    /// For each ideal the end of its edges.
    ends: Vec<usize>,
}

/// The number of linear extensions of an ideal, unless more than `most` ideals up to symmetry are contained in it.
///
/// The contained ideals are found from above, by taking maximal elements out, one canonical form an edge; the values follow
/// from below.
pub(super) fn extensions<const W: usize>(
    poset: &Poset,
    symmetry: &Canonicaliser<W>,
    ideal: Ideal<W>,
    most: usize,
) -> Option<BigUint> {
    let covers: Vec<Ideal<W>> = (0..poset.len())
        .map(|x| poset.upper_covers(x).iter().fold(Ideal::empty(), |set, &y| set.with(usize::from(y))))
        .collect();
    let mut layers = Vec::with_capacity(ideal.len());
    let mut layer = vec![symmetry.canonical(ideal).ideal];
    let mut found = 1;
    for _ in 0..ideal.len() {
        let (edges, below) = descend(symmetry, &covers, &layer, most.checked_sub(found)?)?;
        found += below.len();
        layers.push(edges);
        layer = below;
    }
    // Only the empty ideal is left.
    let mut values = vec![BigUint::from(1u8)];
    for edges in layers.iter().rev() {
        let starts = std::iter::once(0).chain(edges.ends.iter().copied());
        let sum = |(start, &end): (usize, &usize)| edges.targets[start..end].iter().map(|&i| &values[i as usize]).sum();
        values = starts.zip(&edges.ends).map(sum).collect();
    }
    values.pop()
}

/// The layer below, unless it has more than `most` ideals.
fn descend<const W: usize>(
    symmetry: &Canonicaliser<W>,
    covers: &[Ideal<W>],
    layer: &[Ideal<W>],
    most: usize,
) -> Option<(Edges, Vec<Ideal<W>>)> {
    let mut edges = Edges::default();
    let mut below = Vec::new();
    let mut numbers: HashMap<Ideal<W>, u32> = HashMap::new();
    let (mut smaller, mut forms) = (Vec::new(), Vec::new());
    for batch in layer.chunks(BATCH) {
        smaller.clear();
        forms.clear();
        for ideal in batch {
            let maximal = ideal.iter().filter(|&x| covers[x].intersection(ideal).is_empty());
            smaller.extend(maximal.map(|x| ideal.without(x)));
            edges.ends.push(edges.targets.len() + smaller.len());
        }
        symmetry.canonical_batch(&smaller, &mut forms);
        for form in &forms {
            let number = *numbers.entry(form.ideal).or_insert_with(|| {
                below.push(form.ideal);
                (below.len() - 1) as u32
            });
            edges.targets.push(number);
        }
        if below.len() > most {
            return None;
        }
    }
    Some((edges, below))
}

/// The number of ideals contained in an ideal, itself and the empty one included, unless that takes more than `most`
/// steps.
pub(super) fn ideals(poset: &Poset, members: &[Element], most: usize) -> Option<BigUint> {
    let set = members.iter().fold(Ideal::<4>::empty(), |set, &x| set.with(x));
    let comparable =
        (0..poset.len()).map(|x| poset.principal_ideal::<4>(x).union(&poset.principal_filter(x))).collect();
    let count = Counter { poset, comparable, known: HashMap::new(), most }.count(set)?;
    Some(BigUint::from_bytes_le(&count.to_le_bytes::<40>()))
}

/// Counts the ideals of subposets: those of a disjoint union multiply, and otherwise each ideal contains a chosen element
/// x, and all below it, or lacks x and all above it.
struct Counter<'a> {
    poset: &'a Poset,
    /// For each element those comparable to it, itself included.
    comparable: Vec<Ideal<4>>,
    known: HashMap<Ideal<4>, Labelled>,
    most: usize,
}

impl Counter<'_> {
    fn count(&mut self, set: Ideal<4>) -> Option<Labelled> {
        let Some(first) = set.iter().next() else { return Some(Labelled::ONE) };
        if let Some(&count) = self.known.get(&set) {
            return Some(count);
        }
        let part = self.component(set, first);
        let count = if part == set {
            // The more it decides, the better.
            let x = set.iter().max_by_key(|&x| self.comparable[x].intersection(&set).len()).unwrap_or(first);
            let without = self.count(set.difference(&self.poset.principal_filter(x)))?;
            without + self.count(set.difference(&self.poset.principal_ideal(x)))?
        } else {
            self.count(part)? * self.count(set.difference(&part))?
        };
        self.known.insert(set, count);
        (self.known.len() <= self.most).then_some(count)
    }

    /// The elements of `set` that chains of comparable ones connect with `x`.
    fn component(&self, set: Ideal<4>, x: Element) -> Ideal<4> {
        let mut part = Ideal::empty().with(x);
        let mut border = part;
        while !border.is_empty() {
            let reached = border.iter().fold(Ideal::empty(), |reached: Ideal<4>, x| reached.union(&self.comparable[x]));
            border = reached.intersection(&set).difference(&part);
            part = part.union(&border);
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use crate::symmetry::Isa;

    #[test]
    fn every_ideal_has_the_values_of_the_definitions() {
        for spec in ["boolean:4", "boolean:4:2", "chains:3x3x2", "divisors:360", "antichain:5", "chain:6"] {
            let poset: Poset = spec.parse().expect("a poset");
            let symmetry = Canonicaliser::<1>::new(&poset, Isa::detect());
            let all = oracle::ideals(&poset);
            for (&ideal, value) in &oracle::extensions(&poset) {
                assert_eq!(extensions(&poset, &symmetry, Ideal([ideal]), 1000).as_ref(), Some(value), "{spec}");
                let contained = all.iter().filter(|&smaller| smaller & !ideal == 0).count();
                let members: Vec<Element> = oracle::members(ideal).collect();
                assert_eq!(ideals(&poset, &members, 1000), Some(contained.into()), "{spec}");
            }
        }
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let poset: Poset = "boolean:7".parse().expect("a poset");
        let symmetry = Canonicaliser::<2>::new(&poset, Isa::detect());
        assert_eq!(extensions(&poset, &symmetry, Ideal::first(128), 2000), None);
        assert_eq!(ideals(&poset, &(0..128).collect::<Vec<_>>(), 2000), None);
    }

    #[test]
    fn symmetry_and_independence_reach_far() {
        let poset: Poset = "boolean:6".parse().expect("a poset");
        let symmetry = Canonicaliser::<1>::new(&poset, Isa::detect());
        let value = extensions(&poset, &symmetry, Ideal::first(64), 20_000);
        assert_eq!(value, crate::known::boolean_extensions(6));
        let poset: Poset = "antichain:256".parse().expect("a poset");
        let symmetry = Canonicaliser::<4>::new(&poset, Isa::detect());
        let value = extensions(&poset, &symmetry, Ideal::first(200), 1000);
        assert_eq!(value, Some((1..=200u32).map(BigUint::from).product()));
        assert_eq!(ideals(&poset, &(0..256).collect::<Vec<_>>(), 1000), Some(BigUint::from(1u8) << 256));
        let poset: Poset = "boolean:5".parse().expect("a poset");
        assert_eq!(ideals(&poset, &(0..32).collect::<Vec<_>>(), 10_000), crate::known::boolean_ideals(5));
    }
}
