//! The ideals of a poset within limits: published, enumerated or estimated, whichever is cheapest.

use std::cell::OnceCell;

use num_bigint::BigUint;

use super::amount::Amount;
use super::method::{by_duality, largest};
use crate::job::SizeLimits;
use crate::job::profile::{LayerSize, Profile};
use crate::known;
use crate::poset::{Family, Poset};
use crate::space::survey::Count;

/// The ideals of a poset, counted when that is asked for.
pub struct Space<'a> {
    poset: &'a Poset,
    limits: SizeLimits,
    /// Largest size that is visited without fibres.
    top: usize,
    plain: OnceCell<Profile>,
}

impl<'a> Space<'a> {
    /// The ideals of the poset within the limits.
    pub fn new(poset: &'a Poset, limits: SizeLimits) -> Self {
        let top = if by_duality(poset, limits) { poset.len().div_ceil(2) } else { largest(poset, limits) };
        Self { poset, limits, top, plain: OnceCell::new() }
    }

    /// The layers of the plain split up to the largest size that is visited.
    pub fn plain(&self) -> &Profile {
        self.plain.get_or_init(|| self.mirrored().unwrap_or_else(|| Profile::plain(self.poset, self.top)))
    }

    /// For a self-dual poset with a limit beyond the middle: the larger sizes as duality gives them, more exactly than by
    /// going on.
    fn mirrored(&self) -> Option<Profile> {
        let len = self.poset.len();
        let half = len.div_ceil(2);
        if self.poset.duality().is_none() || self.top <= half {
            return None;
        }
        let mut profile = Profile::plain(self.poset, half);
        let exact = profile.is_exact();
        for size in half + 1..=self.top {
            let dual = profile.layers[len - size];
            // What can be added to an ideal can be taken from its dual.
            profile.layers.push(LayerSize { edges: dual.additions, additions: dual.edges, ..dual });
            if exact {
                profile.counts.push(profile.counts[len - size]);
            }
        }
        Some(profile)
    }

    /// Orbits and labelled ideals of every size where they are published.
    fn published(&self) -> Option<(BigUint, BigUint)> {
        match *self.poset.spec().family() {
            Family::Boolean { points, max_size } if points == max_size => {
                Some((known::boolean_ideal_orbits(points)?, known::boolean_ideals(points)?))
            }
            _ => None,
        }
    }

    /// Orbits of ideals of every size, about. Only where duality gives what is not visited.
    pub fn all_orbits(&self) -> f64 {
        match self.published() {
            Some((orbits, _)) => Amount::Exact(orbits).to_f64(),
            None => self.sum(0..=self.poset.len(), |layer| layer.bases),
        }
    }

    /// Orbits of ideals that an answer rests on, about, and the share of them that a run without fibres visits.
    pub fn needed(&self) -> (f64, f64) {
        if by_duality(self.poset, self.limits) {
            (self.all_orbits(), 0.5)
        } else {
            (self.plain().layers.iter().map(|layer| layer.bases).sum(), 1.0)
        }
    }

    /// Orbits and labelled ideals within the limits.
    pub fn ideals(&self) -> (Amount, Amount) {
        let largest = largest(self.poset, self.limits);
        if let Some((orbits, labelled)) =
            self.published().filter(|_| self.limits.min == 0 && largest == self.poset.len())
        {
            return (Amount::Exact(orbits), Amount::Exact(labelled));
        }
        let sizes = self.limits.min..=largest;
        if self.plain().is_exact() {
            let sum = |part: fn(&Count) -> BigUint| {
                sizes.clone().map(|size| part(&self.plain().counts[self.visited(size)])).sum::<BigUint>()
            };
            let labelled = sum(|count| BigUint::from_bytes_le(count.labelled.as_le_slice()));
            return (Amount::Exact(sum(|count| count.orbits.into())), Amount::Exact(labelled));
        }
        (
            Amount::About(self.sum(sizes.clone(), |layer| layer.bases)),
            Amount::About(self.sum(sizes, |layer| layer.labelled)),
        )
    }

    fn sum(&self, sizes: std::ops::RangeInclusive<usize>, part: fn(&LayerSize) -> f64) -> f64 {
        sizes.map(|size| part(&self.plain().layers[self.visited(size)])).sum()
    }

    /// The size that stands for a size: itself, or that of the dual ideals.
    fn visited(&self, size: usize) -> usize {
        if size <= self.top { size } else { self.poset.len() - size }
    }
}
