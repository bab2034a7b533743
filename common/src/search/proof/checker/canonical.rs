//! The checker's own canonical form: the same set for all positions that automorphisms map to each other.
//!
//! **Sound whatever it computes.** A form is always the image of the position under automorphisms, each compared with the
//! cover relations when it was made. So two positions with one form are images of each other and have one outcome. That
//! positions of one orbit also have one form makes proofs short; if it failed, a right proof would be refused, and no wrong
//! one accepted.
//!
//! **How.** Points are given keys that do not depend on their names: how many members are above the least level in the
//! point (and how far), and in it and each other point. They are sorted by these keys. Points with equal keys, unless they
//! can be exchanged without any change, get finer keys, from three points each; those that are equal even then are put in
//! every order, and the least image wins.

use super::automorphisms::Automorphisms;
use super::swap::Swap;
use crate::ideal::Ideal;
use crate::poset::Poset;

/// Most factors, of at least two elements each, of a product of 256 elements.
const MAX_POINTS: usize = 8;

/// Keys of points, in the order of places.
type Keys = [u64; MAX_POINTS];

/// Canonical forms of positions of one poset.
#[derive(Clone, Debug)]
pub enum Forms<const W: usize> {
    /// All permutations of an antichain: only the number of members counts.
    ByLen,
    /// Permutations of points.
    ByPoints(Points<W>),
}

/// Points in their places: those of a class, which may be exchanged, are neighbours.
#[derive(Clone, Debug)]
pub struct Points<const W: usize> {
    points: usize,
    /// For each place, one past the last place of its class.
    class_end: [usize; MAX_POINTS],
    /// For each place the elements above the least level.
    above: [Ideal<W>; MAX_POINTS],
    /// Higher levels: the place, and the elements at this level or above.
    higher: Vec<(usize, Ideal<W>)>,
    /// `swaps[i][j]`, i < j, exchanges two places of one class.
    swaps: Vec<Vec<Swap<W>>>,
}

impl<const W: usize> Forms<W> {
    /// For positions of `poset`.
    pub fn new(poset: &Poset, automorphisms: &Automorphisms) -> Self {
        match automorphisms {
            Automorphisms::Elements => Self::ByLen,
            Automorphisms::Points { levels, classes, .. } => {
                Self::ByPoints(Points::new(poset, automorphisms, levels, classes))
            }
        }
    }

    /// The canonical form of a position.
    #[inline]
    pub fn of(&self, position: Ideal<W>) -> Ideal<W> {
        match self {
            Self::ByLen => Ideal::first(position.len()),
            Self::ByPoints(points) => points.form(position),
        }
    }
}

impl<const W: usize> Points<W> {
    fn new(poset: &Poset, automorphisms: &Automorphisms, levels: &[Vec<u8>], classes: &[Vec<u8>]) -> Self {
        let order: Vec<u8> = classes.concat();
        let at_least = |point: u8, level: u8| {
            let elements = (0..levels.len()).filter(|&x| levels[x][usize::from(point)] >= level);
            elements.fold(Ideal::empty(), |set: Ideal<W>, x| set.with(x))
        };
        let mut above = [Ideal::empty(); MAX_POINTS];
        let mut higher = Vec::new();
        for (place, &point) in order.iter().enumerate() {
            above[place] = at_least(point, 1);
            let top = levels.iter().map(|levels| levels[usize::from(point)]).max().unwrap_or(0);
            higher.extend((2..=top).map(|level| (place, at_least(point, level))));
        }
        let mut class_end = [0; MAX_POINTS];
        let mut end = 0;
        for class in classes {
            let start = end;
            end += class.len();
            class_end[start..end].fill(end);
        }
        let exchange = |i: usize, j: usize| {
            let mut images: Vec<u8> = (0..order.len() as u8).collect();
            images.swap(usize::from(order[i]), usize::from(order[j]));
            // Equal factors can be exchanged; if not, nothing is moved, and fewer proofs are understood.
            Swap::new(&automorphisms.elements(poset, &images).unwrap_or_default())
        };
        // Places before and up to i have nothing to exchange with it; their entries are never asked for.
        let row = |i: usize| (0..class_end[i]).map(|j| exchange(i, j.max(i))).collect();
        let swaps = (0..order.len()).map(row).collect();
        Self { points: order.len(), class_end, above, higher, swaps }
    }

    fn form(&self, position: Ideal<W>) -> Ideal<W> {
        let mut keys = self.keys(&position);
        let sorted = self.sort(position, &mut keys);
        if !self.has_ties(&sorted, &keys) {
            return sorted;
        }
        let mut finer = self.finer_keys(&sorted, &keys);
        let sorted = self.sort(sorted, &mut finer);
        if !self.has_ties(&sorted, &finer) {
            return sorted;
        }
        let mut least = None;
        self.least_order(sorted, 0, &finer, &mut least);
        least.unwrap_or(sorted)
    }

    /// Keys from pairs of points.
    #[inline]
    fn keys(&self, set: &Ideal<W>) -> Keys {
        let with = self.above.map(|above| set.intersection(&above));
        let mut alone = with.map(|with| with.len() as u64);
        for (place, above) in &self.higher {
            alone[*place] = mix(alone[*place] ^ (set.intersection(above).len() as u64) << 32);
        }
        let alone = alone.map(mix);
        let mut keys = alone;
        for i in 1..self.points {
            for j in 0..i {
                let both = with[i].intersection(&with[j]).len() as u64;
                keys[i] = keys[i].wrapping_add(mix(both ^ alone[j]));
                keys[j] = keys[j].wrapping_add(mix(both ^ alone[i]));
            }
        }
        keys
    }

    /// Keys from triples of points, and from the keys there are.
    fn finer_keys(&self, set: &Ideal<W>, keys: &Keys) -> Keys {
        let mut finer = keys.map(mix);
        for i in 0..self.points {
            let with_i = set.intersection(&self.above[i]);
            for j in 0..i {
                let with_both = with_i.intersection(&self.above[j]);
                for k in 0..j {
                    let count = with_both.intersection(&self.above[k]).len() as u64;
                    // What two points tell of a third one must not depend on their order.
                    let mut add = |to: usize, one: usize, other: usize| {
                        let pair = keys[one].wrapping_add(keys[other]) ^ keys[one].wrapping_mul(keys[other]);
                        finer[to] = finer[to].wrapping_add(mix(pair.wrapping_add(count)));
                    };
                    add(i, j, k);
                    add(j, i, k);
                    add(k, i, j);
                }
            }
        }
        finer
    }

    /// Sorts the points of each class by their keys.
    #[inline]
    fn sort(&self, mut set: Ideal<W>, keys: &mut Keys) -> Ideal<W> {
        for i in 0..self.points {
            let mut least = i;
            for j in i + 1..self.class_end[i] {
                least = if keys[j] < keys[least] { j } else { least };
            }
            if least != i {
                keys.swap(i, least);
                set = self.swaps[i][least].apply(set);
            }
        }
        set
    }

    /// Whether points of a class have equal keys and are not alike: exchanging them changes the set.
    #[inline]
    fn has_ties(&self, set: &Ideal<W>, keys: &Keys) -> bool {
        (1..self.points).any(|i| {
            keys[i - 1] == keys[i]
                && self.class_end[i - 1] == self.class_end[i]
                && self.swaps[i - 1][i].apply(*set) != *set
        })
    }

    /// The least set that permuting points of equal keys gives, the places before `place` being settled.
    fn least_order(&self, set: Ideal<W>, place: usize, keys: &Keys, least: &mut Option<Ideal<W>>) {
        if place == self.points {
            *least = Some(least.map_or(set, |least| least.min(set)));
            return;
        }
        let tied = |&other: &usize| keys[other] == keys[place];
        // Whoever comes to this place and leaves the same set is as good as the one before.
        let mut seen = [set; MAX_POINTS];
        let mut count = 1;
        self.least_order(set, place + 1, keys, least);
        for other in (place + 1..self.class_end[place]).take_while(tied) {
            let image = self.swaps[place][other].apply(set);
            if !seen[..count].contains(&image) {
                seen[count] = image;
                count += 1;
                self.least_order(image, place + 1, keys, least);
            }
        }
    }
}

/// Spreads what differs in a few bits over all of them.
#[inline(always)]
fn mix(value: u64) -> u64 {
    let mixed = (value ^ 0x243F_6A88_85A3_08D3).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;

    #[test]
    fn forms_are_images_and_one_for_each_orbit() {
        for spec in [
            "boolean:4",
            "boolean:5",
            "boolean:5:2",
            "boolean:6:2",
            "chains:3x3x2",
            "chains:3x2x3x2",
            "chains:3x3x3",
            "divisors:60",
            "antichain:5",
            "chain:6",
            "boolean:3:0",
        ] {
            let poset: Poset = spec.parse().expect("a poset");
            let forms = Forms::<1>::new(&poset, &Automorphisms::new(&poset));
            let group = oracle::group_elements(&poset);
            let mut of_orbit = std::collections::BTreeMap::new();
            for position in oracle::ideals(&poset).into_iter().step_by(if spec == "boolean:6:2" { 37 } else { 1 }) {
                let form = forms.of(Ideal([position])).0[0];
                let orbit = oracle::least_image(&group, position);
                assert_eq!(oracle::least_image(&group, form), orbit, "{spec}: {form:b} is no image of {position:b}");
                let first = *of_orbit.entry(orbit).or_insert(form);
                assert_eq!(first, form, "{spec}: two forms of {orbit:b}");
            }
        }
    }

    #[test]
    fn forms_of_many_words_do_not_depend_on_names() {
        fn check<const W: usize>(spec: &str) {
            let poset: Poset = spec.parse().expect("a poset");
            let automorphisms = Automorphisms::new(&poset);
            let forms = Forms::<W>::new(&poset, &automorphisms);
            let crate::poset::AutomorphismGroup::Factors(group) = poset.group() else { panic!("points") };
            for (i, images) in group.elements().enumerate().step_by(1 + group.order() as usize / 60) {
                // Some elements and all below them, more or less at random.
                let tops = (1..3 + i % 7).map(|k| (i + 1) * 0x9E37 * k % poset.len());
                let position = tops.fold(Ideal::<W>::empty(), |set, x| set.union(&poset.principal_ideal(x)));
                let images = automorphisms.elements(&poset, &images).expect("an automorphism");
                let image = position.iter().fold(Ideal::empty(), |set, x| set.with(usize::from(images[x])));
                let form = forms.of(position);
                assert_eq!(forms.of(image), form, "{spec}");
                assert_eq!((forms.of(form), form.len()), (form, position.len()), "{spec}");
                assert!(form.iter().all(|x| poset.principal_ideal(x).is_subset(&form)), "{spec}");
            }
        }
        check::<2>("boolean:7");
        check::<2>("boolean:8:3");
        check::<2>("chains:3x3x3x3");
        check::<4>("boolean:8");
        check::<4>("chains:4x4x4x4");
        check::<4>("chains:3x2x3x3x2x2");
    }

    #[test]
    fn points_that_only_all_orders_tell_apart_have_one_form() {
        // The lines of the Fano plane: all points look alike in pairs and triples, but only 168 of 5040 orders are.
        let poset: Poset = "boolean:7:3".parse().expect("a poset");
        let automorphisms = Automorphisms::new(&poset);
        let forms = Forms::<1>::new(&poset, &automorphisms);
        let position = crate::poset::parse_position(&poset, "013 124 235 346 045 156 026").expect("a position");
        let set = position.members.iter().fold(Ideal::empty(), |set, &x| set.with(x));
        let form = forms.of(set);
        for images in [[1, 0, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [2, 0, 1, 3, 4, 6, 5]] {
            let images = automorphisms.elements(&poset, &images).expect("an automorphism");
            let image = set.iter().fold(Ideal::empty(), |set, x| set.with(usize::from(images[x])));
            assert_eq!(forms.of(image), form);
        }
    }
}
