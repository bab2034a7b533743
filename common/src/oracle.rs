//! The definitions taken literally, for tests: no symmetry, no bit tricks, no recurrence but the definition's own.
//!
//! Sets of elements are bit masks, so posets have at most 64 elements; all ideals are listed, so they have at most some
//! hundred thousand ideals.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::ideal::Element;
use crate::poset::{AutomorphismGroup, Poset};

/// A set of elements: bit `x` for element `x`.
pub type Mask = u64;

/// Whether `x <= y`, by walking down the cover relations.
pub fn at_most(poset: &Poset, x: Element, y: Element) -> bool {
    x == y || poset.lower_covers(y).iter().any(|&below| at_most(poset, x, usize::from(below)))
}

/// Whether every element below a member is a member.
pub fn is_ideal(poset: &Poset, set: Mask) -> bool {
    members(set).all(|x| poset.lower_covers(x).iter().all(|&y| set >> y & 1 == 1))
}

/// The elements of a set, ascending.
pub fn members(set: Mask) -> impl Iterator<Item = Element> {
    (0..64).filter(move |&x| set >> x & 1 == 1)
}

/// The maximal elements of a set, ascending.
pub fn maximal(poset: &Poset, set: Mask) -> Vec<Element> {
    members(set).filter(|&x| members(set).all(|y| x == y || !at_most(poset, x, y))).collect()
}

/// All ideals, found by adding elements to the empty one.
pub fn ideals(poset: &Poset) -> BTreeSet<Mask> {
    assert!(poset.len() <= 64);
    let mut found = BTreeSet::from([0]);
    let mut todo: Vec<Mask> = vec![0];
    while let Some(ideal) = todo.pop() {
        for x in 0..poset.len() {
            let larger = ideal | 1 << x;
            if is_ideal(poset, larger) && found.insert(larger) {
                todo.push(larger);
            }
        }
    }
    found
}

/// The number of linear extensions of every ideal: e(I) is the sum of e(I - x) over the maximal elements x of I.
pub fn extensions(poset: &Poset) -> BTreeMap<Mask, BigUint> {
    let mut by_size: Vec<Mask> = ideals(poset).into_iter().collect();
    by_size.sort_by_key(|ideal| ideal.count_ones());
    let mut values: BTreeMap<Mask, BigUint> = BTreeMap::from([(0, BigUint::from(1u8))]);
    for ideal in by_size.into_iter().filter(|&ideal| ideal != 0) {
        let value = maximal(poset, ideal).into_iter().map(|x| &values[&(ideal & !(1 << x))]).sum();
        values.insert(ideal, value);
    }
    values
}

/// The number of linear extensions of the poset, by writing every one of them: for posets with few.
pub fn extensions_by_listing(poset: &Poset) -> u64 {
    fn extend(poset: &Poset, done: Mask) -> u64 {
        if done.count_ones() as usize == poset.len() {
            return 1;
        }
        let next = (0..poset.len()).filter(|&x| done >> x & 1 == 0 && is_ideal(poset, done | 1 << x));
        next.map(|x| extend(poset, done | 1 << x)).sum()
    }
    extend(poset, 0)
}

/// Every element of the poset's group, as a permutation of the elements: `x` goes to `permutation[x]`.
pub fn group_elements(poset: &Poset) -> Vec<Vec<u16>> {
    match poset.group() {
        AutomorphismGroup::AllPermutations => all_permutations(poset.len()),
        AutomorphismGroup::Trivial => vec![(0..poset.len() as u16).collect()],
        AutomorphismGroup::Factors(group) => group.elements().map(|p| group.act(&p)).collect(),
    }
}

/// All permutations of `0..len`, for a small `len`.
pub fn all_permutations(len: usize) -> Vec<Vec<u16>> {
    (0..len).fold(vec![Vec::new()], |shorter, new| {
        let insert = |permutation: &Vec<u16>, place: usize| {
            let mut longer = permutation.clone();
            longer.insert(place, new as u16);
            longer
        };
        shorter.iter().flat_map(|permutation| (0..=new).map(move |place| insert(permutation, place))).collect()
    })
}

/// The image of a set under a permutation of the elements.
pub fn image(permutation: &[u16], set: Mask) -> Mask {
    members(set).fold(0, |image, x| image | 1 << permutation[x])
}

/// The least image of a set, as a number, under a group of permutations.
pub fn least_image(group: &[Vec<u16>], set: Mask) -> Mask {
    group.iter().map(|permutation| image(permutation, set)).min().unwrap_or(set)
}

/// One ideal of each orbit, the least as a number, with the size of its orbit.
pub fn orbits(poset: &Poset) -> BTreeMap<Mask, usize> {
    let group = group_elements(poset);
    let mut orbits = BTreeMap::new();
    for ideal in ideals(poset) {
        *orbits.entry(least_image(&group, ideal)).or_default() += 1;
    }
    orbits
}

/// Orbits and labelled ideals by number of elements.
pub fn counts_by_size(poset: &Poset) -> Vec<(usize, usize)> {
    let mut counts = vec![(0, 0); poset.len() + 1];
    for (ideal, size) in orbits(poset) {
        let (orbits, labelled) = &mut counts[ideal.count_ones() as usize];
        *orbits += 1;
        *labelled += size;
    }
    counts
}

/// The number of all automorphisms of the poset, by placing the elements one after the other in every way that keeps
/// the order among those placed. To keep the search short, an element goes only to one with as many elements below it.
pub fn count_automorphisms(poset: &Poset) -> u64 {
    fn place(less: &[Vec<bool>], images: &mut Vec<Element>) -> u64 {
        let x = images.len();
        if x == less.len() {
            return 1;
        }
        let below = |x: Element| less.iter().filter(|row| row[x]).count();
        let mut count = 0;
        for image in 0..less.len() {
            let fits = |y: Element| less[x][y] == less[image][images[y]] && less[y][x] == less[images[y]][image];
            if below(x) == below(image) && !images.contains(&image) && (0..x).all(fits) {
                images.push(image);
                count += place(less, images);
                images.pop();
            }
        }
        count
    }
    let less: Vec<Vec<bool>> =
        (0..poset.len()).map(|x| (0..poset.len()).map(|y| x != y && at_most(poset, x, y)).collect()).collect();
    place(&less, &mut Vec::new())
}
