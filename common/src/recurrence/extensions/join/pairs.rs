//! Middle ideals and their duals, as pairs of slots.

use crate::ideal::{Bits, Ideal, Labelled};
use crate::space::code::{Ranks, Shape, codes_of_size};
use crate::space::fibre::Facet;
use crate::space::index::BaseIndex;
use crate::space::layer::BaseLayer;
use crate::space::needed::Needed;
use crate::space::split::{Duality, Split, Uppers};
use crate::space::survey::Survey;
use crate::symmetry::{Canonical, GroupElement};

/// Bases a thread takes at a time.
const CHUNK: usize = 16;

/// The bases whose middle ideals are looked at: a layer, or some consecutive shards of one.
#[derive(Clone, Copy)]
pub struct Own<'a, const W: usize> {
    /// The bases.
    pub layer: &'a BaseLayer<W>,
    /// What is known of them.
    pub survey: &'a Survey,
    /// Slot in the table of the whole layer that the survey's places count from.
    pub first_slot: u64,
}

/// Pairs of slots, those with the same weight together.
#[derive(Default)]
pub struct Pairs {
    slots: Vec<(u64, u64)>,
    /// Ends of the pairs of a weight, and the weight.
    ends: Vec<(usize, Labelled)>,
}

impl Pairs {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.ends.clear();
    }

    pub(super) fn append(&mut self, other: Self) {
        let before = self.slots.len();
        self.slots.extend(other.slots);
        self.ends.extend(other.ends.into_iter().map(|(end, weight)| (before + end, weight)));
    }

    /// The pairs of each weight.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&[(u64, u64)], Labelled)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&(end, _)| end));
        starts.zip(&self.ends).map(|(start, &(end, weight))| (&self.slots[start..end], weight))
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Marks the first slots of all pairs.
    pub fn mark_own(&self, needed: &mut Needed) {
        self.slots.iter().for_each(|&(slot, _)| needed.mark(slot..slot + 1));
    }

    /// Marks the second slots of all pairs.
    pub fn mark_duals(&self, needed: &mut Needed) {
        self.slots.iter().for_each(|&(_, dual)| needed.mark(dual..dual + 1));
    }

    fn end_run(&mut self, weight: Labelled) {
        if self.ends.last().map_or(0, |&(end, _)| end) < self.slots.len() {
            self.ends.push((self.slots.len(), weight));
        }
    }
}

/// Some bases, by the number of the first.
pub(super) struct Chunk<'a, const W: usize> {
    first: usize,
    bases: &'a [Ideal<W>],
}

/// All bases in chunks.
pub(super) fn chunks<const W: usize>(own: Own<'_, W>) -> impl Iterator<Item = Chunk<'_, W>> {
    let mut first = 0;
    own.layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK)).map(move |bases| {
        first += bases.len();
        Chunk { first: first - bases.len(), bases }
    })
}

/// A thread that finds pairs.
pub(super) struct Pairing<'a, const W: usize> {
    split: &'a Split<W>,
    ranks: &'a Ranks,
    /// Of the layer of the duals.
    index: &'a BaseIndex<W>,
    top: usize,
    facets: Vec<Facet>,
    duals: Vec<Ideal<W>>,
    forms: Vec<Canonical<W>>,
    /// For each dual the slot of its ideal, and its upper part, labelled like the dual's base before that is made canonical.
    pending: Vec<(u64, u64)>,
}

impl<'a, const W: usize> Pairing<'a, W> {
    pub(super) fn new(split: &'a Split<W>, ranks: &'a Ranks, index: &'a BaseIndex<W>, top: usize) -> Self {
        let (facets, duals, forms, pending) = Default::default();
        Self { split, ranks, index, top, facets, duals, forms, pending }
    }

    /// Adds the pairs of some bases.
    pub(super) fn find(&mut self, own: Own<'_, W>, chunk: Chunk<'_, W>, pairs: &mut Pairs) {
        let duality = self.split.duality.as_ref().expect("only self-dual posets are joined");
        for (i, &base) in chunk.bases.iter().enumerate() {
            let number = chunk.first + i;
            let stabiliser = own.survey.stabilisers[number];
            let form = Canonical { ideal: base, by: GroupElement::IDENTITY, stabiliser };
            let orbit = self.split.symmetry.orbit_size(&form);
            let place = own.first_slot + own.survey.places[number];
            match duality {
                Duality::Plain(dual) => {
                    let members = (0..dual.len()).filter(|&x| !base.contains(usize::from(dual[x])));
                    let dual = members.fold(Ideal::<W>::empty(), |set, x| set.with(x));
                    pairs.slots.push((place, self.place(&self.split.symmetry.canonical(dual))));
                    // An ideal and its dual have the same stabiliser, hence orbits of the same size.
                    pairs.end_run(orbit);
                }
                Duality::Exchanging => {
                    let uppers = self.split.uppers.as_ref().expect("an exchanging split has upper elements");
                    let room = (self.top - own.layer.size) as u32;
                    let available = own.survey.available[number];
                    if available.count_ones() >= room || available.count_ones() >= uppers.least_forced {
                        self.list_duals(uppers, base, (available, room), place);
                        self.pair_duals(uppers, base, room, orbit, pairs);
                    }
                }
            }
        }
    }

    /// Lists the duals of the middle ideals over a base.
    fn list_duals(&mut self, uppers: &Uppers, base: Ideal<W>, (available, room): (u64, u32), place: u64) {
        self.pending.clear();
        self.duals.clear();
        self.forms.clear();
        uppers.facets(self.ranks, available, room, &mut self.facets);
        for facet in &self.facets {
            let mut free = [0; 64];
            free.iter_mut().zip(Bits(facet.free)).for_each(|(bit, i)| *bit = 1 << i);
            for code in codes_of_size(facet.shape.q, room - facet.fixed) {
                let upper = Bits(code).fold(facet.high | facet.forced, |upper, j| upper | free[j]);
                let (dual, upper) = self.split.dual(base.0[0], upper);
                self.pending.push((place + facet.offset + facet.shape.address(self.ranks, code), upper));
                let mut words = Ideal::<W>::empty();
                words.0[0] = dual;
                self.duals.push(words);
            }
        }
        self.split.symmetry.canonical_batch(&self.duals, &mut self.forms);
        for form in self.forms.iter().filter(|form| base <= form.ideal) {
            self.index.prefetch(&form.ideal);
        }
    }

    /// Adds the pairs that were listed: those with the same base count once, the others for themselves and for their duals.
    fn pair_duals(&mut self, uppers: &Uppers, base: Ideal<W>, room: u32, orbit: Labelled, pairs: &mut Pairs) {
        for (pass, weight) in [(std::cmp::Ordering::Equal, orbit), (std::cmp::Ordering::Less, orbit + orbit)] {
            for number in 0..self.forms.len() {
                let form = self.forms[number];
                if base.cmp(&form.ideal) == pass {
                    let (slot, upper) = self.pending[number];
                    let dual = self.place(&form) + self.slot_in_block(uppers, &form, upper, room);
                    pairs.slots.push((slot, dual));
                }
            }
            pairs.end_run(weight);
        }
    }

    fn place(&self, form: &Canonical<W>) -> u64 {
        self.index.get(&form.ideal).expect("the base of a dual is one of its layer")
    }

    /// The slot, within the block of the canonical base, of the ideal with the upper part that `form` still has to permute.
    fn slot_in_block(&mut self, uppers: &Uppers, form: &Canonical<W>, upper: u64, room: u32) -> u64 {
        let upper = uppers.action.apply(form.by, Ideal([upper])).0[0];
        let available = uppers.available(form.ideal.0[0]);
        let high = upper & !uppers.low;
        if high == 0 {
            let shape = Shape::new(self.ranks, available.count_ones(), room);
            let facet = Facet { high, forced: 0, free: available, fixed: 0, shape, offset: 0 };
            return shape.address(self.ranks, facet.code(upper));
        }
        uppers.facets(self.ranks, available, room, &mut self.facets);
        let facet = self.facets.iter().find(|facet| facet.high == high).expect("the upper part belongs to a facet");
        facet.offset + facet.shape.address(self.ranks, facet.code(upper))
    }
}
