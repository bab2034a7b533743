//! An automorphism of order two, applied to a bit set in a few operations: pairs of elements that lie equally far apart
//! change places together.

use crate::ideal::Ideal;

/// An automorphism of order two.
#[derive(Clone, Debug)]
pub struct Swap<const W: usize> {
    /// The lower elements of pairs, and how far above each the other one is.
    strides: Vec<(Ideal<W>, u32)>,
    /// Pairs that are too far apart for a shift within two neighbouring words.
    far: Vec<(u8, u8)>,
}

impl<const W: usize> Swap<W> {
    /// The one that sends element `x` to `images[x]`; applied twice it must do nothing.
    pub fn new(images: &[u8]) -> Self {
        let mut swap = Self { strides: Vec::new(), far: Vec::new() };
        for (x, &image) in images.iter().enumerate().filter(|&(x, &image)| usize::from(image) > x) {
            match (usize::from(image) - x) as u32 {
                64.. => swap.far.push((x as u8, image)),
                by => match swap.strides.iter_mut().find(|(_, stride)| *stride == by) {
                    Some((lower, _)) => lower.insert(x),
                    None => swap.strides.push((Ideal::empty().with(x), by)),
                },
            }
        }
        swap
    }

    /// The image of a set.
    #[inline]
    pub fn apply(&self, set: Ideal<W>) -> Ideal<W> {
        let mut image = set;
        for (lower, by) in &self.strides {
            let changed = xor(down(image, *by), image).intersection(lower);
            image = xor(image, xor(changed, up(changed, *by)));
        }
        for &(x, y) in &self.far {
            let (x, y) = (usize::from(x), usize::from(y));
            if image.contains(x) != image.contains(y) {
                image = xor(image, Ideal::empty().with(x).with(y));
            }
        }
        image
    }
}

#[inline(always)]
fn xor<const W: usize>(mut set: Ideal<W>, other: Ideal<W>) -> Ideal<W> {
    set.0.iter_mut().zip(other.0).for_each(|(a, b)| *a ^= b);
    set
}

/// Every element lowered by 1 to 63; those that fall below 0 are lost.
#[inline(always)]
fn down<const W: usize>(set: Ideal<W>, by: u32) -> Ideal<W> {
    let mut lowered = set;
    for word in 0..W {
        let above = if word + 1 < W { set.0[word + 1] } else { 0 };
        lowered.0[word] = set.0[word] >> by | above << 1 << (63 - by);
    }
    lowered
}

/// Every element raised by 1 to 63; those that do not fit are lost.
#[inline(always)]
fn up<const W: usize>(set: Ideal<W>, by: u32) -> Ideal<W> {
    let mut raised = set;
    for word in 0..W {
        let below = if word > 0 { set.0[word - 1] } else { 0 };
        raised.0[word] = set.0[word] << by | below >> 1 >> (63 - by);
    }
    raised
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_change_places() {
        let images = |pairs: &[(usize, usize)]| {
            let mut images: Vec<u8> = (0..=255).collect();
            pairs.iter().for_each(|&(x, y)| images.swap(x, y));
            images
        };
        for pairs in [&[][..], &[(0, 1), (2, 3)], &[(60, 70), (0, 10), (63, 64)], &[(0, 255), (1, 2), (100, 164)]] {
            let images = images(pairs);
            let swap = Swap::<4>::new(&images);
            for set in [Ideal([5, 3, 0, 1 << 63]), Ideal([1 << 63 | 2, 64, 9, 7]), Ideal::first(101)] {
                let expected = set.iter().fold(Ideal::empty(), |image, x| image.with(usize::from(images[x])));
                assert_eq!(swap.apply(set), expected, "{pairs:?}");
                assert_eq!(swap.apply(expected), set, "{pairs:?}");
            }
        }
    }
}
