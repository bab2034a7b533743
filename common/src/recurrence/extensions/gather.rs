//! Gathering: adding the values of one block, its codes permuted, to those of another.

use crate::ideal::Bits;
use crate::prefetch::prefetch;
use crate::recurrence::limbs::add;
use crate::space::code::{LOW_BITS, Ranks, Shape, codes_up_to};

/// Code bits whose images are tabulated once for an edge between dense blocks.
pub(super) const TABLE_BITS: usize = 6;

/// How an edge permutes codes.
pub(super) struct CodeImages {
    /// For each bit of a source code the bit of the sum's code that it goes to; what follows the last one is arbitrary.
    pub(super) positions: [u8; 64],
    /// The images of the codes that have only the first bits, [`TABLE_BITS`] of them; arbitrary where there is no such code.
    pub(super) low: [u32; 1 << TABLE_BITS],
}

impl CodeImages {
    /// Tabulates the images of small codes, after the positions of `bits` bits.
    pub(super) fn tabulate(&mut self, bits: usize) {
        let low_bits = bits.min(TABLE_BITS);
        images(&self.positions[..low_bits], &mut self.low[..1 << low_bits]);
    }
}

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Scratch memory of a thread.
#[derive(Default)]
pub struct Scratch {
    high: Vec<u32>,
}

/// Adds `source` to `sum`: the value of a code of `bits` bits goes to the image of the code.
/// Codes with more members than `sum` may hold are passed over, or go to slots without a subset.
///
/// # Panics
/// If the slices are shorter than their shapes say.
#[inline(always)]
pub fn gather<const D: usize>(
    ranks: &Ranks,
    (sum, sum_shape): (&mut [[u64; D]], Shape),
    (source, source_shape): (&[[u64; D]], Shape),
    (bits, images): (usize, &CodeImages),
    scratch: &mut Scratch,
) {
    if sum_shape.compact || source_shape.compact {
        limited(ranks, (sum, sum_shape), (source, source_shape), &images.positions[..bits]);
    } else {
        dense(sum, source, (bits, images), scratch);
    }
}

#[inline(always)]
fn dense<const D: usize>(
    sum: &mut [[u64; D]],
    source: &[[u64; D]],
    (q, images_of_codes): (usize, &CodeImages),
    scratch: &mut Scratch,
) {
    let low_bits = q.min(TABLE_BITS);
    let low = &images_of_codes.low[..1 << low_bits];
    if q == low_bits {
        for (value, &to) in source[..1 << q].iter().zip(low) {
            add(&mut sum[to as usize], value);
        }
        return;
    }
    scratch.high.resize(1 << (q - low_bits), 0);
    images(&images_of_codes.positions[low_bits..q], &mut scratch.high);
    for (number, (values, &high)) in source[..1 << q].chunks_exact(1 << TABLE_BITS).zip(&scratch.high).enumerate() {
        for slot in (0..1 << TABLE_BITS).step_by((LINE / (8 * D)).max(1)) {
            prefetch(source, ((number + 1) << TABLE_BITS) + slot);
        }
        for (value, &to) in values.iter().zip(low) {
            add(&mut sum[(high + to) as usize], value);
        }
    }
}

/// Tabulates the images of all codes by doubling.
#[inline(always)]
fn images(positions: &[u8], table: &mut [u32]) {
    table[0] = 0;
    for (j, &position) in positions.iter().enumerate() {
        let (known, new) = table.split_at_mut(1 << j);
        for (image, &smaller) in new.iter_mut().zip(known.iter()) {
            *image = smaller | 1 << position;
        }
    }
}

/// Where codes with many members have no slots. An address is that of the high bits of a code plus that of its low bits,
/// which is tabulated. So the inner loop runs over the bits that are low in the source and in the sum.
#[inline(always)]
fn limited<const D: usize>(
    ranks: &Ranks,
    (sum, sum_shape): (&mut [[u64; D]], Shape),
    (source, source_shape): (&[[u64; D]], Shape),
    positions: &[u8],
) {
    const LOW: u64 = (1 << LOW_BITS) - 1;
    let q = positions.len() as u32;
    let cap = sum_shape.cap.min(q);
    // For each code of the inner bits, and for each of the others, the bits in the source and in the sum.
    let mut inner = [(0u16, 0u16); 1 << LOW_BITS];
    let mut outer = [(0u64, 0u64); 64];
    let (mut inner_bits, mut outer_bits) = (0, 0);
    for (j, &position) in positions.iter().enumerate() {
        if j < LOW_BITS as usize && u32::from(position) < LOW_BITS {
            for code in 0..1 << inner_bits {
                let (from, to) = inner[code];
                inner[code | 1 << inner_bits] = (from | 1 << j, to | 1 << position);
            }
            inner_bits += 1;
        } else {
            outer[outer_bits] = (1 << j, 1 << position);
            outer_bits += 1;
        }
    }
    for code in codes_up_to(outer_bits as u32, cap) {
        let (mut from, mut to) = (0, 0);
        for bit in Bits(code) {
            from |= outer[bit].0;
            to |= outer[bit].1;
        }
        let (from_high, to_high) = (from & !LOW, to & !LOW);
        let from_addresses = ranks.low_addresses(source_shape, from_high.count_ones());
        let to_addresses = ranks.low_addresses(sum_shape, to_high.count_ones());
        let from_slots = &source[source_shape.address(ranks, from_high) as usize..];
        let to_slots = &mut sum[sum_shape.address(ranks, to_high) as usize..];
        let (from, to) = ((from & LOW) as u16, (to & LOW) as u16);
        for &code in ranks.low_codes(inner_bits, cap - code.count_ones()) {
            let (more_from, more_to) = inner[usize::from(code)];
            let value = &from_slots[from_addresses[usize::from(from | more_from)] as usize];
            add(&mut to_slots[to_addresses[usize::from(to | more_to)] as usize], value);
        }
    }
}
