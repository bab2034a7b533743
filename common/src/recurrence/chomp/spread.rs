//! From the values of one facet to what the states of another one see of them.
//!
//! A move leads from every state of a facet to a state of one other facet, and the code of that one is a constant with the
//! bits of the first code in other places, some of them dropped.

use crate::ideal::Bits;
use crate::prefetch::prefetch;
use crate::recurrence::rule::Rule;
use crate::space::code::{LOW_BITS, Ranks, Shape, codes_up_to};

/// The place of a bit that is dropped.
const DROPPED: u8 = u8::MAX;
/// Code bits whose images are tabulated once for a move between dense facets.
const TABLE_BITS: usize = 6;

/// How a move maps codes.
#[derive(Clone, Copy)]
pub struct CodeMap {
    /// For each bit of a code the bit that it becomes, or [`DROPPED`].
    places: [u8; 64],
    /// Number of bits.
    bits: u32,
    /// Bits that every image has.
    pub constant: u64,
}

impl CodeMap {
    /// Of the codes over `free` to those over `target`: the bit of an upper becomes that of its image, if that is one of
    /// `target` and the upper one of `kept`; `constant` are the uppers of the target that every image has.
    #[inline(always)]
    pub fn new(free: u64, kept: u64, target: u64, constant: u64, image: impl Fn(usize) -> usize) -> Self {
        let mut map = Self { places: [DROPPED; 64], bits: free.count_ones(), constant: compress(constant, target) };
        let target = target & !constant;
        let whole = target | constant;
        for (place, i) in map.places.iter_mut().zip(Bits(free)) {
            if kept >> i & 1 == 1 {
                let image = image(i);
                if target >> image & 1 == 1 {
                    *place = (whole & ((1 << image) - 1)).count_ones() as u8;
                }
            }
        }
        map
    }

    /// The image of a code.
    #[inline(always)]
    pub fn image(&self, code: u64) -> u64 {
        Bits(code).fold(self.constant, |image, bit| image | self.bit(bit))
    }

    #[inline(always)]
    fn bit(&self, bit: usize) -> u64 {
        let place = self.places[bit];
        if place == DROPPED { 0 } else { 1 << place }
    }

    /// Number of bits that are not dropped.
    #[inline(always)]
    pub fn kept(&self) -> u32 {
        self.places[..self.bits as usize].iter().map(|&place| u32::from(place != DROPPED)).sum()
    }

    /// The same map in two steps, of which this is the first: the bits that are not dropped, in their order.
    pub fn dropping(&self) -> Self {
        let mut first = Self { places: [DROPPED; 64], bits: self.bits, constant: 0 };
        let mut next = 0;
        for bit in 0..self.bits as usize {
            if self.places[bit] != DROPPED {
                first.places[bit] = next;
                next += 1;
            }
        }
        first
    }

    /// The second step.
    pub fn moving(&self) -> Self {
        let mut second = Self { places: [DROPPED; 64], bits: self.kept(), constant: self.constant };
        let kept = self.places[..self.bits as usize].iter().filter(|&&place| place != DROPPED);
        second.places.iter_mut().zip(kept).for_each(|(to, &place)| *to = place);
        second
    }
}

/// The code of a set among the members of another: bit `j` for the `j`-th of them.
#[inline(always)]
pub fn compress(set: u64, members: u64) -> u64 {
    Bits(set & members).fold(0, |code, i| code | 1 << (members & ((1 << i) - 1)).count_ones())
}

/// Lets the states of `seen` with at most `cap` members, laid out as `shape`, see the values of their images.
///
/// # Panics
/// If the slices are shorter than their shapes say.
#[inline(always)]
pub fn spread<R: Rule>(
    ranks: &Ranks,
    (seen, shape, cap): (&mut [R::Seen], Shape, u32),
    (values, value_shape): (&[u8], Shape),
    map: &CodeMap,
    scratch: &mut Vec<u32>,
) {
    if shape.q == 0 || cap == 0 {
        R::see(&mut seen[0], values[value_shape.address(ranks, map.constant) as usize]);
        return;
    }
    let few = shape.q > 4 && 1 << shape.q > 2 * ranks.at_most(shape.q, cap);
    if shape.compact || value_shape.compact || few {
        limited::<R>(ranks, (seen, shape, cap), (values, value_shape), map);
    } else {
        dense::<R>((seen, shape.q as usize), values, map, scratch);
    }
}

#[inline(always)]
fn dense<R: Rule>((seen, q): (&mut [R::Seen], usize), values: &[u8], map: &CodeMap, scratch: &mut Vec<u32>) {
    let low_bits = q.min(TABLE_BITS);
    let mut low = [0u32; 1 << TABLE_BITS];
    tabulate(map.constant, map, 0..low_bits, &mut low);
    let low = &low[..1 << low_bits];
    if q == low_bits {
        for (seen, &to) in seen[..1 << q].iter_mut().zip(low) {
            R::see(seen, values[to as usize]);
        }
        return;
    }
    scratch.resize(1 << (q - low_bits), 0);
    tabulate(0, map, low_bits..q, scratch);
    for (number, seen) in seen[..1 << q].chunks_exact_mut(1 << TABLE_BITS).enumerate() {
        let high = scratch[number];
        if let Some(&next) = scratch.get(number + 1) {
            prefetch(values, (next | low[0]) as usize);
        }
        for (seen, &to) in seen.iter_mut().zip(low) {
            R::see(seen, values[(high | to) as usize]);
        }
    }
}

/// The images of all codes of some bits, by doubling.
#[inline(always)]
fn tabulate(constant: u64, map: &CodeMap, bits: std::ops::Range<usize>, table: &mut [u32]) {
    table[0] = constant as u32;
    for (j, bit) in bits.enumerate() {
        let moved = map.bit(bit) as u32;
        let (known, new) = table.split_at_mut(1 << j);
        for (image, &smaller) in new.iter_mut().zip(known.iter()) {
            *image = smaller | moved;
        }
    }
}

/// Where codes with many members have no slots, or are not asked for. An address is that of the high bits of a code plus
/// that of its low bits, which is tabulated. So the inner loop runs over the bits that are low in both codes.
#[inline(always)]
fn limited<R: Rule>(
    ranks: &Ranks,
    (seen, shape, cap): (&mut [R::Seen], Shape, u32),
    (values, value_shape): (&[u8], Shape),
    map: &CodeMap,
) {
    const LOW: u64 = (1 << LOW_BITS) - 1;
    let mut inner = [(0u16, 0u16); 1 << LOW_BITS];
    let mut outer = [(0u64, 0u64); 64];
    let (mut inner_bits, mut outer_bits) = (0, 0);
    for bit in 0..shape.q as usize {
        let (own, moved) = (1u64 << bit, map.bit(bit));
        if own <= LOW && moved <= LOW {
            for code in 0..1 << inner_bits {
                let (from, to) = inner[code];
                inner[code | 1 << inner_bits] = (from | own as u16, to | moved as u16);
            }
            inner_bits += 1;
        } else {
            outer[outer_bits] = (own, moved);
            outer_bits += 1;
        }
    }
    for code in codes_up_to(outer_bits as u32, cap) {
        let (mut own, mut image) = (0, map.constant);
        for bit in Bits(code) {
            own |= outer[bit].0;
            image |= outer[bit].1;
        }
        let (own_high, image_high) = (own & !LOW, image & !LOW);
        let own_addresses = ranks.low_addresses(shape, own_high.count_ones());
        let image_addresses = ranks.low_addresses(value_shape, image_high.count_ones());
        let own_slots = &mut seen[shape.address(ranks, own_high) as usize..];
        let image_slots = &values[value_shape.address(ranks, image_high) as usize..];
        let (own, image) = ((own & LOW) as u16, (image & LOW) as u16);
        for &code in ranks.low_codes(inner_bits, cap - code.count_ones()) {
            let (more_own, more_image) = inner[usize::from(code)];
            let value = image_slots[image_addresses[usize::from(image | more_image)] as usize];
            R::see(&mut own_slots[own_addresses[usize::from(own | more_own)] as usize], value);
        }
    }
}
