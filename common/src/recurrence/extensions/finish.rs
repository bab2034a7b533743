//! Finishing a facet: the part of the recurrence that stays in the block.
//!
//! A value adds those of the codes with one member less. Codes are taken in groups of eight that share their high bits:
//! what high bits contribute is added eight values at a time, the three low bits are done within the group.

use super::sums::BlockSums;
use crate::ideal::Bits;
use crate::recurrence::limbs::{add, normalise};
use crate::space::code::{GROUP, GROUP_BITS, Ranks, Shape, for_each_code};

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
    let mut lost = 0;
    let groups = shape.q - GROUP_BITS;
    let mut group = |high: u64| {
        let members = high.count_ones();
        let start = if shape.compact { shape.address(ranks, high << GROUP_BITS) } else { high << GROUP_BITS } as usize;
        if members > shape.cap {
            values[start..start + GROUP].fill([0; D]);
            return;
        }
        let mut v = [[0; D]; GROUP];
        v.copy_from_slice(&values[start..start + GROUP]);
        for bit in Bits(high) {
            let code = (high & !(1 << bit)) << GROUP_BITS;
            let from = if shape.compact { shape.address(ranks, code) } else { code } as usize;
            let smaller = &values[from..from + GROUP];
            for i in 0..GROUP {
                add(&mut v[i], &smaller[i]);
            }
        }
        lost |= within_group(&mut v, shape.cap - members);
        sums.add_group(smallest + members as usize, &v);
        values[start..start + GROUP].copy_from_slice(&v);
    };
    if shape.compact {
        for_each_code(groups, shape.cap, group);
    } else {
        (0..1u64 << groups).for_each(&mut group);
    }
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
