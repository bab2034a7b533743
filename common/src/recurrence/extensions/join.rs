//! Joining two halves of a self-dual poset.
//!
//! A linear extension of P passes exactly one ideal I of each size, so e(P) = sum over the ideals I with `top` elements of
//! e(I) * e(dual of I), where the dual has the other half of the elements. In orbits: orbit(B) times the sum over the
//! upper parts U with |B| + |U| = top. In a split that exchanges Q and P \ Q the dual of (B, U) has a base of the same
//! size, and exchanging an ideal with its dual is a bijection, so only those whose canonical base is not the larger one
//! are looked up.

use num_bigint::BigUint;

use super::evaluate::Evaluated;
use crate::ideal::{Bits, Ideal, Labelled};
use crate::parallel::crew;
use crate::prefetch::prefetch;
use crate::recurrence::limbs::{LIMB_BITS, LIMB_MASK, to_biguint, value};
use crate::space::code::{Ranks, Shape, codes_of_size};
use crate::space::fibre::Facet;
use crate::space::split::{Duality, Split, Uppers};
use crate::symmetry::{Canonical, GroupElement};
use crate::watch::{Stopped, Watch};

/// Bases a thread takes at a time.
const CHUNK: usize = 16;
/// Products added up in lanes before a carry: each lane gets at most 64 products of 114 bits.
const MOST_PRODUCTS: usize = 128;

/// The part of e(P) that passes through an evaluated layer; `below` is the layer below it.
///
/// # Errors
/// [`Stopped`] on request.
///
/// # Panics
/// If the split has no duality.
pub fn join_layer<const W: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    evaluated: &Evaluated<W>,
    below: Option<&Evaluated<W>>,
    top: usize,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<BigUint, Stopped> {
    let sum = match split.duality.as_ref().expect("only self-dual posets are joined") {
        Duality::Plain(dual) if evaluated.layer.size == top => join_plain(split, dual, evaluated, below, threads),
        Duality::Plain(_) => BigUint::ZERO,
        Duality::Exchanging => match evaluated.width {
            1 => join_exchanging::<W, 1>(split, ranks, evaluated, top, threads, watch),
            2 => join_exchanging::<W, 2>(split, ranks, evaluated, top, threads, watch),
            4 => join_exchanging::<W, 4>(split, ranks, evaluated, top, threads, watch),
            8 => join_exchanging::<W, 8>(split, ranks, evaluated, top, threads, watch),
            _ => panic!("half of a poset of 128 elements has values of at most eight limbs"),
        },
    };
    watch.check()?;
    Ok(sum)
}

/// Q = P: the dual of an ideal of the layer lies in the same layer or, when the number of elements is odd, in the one
/// below.
fn join_plain<const W: usize>(
    split: &Split<W>,
    dual: &[u16],
    evaluated: &Evaluated<W>,
    below: Option<&Evaluated<W>>,
    threads: usize,
) -> BigUint {
    let size = evaluated.layer.size;
    let other = if 2 * size == split.elements { evaluated } else { below.expect("a layer below the middle") };
    let width = evaluated.width;
    let bases: Vec<Ideal<W>> = evaluated.layer.iter().copied().collect();
    let chunks = bases.chunks(CHUNK).zip(evaluated.table.chunks(CHUNK * width));
    let start = || (BigUint::ZERO, Vec::new(), Vec::new());
    let sums = crew(threads, chunks, start, |(sum, duals, forms), (bases, values)| {
        duals.clear();
        forms.clear();
        duals.extend(bases.iter().map(|ideal| {
            let members = (0..dual.len()).filter(|&x| !ideal.contains(usize::from(dual[x])));
            members.fold(Ideal::<W>::empty(), |set, x| set.with(x))
        }));
        split.symmetry.canonical_batch(duals, forms);
        for (form, mine) in forms.iter().zip(values.chunks_exact(width)) {
            let place = other.index.get(&form.ideal).expect("the dual of an ideal is one of the other half") as usize;
            let theirs = &other.table[place * other.width..][..other.width];
            // An ideal and its dual have the same stabiliser, hence orbits of the same size.
            sum.clone_from(&(&*sum + value(mine) * value(theirs) * number(split.symmetry.orbit_size(form))));
        }
    });
    sums.into_iter().map(|(sum, ..)| sum).sum()
}

fn number(count: Labelled) -> BigUint {
    BigUint::from_bytes_le(&count.to_le_bytes::<40>())
}

/// A middle ideal waiting for the canonical form of its dual's base.
struct Pending {
    /// Slot of its value.
    slot: usize,
    /// Slot of its dual's value, when it is known.
    dual_slot: usize,
    /// The upper part of its dual, labelled like the dual's base before that is made canonical.
    upper: u64,
}

/// Sums of products of values, lane `k` collecting limbs `i + j = k`.
struct Products<const D: usize> {
    lanes: [[u128; D]; 2],
    waiting: usize,
    /// The total, weighted, in lanes with room for many more.
    total: Vec<u128>,
}

impl<const D: usize> Products<D> {
    fn new() -> Self {
        Self { lanes: [[0; D]; 2], waiting: 0, total: vec![0; 2 * D + 1] }
    }

    #[inline(always)]
    fn add(&mut self, a: &[u64; D], b: &[u64; D], weight: u64) {
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                let k = i + j;
                self.lanes[k / D][k % D] += u128::from(a) * u128::from(b);
            }
        }
        self.waiting += 1;
        if self.waiting == MOST_PRODUCTS {
            self.flush(weight);
        }
    }

    /// Carries and adds to the total; `weight` (below 2^32) is that of all products since the last time.
    fn flush(&mut self, weight: u64) {
        let mut carry = 0;
        for k in 0..=2 * D {
            let lane = if k < 2 * D { self.lanes[k / D][k % D] } else { 0 } + carry;
            self.total[k] += u128::from(lane as u64 & LIMB_MASK) * u128::from(weight);
            carry = lane >> LIMB_BITS;
        }
        self.lanes = [[0; D]; 2];
        self.waiting = 0;
    }
}

fn join_exchanging<const W: usize, const D: usize>(
    split: &Split<W>,
    ranks: &Ranks,
    evaluated: &Evaluated<W>,
    top: usize,
    threads: usize,
    watch: &Watch<'_>,
) -> BigUint {
    let uppers = split.uppers.as_ref().expect("an exchanging split has upper elements");
    let room = (top - evaluated.layer.size) as u32;
    let (table, _) = evaluated.table.as_chunks::<D>();
    let survey = &evaluated.survey;
    let mut chunks = Vec::new();
    let mut first = 0;
    for shard in &evaluated.layer.shards {
        for bases in shard.chunks(CHUNK) {
            chunks.push((first, bases));
            first += bases.len();
        }
    }
    let start = || (Products::<D>::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let parts =
        crew(threads, chunks.into_iter(), start, |(products, facets, pending, duals, forms), (first, bases)| {
            for (number, base) in bases.iter().enumerate() {
                if watch.is_stopped() {
                    return;
                }
                let available = survey.available[first + number];
                if available.count_ones() < room && available.count_ones() < uppers.least_forced {
                    continue;
                }
                uppers.facets(ranks, available, room, facets);
                pending.clear();
                duals.clear();
                forms.clear();
                for facet in &*facets {
                    let mut free = [0; 64];
                    free.iter_mut().zip(Bits(facet.free)).for_each(|(bit, i)| *bit = 1 << i);
                    for code in codes_of_size(facet.shape.q, room - facet.fixed) {
                        let upper = Bits(code).fold(facet.high | facet.forced, |upper, j| upper | free[j]);
                        let (dual, upper) = split.dual(base.0[0], upper);
                        let slot = survey.places[first + number] + facet.offset + facet.shape.address(ranks, code);
                        pending.push(Pending { slot: slot as usize, dual_slot: 0, upper });
                        let mut words = Ideal::<W>::empty();
                        words.0[0] = dual;
                        duals.push(words);
                    }
                }
                split.symmetry.canonical_batch(duals, forms);
                let own = Canonical {
                    ideal: *base,
                    by: GroupElement::IDENTITY,
                    stabiliser: survey.stabilisers[first + number],
                };
                let orbit = split.symmetry.orbit_size(&own).to::<u64>();
                for form in forms.iter().filter(|form| *base <= form.ideal) {
                    evaluated.index.prefetch(&form.ideal);
                }
                for (pending, form) in pending.iter_mut().zip(&*forms).filter(|(_, form)| *base <= form.ideal) {
                    let place = evaluated.index.get(&form.ideal).expect("the dual's base is in the layer") as usize;
                    pending.dual_slot = place + slot_in_block(uppers, ranks, form, pending.upper, room, facets);
                    prefetch(table, pending.dual_slot);
                }
                // Those with the same base count once, the others for themselves and for their duals.
                for (pass, weight) in [(std::cmp::Ordering::Equal, orbit), (std::cmp::Ordering::Less, 2 * orbit)] {
                    for (pending, _) in pending.iter().zip(&*forms).filter(|(_, form)| base.cmp(&form.ideal) == pass) {
                        products.add(&table[pending.slot], &table[pending.dual_slot], weight);
                    }
                    products.flush(weight);
                }
            }
        });
    parts.into_iter().map(|(products, ..)| to_biguint(products.total.into_iter())).sum()
}

/// The slot, within the block of the canonical base, of the ideal with the upper part that `form` still has to permute.
fn slot_in_block<const W: usize>(
    uppers: &Uppers,
    ranks: &Ranks,
    form: &Canonical<W>,
    upper: u64,
    room: u32,
    facets: &mut Vec<Facet>,
) -> usize {
    let upper = uppers.action.apply(form.by, Ideal([upper])).0[0];
    let available = uppers.available(form.ideal.0[0]);
    let high = upper & !uppers.low;
    if high == 0 {
        let shape = Shape::new(ranks, available.count_ones(), room);
        let facet = Facet { high, forced: 0, free: available, fixed: 0, shape, offset: 0 };
        return shape.address(ranks, facet.code(upper)) as usize;
    }
    uppers.facets(ranks, available, room, facets);
    let facet = facets.iter().find(|facet| facet.high == high).expect("the upper part belongs to a facet");
    (facet.offset + facet.shape.address(ranks, facet.code(upper))) as usize
}
