//! The next base layer: every canonical base with one more element, found once.
//!
//! A base C is taken from one parent only, the form of C without its last element (canonical augmentation, McKay,
//! "Isomorph-free exhaustive generation", J. Algorithms 26, 1998). So nothing is looked up during enumeration, and only
//! bases with a non-trivial stabiliser can turn up more than once; those repetitions are sorted out.

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::layer::BaseLayer;
use super::split::Split;
use crate::ideal::{Element, Ideal};
use crate::parallel::crew;
use crate::symmetry::{Action, Canonical};
use crate::watch::{Stopped, Watch};

/// Bases a thread takes at a time.
const CHUNK: usize = 1024;
/// Bases of a piece of a layer, before that is cut into shards.
const PIECE: usize = 1 << 17;

/// The layer above, and the number of edges that led to it (pairs of a canonical base and an element added).
///
/// # Errors
/// [`Stopped`] on request.
pub fn next_layer<const W: usize>(
    split: &Split<W>,
    layer: &BaseLayer<W>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<(BaseLayer<W>, u64), Stopped> {
    #[derive(Default)]
    struct Found<const W: usize> {
        candidates: Vec<Ideal<W>>,
        edges: u64,
        larger: Vec<Ideal<W>>,
        added: Vec<u8>,
        forms: Vec<Canonical<W>>,
    }
    let chunks = layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK));
    let found = crew(threads, chunks, Found::<W>::default, |found, bases| {
        if watch.is_stopped() {
            return;
        }
        found.larger.clear();
        found.added.clear();
        found.forms.clear();
        for &base in bases {
            for x in split.addable(base) {
                found.larger.push(base.with(x));
                found.added.push(x as u8);
            }
        }
        found.edges += found.larger.len() as u64;
        watch.advance(found.larger.len() as u64);
        split.symmetry.canonical_batch(&found.larger, &mut found.forms);
        for (form, &x) in found.forms.iter().zip(&found.added) {
            if is_from_parent(
                split.symmetry.action().map(|action| &**action),
                &split.lower_covers,
                form,
                usize::from(x),
            ) {
                found.candidates.push(form.ideal);
            }
        }
    });
    watch.check()?;
    let edges = found.iter().map(|found| found.edges).sum();
    let candidates: Vec<Vec<Ideal<W>>> = found.into_iter().map(|found| found.candidates).collect();
    Ok((BaseLayer { size: layer.size + 1, shards: sorted(candidates, threads) }, edges))
}

/// Whether the parent of the form may be the base that `x` was added to. For a trivial stabiliser exactly one (parent,
/// element) passes; otherwise those pass that might be equivalent to it, at least one among them.
#[inline(always)]
fn is_from_parent<const W: usize>(
    action: Option<&Action>,
    lower_covers: &[Ideal<W>],
    form: &Canonical<W>,
    x: Element,
) -> bool {
    let last = form.ideal.last();
    match action {
        _ if form.stabiliser == 0 => true,
        None => x == last,
        Some(action) => {
            let image = usize::from(action.preimages(action.inverse(form.by))[x]);
            // Equivalent elements have equally many lower covers; that is enough to keep repetitions few.
            image == last || form.stabiliser > 1 && lower_covers[image].len() == lower_covers[last].len()
        }
    }
}

/// Sorts candidates and drops repetitions; returns the ascending layer in pieces. Large layers are most of the memory of a
/// job, so what was taken of the candidates is given back at once: there is never more than one copy, and a piece.
fn sorted<const W: usize>(mut candidates: Vec<Vec<Ideal<W>>>, threads: usize) -> Vec<Vec<Ideal<W>>> {
    crew(
        threads,
        candidates.iter_mut(),
        || (),
        |(), part| {
            part.sort_unstable();
            part.dedup();
        },
    );
    // From the largest down, for only the end of a vector can be given back.
    let mut largest: BinaryHeap<(Ideal<W>, usize)> =
        candidates.iter_mut().enumerate().filter_map(|(number, part)| part.pop().map(|base| (base, number))).collect();
    let mut pieces = Vec::new();
    let mut piece: Vec<Ideal<W>> = Vec::new();
    while let Some(mut top) = largest.peek_mut() {
        let (base, number) = *top;
        match candidates[number].pop() {
            Some(next) => top.0 = next,
            None => drop(PeekMut::pop(top)),
        }
        if piece.last() == Some(&base) {
            continue;
        }
        if piece.len() == PIECE {
            piece.reverse();
            pieces.push(std::mem::take(&mut piece));
            candidates.iter_mut().for_each(Vec::shrink_to_fit);
        }
        piece.push(base);
    }
    piece.reverse();
    pieces.push(piece);
    pieces.reverse();
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poset::Poset;
    use crate::symmetry::Isa;
    use crate::watch::Interrupt;

    fn sizes<const W: usize>(spec: &str, threads: usize) -> Vec<usize> {
        let poset: Poset = spec.parse().expect("a poset");
        let split = Split::<W>::plain(&poset, Isa::detect());
        let mut layer = BaseLayer::empty_base();
        let mut sizes = vec![1];
        while layer.size < poset.len() {
            layer = next_layer(&split, &layer, threads, &Watch::new(&Interrupt::new())).expect("not stopped").0;
            sizes.push(layer.len());
        }
        sizes
    }

    #[test]
    fn layers_of_boolean_lattices_are_the_published_ones() {
        let known = crate::known::boolean_orbits_by_size(6).expect("published");
        let found = sizes::<1>("boolean:6", 2);
        for (size, &count) in found.iter().enumerate() {
            assert_eq!(count as u64, known[size.min(64 - size)], "size {size}");
        }
    }

    #[test]
    fn layers_do_not_depend_on_threads() {
        assert_eq!(sizes::<1>("chains:3x3x3x2", 1), sizes::<1>("chains:3x3x3x2", 3));
        assert_eq!(sizes::<4>("antichain:130", 1), vec![1; 131]);
    }

    #[test]
    fn orbits_agree_with_the_definition() {
        for spec in
            ["boolean:4", "boolean:4:2", "chains:3x3x2", "chains:2x2x4", "divisors:360", "chain:7", "antichain:5"]
        {
            let poset: Poset = spec.parse().expect("a poset");
            let expected = crate::oracle::orbits(&poset).len();
            assert_eq!(sizes::<1>(spec, 1).iter().sum::<usize>(), expected, "{spec}");
        }
    }
}
