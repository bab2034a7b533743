//! Finishing a facet: the part of the recurrence that stays in the block.
//!
//! A value adds those of the codes with one member less. Codes are taken in groups of eight that share their high bits:
//! what high bits contribute is added eight values at a time, the three low bits are done within the group.

use super::sums::BlockSums;
use crate::ideal::Bits;
use crate::recurrence::limbs::{add, normalise};
use crate::space::code::{GROUP, GROUP_BITS, Ranks, Shape, codes_up_to};

/// Turns gathered sums into values, in place: adds what stays in the facet, carries, clears slots without a subset, and
/// adds every value to the sums of its size (`smallest` is the number of upper elements of code 0). Returns what
/// overflowed (0: nothing).
#[inline(always)]
pub fn finish<const D: usize>(
    ranks: &Ranks,
    shape: Shape,
    values: &mut [[u64; D]],
    smallest: usize,
    sums: &mut BlockSums<D>,
) -> u64 {
    if shape.q < GROUP_BITS {
        return finish_few(shape, values, smallest, sums);
    }
    let groups = shape.q - GROUP_BITS;
    let mut lost = 0;
    if shape.compact {
        for high in codes_up_to(groups, shape.cap) {
            let start = |high| shape.address(ranks, high << GROUP_BITS) as usize;
            lost |= finish_group(high, start, shape.cap, values, smallest, sums);
        }
    } else {
        for high in 0..1u64 << groups {
            lost |= finish_group(high, |high| (high << GROUP_BITS) as usize, shape.cap, values, smallest, sums);
        }
    }
    lost
}

/// The eight codes with the same high bits; `start` tells where such a group starts.
#[inline(always)]
fn finish_group<const D: usize>(
    high: u64,
    start: impl Fn(u64) -> usize,
    cap: u32,
    values: &mut [[u64; D]],
    smallest: usize,
    sums: &mut BlockSums<D>,
) -> u64 {
    let members = high.count_ones();
    let (smaller, group) = values.split_at_mut(start(high));
    let Some(group) = group.first_chunk_mut::<GROUP>() else { return 0 };
    if members > cap {
        *group = [[0; D]; GROUP];
        return 0;
    }
    let mut v = *group;
    for bit in Bits(high) {
        let from = start(high & !(1 << bit));
        for (value, smaller) in v.iter_mut().zip(&smaller[from..from + GROUP]) {
            add(value, smaller);
        }
    }
    let lost = within_group(&mut v, cap - members);
    sums.add_group(smallest + members as usize, &v);
    *group = v;
    lost
}

/// The three low bits. Codes with more than `room` members become zero.
#[inline(always)]
fn within_group<const D: usize>(v: &mut [[u64; D]; GROUP], room: u32) -> u64 {
    let mut lost = normalise(&mut v[0]);
    for code in [1, 2, 4, 3, 5, 6, 7] {
        if (code as u32).count_ones() > room {
            v[code] = [0; D];
            continue;
        }
        let mut value = v[code];
        for bit in [1, 2, 4] {
            if code & bit != 0 {
                add(&mut value, &v[code & !bit]);
            }
        }
        lost |= normalise(&mut value);
        v[code] = value;
    }
    lost
}

/// At most four codes.
#[inline(always)]
fn finish_few<const D: usize>(shape: Shape, values: &mut [[u64; D]], smallest: usize, sums: &mut BlockSums<D>) -> u64 {
    let mut lost = 0;
    for code in 0..1usize << shape.q {
        let members = code.count_ones();
        if members > shape.cap {
            values[code] = [0; D];
            continue;
        }
        let mut value = values[code];
        for bit in [1, 2] {
            if code & bit != 0 {
                add(&mut value, &values[code & !bit]);
            }
        }
        lost |= normalise(&mut value);
        values[code] = value;
        sums.add(smallest + members as usize, &value);
    }
    lost
}
