//! Gathering: adding the values of one block, its codes permuted, to those of another.

use crate::recurrence::limbs::add;
use crate::space::code::{LOW_BITS, Ranks, Shape, for_each_code};

/// Code bits whose images are tabulated once for an edge between dense blocks.
const TABLE_BITS: usize = 6;

/// Scratch memory of a thread.
#[derive(Default)]
pub struct Scratch {
    high: Vec<u32>,
}

/// Adds `source` to `sum`: the value of code `c` goes to the code that has bit `positions[j]` for every bit `j` of `c`.
/// Codes with more members than `sum` may hold are passed over, or go to slots without a subset.
///
/// # Panics
/// If the slices are shorter than their shapes say.
#[inline(always)]
pub fn gather<const D: usize>(
    ranks: &Ranks,
    (sum, sum_shape): (&mut [[u64; D]], Shape),
    (source, source_shape): (&[[u64; D]], Shape),
    positions: &[u8],
    scratch: &mut Scratch,
) {
    if sum_shape.compact || source_shape.compact {
        limited(ranks, (sum, sum_shape), (source, source_shape), positions);
    } else {
        dense(sum, source, positions, scratch);
    }
}

#[inline(always)]
fn dense<const D: usize>(sum: &mut [[u64; D]], source: &[[u64; D]], positions: &[u8], scratch: &mut Scratch) {
    let q = positions.len();
    if q == 0 {
        add(&mut sum[0], &source[0]);
        return;
    }
    let low_bits = q.min(TABLE_BITS);
    let mut low = [0u32; 1 << TABLE_BITS];
    images(&positions[..low_bits], &mut low[..1 << low_bits]);
    let low = &low[..1 << low_bits];
    if q == low_bits {
        for (value, &to) in source[..1 << q].iter().zip(low) {
            add(&mut sum[to as usize], value);
        }
        return;
    }
    scratch.high.resize(1 << (q - low_bits), 0);
    images(&positions[low_bits..], &mut scratch.high);
    for (values, &high) in source[..1 << q].chunks_exact(1 << TABLE_BITS).zip(&scratch.high) {
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

#[inline(always)]
fn limited<const D: usize>(
    ranks: &Ranks,
    (sum, sum_shape): (&mut [[u64; D]], Shape),
    (source, source_shape): (&[[u64; D]], Shape),
    positions: &[u8],
) {
    let q = positions.len() as u32;
    let cap = sum_shape.cap.min(q);
    let low_bits = q.min(LOW_BITS);
    let mut low = [0u64; 1 << LOW_BITS];
    low[0] = 0;
    for (j, &position) in positions[..low_bits as usize].iter().enumerate() {
        for code in 0..1 << j {
            low[code | 1 << j] = low[code] | 1 << position;
        }
    }
    for_each_code(q - low_bits, cap, |high| {
        let members = high.count_ones();
        let mut image = 0;
        for j in crate::ideal::Bits(high) {
            image |= 1u64 << positions[low_bits as usize + j];
        }
        let from = source_shape.address(ranks, high << low_bits);
        let within = ranks.low_addresses(source_shape, members);
        for &code in ranks.low_codes(low_bits, cap - members) {
            let value = &source[from as usize + within[usize::from(code)] as usize];
            let to = sum_shape.address(ranks, image | low[usize::from(code)]);
            add(&mut sum[to as usize], value);
        }
    });
}
