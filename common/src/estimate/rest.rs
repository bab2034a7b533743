//! What is left of a poset when an ideal is taken out, and how an ideal grows.
//!
//! For every element x outside the ideal the number h(x) of elements at most x outside it, its *hook*, x included. What
//! can be added are the elements of hook 1. An element is known by its *state*: one number for the ranks it is counted
//! with and its hook, 0 if it is in the ideal.

use crate::ideal::{Element, Ideal};
use crate::poset::{MAX_ELEMENTS, Poset};

/// Groups of ranks that are told apart, at most; where there are more ranks, neighbours share a group.
const MOST_GROUPS: usize = 16;

/// A poset, as far as growing ideals ask for it.
pub struct Elements {
    /// Number of elements.
    pub len: usize,
    /// The elements strictly above each.
    above: Vec<Vec<u8>>,
    /// The elements at most each.
    below: Vec<Ideal<4>>,
    /// The state of each element outside the ideal with hook 0, were there one: the states of its group follow.
    origin: Vec<u16>,
    /// Of each state its group and its hook. State 0 has group 0 and hook 0.
    pub states: Vec<(usize, usize)>,
    /// Number of groups.
    pub groups: usize,
}

impl Elements {
    /// Those of a poset.
    pub fn new(poset: &Poset) -> Self {
        let len = poset.len();
        let ranks = poset.rank(len - 1) + 1;
        let groups = ranks.min(MOST_GROUPS);
        let group = |x| poset.rank(x) * groups / ranks;
        let below: Vec<Ideal<4>> = (0..len).map(|x| poset.principal_ideal(x)).collect();
        let above = |x| poset.principal_filter::<4>(x).without(x).iter().map(|y| y as u8).collect();
        let mut states = vec![(0, 0)];
        let mut origins = Vec::new();
        for g in 0..groups {
            let most = (0..len).filter(|&x| group(x) == g).map(|x| below[x].len()).max().unwrap_or(0);
            origins.push(states.len() as u16 - 1);
            states.extend((1..=most).map(|hook| (g, hook)));
        }
        Self {
            len,
            above: (0..len).map(above).collect(),
            below,
            origin: (0..len).map(|x| origins[group(x)]).collect(),
            states,
            groups,
        }
    }
}

/// An ideal that grows by one element at a time, or gives the last ones back.
#[derive(Clone)]
pub struct Rest {
    states: [u16; MAX_ELEMENTS],
    /// The elements that can be added, in an order that depends on what was done so far and nothing else.
    addable: Vec<u8>,
}

impl Rest {
    /// What an ideal leaves.
    pub fn of(elements: &Elements, ideal: &Ideal<4>) -> Self {
        let mut rest = Self { states: [0; MAX_ELEMENTS], addable: Vec::new() };
        for x in (0..elements.len).filter(|&x| !ideal.contains(x)) {
            let hook = elements.below[x].difference(ideal).len();
            rest.states[x] = elements.origin[x] + hook as u16;
            if hook == 1 {
                rest.addable.push(x as u8);
            }
        }
        rest
    }

    /// The ideal.
    pub fn ideal(&self, elements: &Elements) -> Ideal<4> {
        (0..elements.len).filter(|&x| self.states[x] == 0).fold(Ideal::empty(), |ideal, x| ideal.with(x))
    }

    /// The states of all elements.
    pub fn states<'a>(&'a self, elements: &Elements) -> &'a [u16] {
        &self.states[..elements.len]
    }

    /// The elements that can be added.
    pub fn addable(&self) -> impl Iterator<Item = Element> + '_ {
        self.addable.iter().map(|&x| usize::from(x))
    }

    /// The states of an element that can be added, and of those above it, none of which is in the ideal.
    #[inline]
    pub fn touched<'a>(&'a self, elements: &'a Elements, x: Element) -> (u16, impl Iterator<Item = u16> + 'a) {
        (self.states[x], elements.above[x].iter().map(|&y| self.states[usize::from(y)]))
    }

    /// Adds the element at a place among those that can be added, and returns it.
    pub fn add(&mut self, elements: &Elements, place: usize) -> Element {
        let x = usize::from(self.addable.swap_remove(place));
        self.states[x] = 0;
        for &y in &elements.above[x] {
            let state = &mut self.states[usize::from(y)];
            *state -= 1;
            if *state == elements.origin[usize::from(y)] + 1 {
                self.addable.push(y);
            }
        }
        x
    }

    /// Gives back a maximal element of the ideal.
    pub fn give_back(&mut self, elements: &Elements, x: Element) {
        self.states[x] = elements.origin[x] + 1;
        for &y in &elements.above[x] {
            self.states[usize::from(y)] += 1;
        }
        let states = &self.states;
        self.addable.retain(|&y| states[usize::from(y)] == elements.origin[usize::from(y)] + 1);
        self.addable.push(x as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_and_giving_back_agree_with_counting_afresh() {
        for spec in ["boolean:4", "chains:3x3x2", "boolean:5:3", "antichain:4", "chain:20", "divisors:360"] {
            let elements = Elements::new(&spec.parse().expect("a poset"));
            let mut rest = Rest::of(&elements, &Ideal::empty());
            let mut added = Vec::new();
            let agrees = |rest: &Rest| {
                let afresh = Rest::of(&elements, &rest.ideal(&elements));
                assert_eq!(rest.states, afresh.states, "{spec}");
                let mut addable = rest.addable.clone();
                addable.sort_unstable();
                assert_eq!(addable, afresh.addable, "{spec}");
            };
            for step in 0..elements.len {
                let place = step * 7 % rest.addable.len();
                added.push(rest.add(&elements, place));
                agrees(&rest);
            }
            assert_eq!(rest.ideal(&elements).len(), elements.len);
            for &x in added.iter().rev() {
                rest.give_back(&elements, x);
                agrees(&rest);
            }
        }
    }

    #[test]
    fn states_tell_groups_and_hooks() {
        let elements = Elements::new(&"chain:40".parse().expect("a poset"));
        assert_eq!(elements.groups, 16);
        let rest = Rest::of(&elements, &Ideal::first(3));
        let hooks: Vec<usize> = rest.states(&elements).iter().map(|&s| elements.states[usize::from(s)].1).collect();
        assert_eq!(hooks, [vec![0; 3], (1..=37).collect()].concat());
    }
}
