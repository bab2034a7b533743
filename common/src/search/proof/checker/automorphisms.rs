//! Automorphisms of a poset as the checker knows them: the levels of every element in every factor of a product, and the
//! permutations that this allows. Each one used is compared with the cover relations first, so nothing rests on what the
//! poset says of its group.

use std::collections::HashMap;

use crate::ideal::Element;
use crate::poset::{AutomorphismGroup, Poset};

/// Names automorphisms by short lists of images.
#[derive(Clone, Debug)]
pub enum Automorphisms {
    /// Of a product: images of its factors, called points.
    Points {
        /// The level of each element in each factor.
        levels: Vec<Vec<u8>>,
        /// The element with given levels.
        elements: HashMap<Vec<u8>, u8>,
        /// Points that may be exchanged, in classes.
        classes: Vec<Vec<u8>>,
    },
    /// Of an antichain, and where none is known: images of the elements.
    Elements,
}

impl Automorphisms {
    /// Those of a poset.
    pub fn new(poset: &Poset) -> Self {
        match poset.group() {
            AutomorphismGroup::AllPermutations | AutomorphismGroup::Trivial => Self::Elements,
            AutomorphismGroup::Factors(group) => {
                let levels_of = |x: Element| (0..group.points()).map(|point| group.level(x, point)).collect();
                let levels: Vec<Vec<u8>> = (0..poset.len()).map(levels_of).collect();
                let elements = levels.iter().cloned().zip(0..=u8::MAX).collect();
                Self::Points { levels, elements, classes: group.classes().to_vec() }
            }
        }
    }

    /// Where an automorphism sends each element; `None` if the images name none.
    pub fn elements(&self, poset: &Poset, images: &[u8]) -> Option<Vec<u8>> {
        let images: Vec<u8> = match self {
            Self::Elements => images.to_vec(),
            Self::Points { levels, elements, .. } => {
                let points = levels.first().map_or(0, Vec::len);
                if images.len() != points || images.iter().any(|&image| usize::from(image) >= points) {
                    return None;
                }
                let moved = |levels: &Vec<u8>| {
                    let mut moved = vec![0; points];
                    levels.iter().zip(images).for_each(|(&level, &image)| moved[usize::from(image)] = level);
                    elements.get(&moved).copied()
                };
                levels.iter().map(moved).collect::<Option<_>>()?
            }
        };
        is_automorphism(poset, &images).then_some(images)
    }
}

/// Whether this is a bijection that maps the lower covers of every element to those of its image.
fn is_automorphism(poset: &Poset, images: &[u8]) -> bool {
    let image = |x: Element| images.get(x).map(|&y| usize::from(y)).filter(|&y| y < poset.len());
    let mut reached = vec![false; poset.len()];
    (0..poset.len()).all(|x| image(x).is_some_and(|y| !std::mem::replace(&mut reached[y], true)))
        && images.len() == poset.len()
        && (0..poset.len()).all(|x| {
            let mut covers: Vec<u16> =
                poset.lower_covers(x).iter().map(|&below| u16::from(images[usize::from(below)])).collect();
            covers.sort_unstable();
            covers == poset.lower_covers(usize::from(images[x]))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn every_image_is_that_of_an_automorphism() {
        for spec in
            ["boolean:3", "boolean:4:2", "chains:3x3x2", "chains:3x2x3", "divisors:60", "antichain:4", "chain:3"]
        {
            let poset: Poset = spec.parse().expect("a poset");
            let group = oracle::group_elements(&poset);
            let automorphisms = Automorphisms::new(&poset);
            let len = match &automorphisms {
                Automorphisms::Points { levels, .. } => levels[0].len(),
                Automorphisms::Elements => poset.len(),
            };
            // All lists of numbers up to the length, permutations or not.
            let lists = (0..len).fold(vec![Vec::new()], |shorter: Vec<Vec<u8>>, _| {
                let longer = |list: &Vec<u8>, next: u8| list.iter().copied().chain([next]).collect();
                shorter.iter().flat_map(|list| (0..=len as u8).map(move |next| longer(list, next))).collect()
            });
            let named: Vec<Vec<u16>> = lists
                .iter()
                .filter_map(|list| automorphisms.elements(&poset, list))
                .map(|images| images.into_iter().map(u16::from).collect())
                .collect();
            assert_eq!(named.len(), group.len(), "{spec}");
            assert!(named.iter().all(|images| group.contains(images)), "{spec}");
            assert_eq!(automorphisms.elements(&poset, &[]), (len == 0).then(Vec::new));
        }
    }
}
