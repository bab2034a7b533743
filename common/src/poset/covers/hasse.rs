//! Hasse diagrams: all elements of a poset, or those below some, listed with their covers.

use std::collections::{HashMap, HashSet};

use super::{Coordinates, CoverRelation};

/// Elements of a poset together with all that is below them: by rank, then by coordinates, so that whatever is below an
/// element comes before it.
pub struct Hasse {
    elements: Vec<Coordinates>,
    ranks: Vec<usize>,
    /// Places of the elements that each one covers.
    lower: Vec<Vec<u32>>,
    places: HashMap<Coordinates, u32>,
}

/// More elements than were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {0} elements")]
pub struct TooManyElements(pub usize);

impl Hasse {
    /// The whole poset.
    ///
    /// # Errors
    /// [`TooManyElements`] if there are more than `most`.
    pub fn of(poset: &dyn CoverRelation, most: usize) -> Result<Self, TooManyElements> {
        if poset.len() > most.into() {
            return Err(TooManyElements(most));
        }
        Self::below(poset, poset.maximal(), most)
    }

    /// These elements, and all that is below one of them.
    ///
    /// # Errors
    /// [`TooManyElements`] if there are more than `most`.
    pub fn below(poset: &dyn CoverRelation, tops: Vec<Coordinates>, most: usize) -> Result<Self, TooManyElements> {
        let mut found: HashSet<Coordinates> = tops.iter().cloned().collect();
        let mut todo = tops;
        while let Some(x) = todo.pop() {
            // Some elements cover more than memory holds.
            if found.len() > most || poset.len_of_lower_covers(&x) > most.into() {
                return Err(TooManyElements(most));
            }
            for y in poset.lower_covers(&x) {
                if found.insert(y.clone()) {
                    todo.push(y);
                }
            }
        }
        let mut listed: Vec<(usize, Coordinates)> = found.into_iter().map(|x| (poset.rank(&x), x)).collect();
        listed.sort_unstable();
        let (ranks, elements): (Vec<usize>, Vec<Coordinates>) = listed.into_iter().unzip();
        let places: HashMap<Coordinates, u32> = elements.iter().cloned().zip(0..).collect();
        let covered = |x: &Coordinates| poset.lower_covers(x).iter().map(|y| places[y]).collect();
        let lower = elements.iter().map(covered).collect();
        Ok(Self { elements, ranks, lower, places })
    }

    /// The elements.
    pub fn elements(&self) -> &[Coordinates] {
        &self.elements
    }

    /// The rank of the element at a place.
    pub fn rank(&self, place: usize) -> usize {
        self.ranks[place]
    }

    /// Where an element is listed.
    pub fn place(&self, x: &[u32]) -> Option<usize> {
        self.places.get(x).map(|&place| place as usize)
    }

    /// Places of the elements that the one at a place covers.
    pub fn lower_covers(&self, place: usize) -> &[u32] {
        &self.lower[place]
    }

    /// The places of the principal ideal of an element, ascending, with itself as the last one.
    pub fn principal_ideal(&self, place: usize) -> Vec<u32> {
        let mut is_below = vec![false; place + 1];
        is_below[place] = true;
        for x in (0..=place).rev() {
            if is_below[x] {
                self.lower[x].iter().for_each(|&y| is_below[y as usize] = true);
            }
        }
        (0..=place as u32).filter(|&x| is_below[x as usize]).collect()
    }
}
