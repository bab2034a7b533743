//! Random ideals that grow by one element at a time, with weights: sequential importance sampling with resampling.
//!
//! An ideal with `k` elements is reached by a random sequence of additions, each uniform among the elements that can be
//! added. Let `a(I)` be the number of those and `r(I)` the number of maximal elements. With weights
//! `w' = w * a(I) / r(I')` for a step from `I` to `I'`, the mean of `w * f(I)` is the sum of `f` over all ideals with `k`
//! elements: the reasons `1 / r` of a walk backwards sum to 1 over the ways to reach an ideal. With `w' = w * a(I)` it is
//! the sum over all ways, that is of `f(I)` times the number of linear extensions of `I`. Resampling, as soon as few weights
//! dominate, keeps both true (Doucet and Johansen, "A tutorial on particle filtering and smoothing", 2009).

use crate::ideal::Ideal;
use crate::random::Random;
use crate::space::split::Split;

/// An ideal that grows.
#[derive(Clone, Copy)]
pub struct Particle<const W: usize> {
    /// The ideal.
    pub ideal: Ideal<W>,
    /// The elements that can be added.
    pub addable: Ideal<W>,
    /// Its maximal elements.
    pub maximal: Ideal<W>,
    /// How much it stands for, relative to the others.
    pub weight: f64,
}

/// Many ideals of the same size.
pub struct Particles<const W: usize> {
    members: Vec<Particle<W>>,
    spare: Vec<Particle<W>>,
    random: Random,
    /// Natural logarithm of what the weights have been divided by.
    log_scale: f64,
}

/// What the weights add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each ideal once.
    Ideals,
    /// Each ideal as often as it has linear extensions.
    Extensions,
}

impl<const W: usize> Particles<W> {
    /// `count` ideals drawn from some of equal size with chances proportional to the second number, which say what each
    /// stands for in all.
    pub fn draw(split: &Split<W>, ideals: &[(Ideal<W>, f64)], count: usize, seed: u64) -> Self {
        let members = ideals.iter().map(|&(ideal, weight)| {
            let set = |elements: &mut dyn Iterator<Item = usize>| elements.fold(Ideal::empty(), |set, x| set.with(x));
            let addable = set(&mut split.addable(ideal));
            let maximal = set(&mut split.removable(ideal));
            // The mean of the weights is an estimate, so each counts `count` times.
            Particle { ideal, addable, maximal, weight: weight * count as f64 }
        });
        let members = members.collect();
        let mut particles = Self { members, spare: Vec::new(), random: Random::new(seed), log_scale: 0.0 };
        particles.resample(count);
        particles
    }

    /// The ideals.
    pub fn members(&self) -> &[Particle<W>] {
        &self.members
    }

    /// Natural logarithm of the sum that the weights estimate.
    pub fn log_total(&self) -> f64 {
        let sum: f64 = self.members.iter().map(|particle| particle.weight).sum();
        self.log_scale + (sum / self.members.len() as f64).ln()
    }

    /// Lets every ideal grow by an element of `within`. There must be one.
    pub fn grow(&mut self, split: &Split<W>, within: &Ideal<W>, counting: Counting) {
        let (mut sum, mut squares) = (0.0, 0.0);
        for particle in &mut self.members {
            let choice = particle.addable.intersection(within);
            let ways = choice.len();
            let x = member(&choice, self.random.below(ways));
            particle.ideal.insert(x);
            particle.addable.remove(x);
            for y in split.upper_covers[x].iter() {
                if split.lower_covers[y].is_subset(&particle.ideal) {
                    particle.addable.insert(y);
                }
            }
            particle.maximal = particle.maximal.difference(&split.lower_covers[x]).with(x);
            particle.weight *= match counting {
                Counting::Ideals => ways as f64 / particle.maximal.len() as f64,
                Counting::Extensions => ways as f64,
            };
            sum += particle.weight;
            squares += particle.weight * particle.weight;
        }
        let count = self.members.len();
        if sum * sum < 0.5 * count as f64 * squares {
            self.resample(count);
        }
    }

    /// Draws `count` particles with chances proportional to the weights, and makes these equal (systematic resampling). The
    /// new weights are 1, and the scale takes the mean.
    fn resample(&mut self, count: usize) {
        let sum: f64 = self.members.iter().map(|particle| particle.weight).sum();
        let step = sum / count as f64;
        self.log_scale += step.ln();
        let mut next = self.random.unit() * step;
        let mut passed = 0.0;
        self.spare.clear();
        for particle in &self.members {
            passed += particle.weight;
            while next < passed && self.spare.len() < count {
                self.spare.push(Particle { weight: 1.0, ..*particle });
                next += step;
            }
        }
        // Rounding may lose the last one.
        while let Some(&last) = self.members.last().filter(|_| self.spare.len() < count) {
            self.spare.push(Particle { weight: 1.0, ..last });
        }
        std::mem::swap(&mut self.members, &mut self.spare);
    }
}

/// The member of a set that has `index` smaller ones.
#[inline]
fn member<const W: usize>(set: &Ideal<W>, mut index: usize) -> usize {
    for (w, &word) in set.0.iter().enumerate() {
        let here = word.count_ones() as usize;
        if index < here {
            let rest = (0..index).fold(word, |word, _| word & (word - 1));
            return 64 * w + rest.trailing_zeros() as usize;
        }
        index -= here;
    }
    unreachable!("the set has fewer members than {index}")
}
