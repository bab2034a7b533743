//! A population of random ideals that grows from the lower frontier to the upper one, and what it estimates.
//!
//! Growing, an element is added with a chance p that follows from the [`Formula`] for the next size, and the weight of
//! the ideal is multiplied by 1 / p: then the mean of the weights times the ways to complete the ideals is the number
//! of linear extensions, whatever the chances are, as long as none is 0. The population begins with a systematic sample
//! of the lower frontier, in which an ideal with e linear extensions is met with a chance proportional to e times the
//! guess of its completions. Should weights come to differ from what formulas promise, the population is resampled in
//! the same way. Neither changes the mean (Doucet and Johansen, "A tutorial on particle filtering and smoothing",
//! 2009).

use super::elementary::exp;
use super::formula::Formula;
use super::frontier::Frontier;
use super::rest::{Elements, Rest};
use super::scaled::Scaled;
use crate::ideal::Ideal;
use crate::random::Random;
use crate::watch::{Stopped, Watch};

/// Steps between two looks at the weights.
const BETWEEN_LOOKS: usize = 8;

/// The population is resampled when it is worth no more than this share of equal weights (by the sum of their squares).
const LEAST_WORTH: f64 = 0.5;

/// A random ideal.
#[derive(Clone)]
struct Member {
    rest: Rest,
    weight: Scaled,
}

/// Where populations begin: the ideals of the lower frontier.
pub struct Start {
    ideals: Vec<Ideal<4>>,
    weights: Vec<Scaled>,
    worths: Vec<f64>,
}

impl Start {
    /// By the formula for their size.
    pub fn new(elements: &Elements, frontier: &Frontier, formula: &Formula) -> Self {
        let ideals: Vec<Ideal<4>> = frontier.lower().iter().map(|(ideal, _)| *ideal).collect();
        let weights: Vec<Scaled> = frontier.lower().iter().map(|(_, extensions)| extensions.into()).collect();
        let guesses = ideals.iter().map(|ideal| formula.log(elements, &Rest::of(elements, ideal)));
        let worths = worths(weights.iter().zip(guesses));
        Self { ideals, weights, worths }
    }

    /// The first population.
    fn draw(&self, elements: &Elements, size: usize, random: &mut Random) -> Vec<Member> {
        // The sum over the frontier, not the mean, is what the mean over the population estimates.
        let all = self.ideals.len() as f64;
        let member = |(place, factor): (usize, f64)| Member {
            rest: Rest::of(elements, &self.ideals[place]),
            weight: self.weights[place].times(factor * all),
        };
        systematic(&self.worths, size, random).into_iter().map(member).collect()
    }
}

/// Grows a population of so many, and returns its estimate of the number of linear extensions.
///
/// # Errors
/// [`Stopped`].
pub fn estimate(
    elements: &Elements,
    (start, frontier): (&Start, &Frontier),
    formulas: &[Formula],
    size: usize,
    random: &mut Random,
    watch: &Watch<'_>,
) -> Result<Scaled, Stopped> {
    let mut members = start.draw(elements, size, random);
    let mut sums = Vec::new();
    for (step, formula) in formulas[1..].iter().enumerate() {
        watch.check()?;
        for Member { rest, weight } in &mut members {
            formula.chances(elements, rest, &mut sums);
            let place = random.among(&sums);
            let before = place.checked_sub(1).map_or(0.0, |before| sums[before]);
            *weight = weight.times(sums[sums.len() - 1] / (sums[place] - before));
            rest.add(elements, place);
        }
        if step % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 {
            resample_if_unequal(elements, formula, &mut members, random);
        }
    }
    let completed: Vec<Scaled> = members
        .iter()
        .map(|member| member.weight.product(frontier.completions(member.rest.ideal(elements)).into()))
        .collect();
    Ok(Scaled::sum(completed.into_iter()).times(1.0 / size as f64))
}

/// Replaces the members by others if few of them count.
fn resample_if_unequal(elements: &Elements, formula: &Formula, members: &mut Vec<Member>, random: &mut Random) {
    let guesses = members.iter().map(|member| formula.log(elements, &member.rest));
    let worths = worths(members.iter().map(|member| &member.weight).zip(guesses));
    let sum: f64 = worths.iter().sum();
    let squares: f64 = worths.iter().map(|worth| worth * worth).sum();
    if sum * sum < LEAST_WORTH * members.len() as f64 * squares {
        let member = |(place, factor): (usize, f64)| {
            let Member { rest, weight } = &members[place];
            Member { rest: rest.clone(), weight: weight.times(factor) }
        };
        *members = systematic(&worths, members.len(), random).into_iter().map(member).collect();
    }
}

/// What weights times guesses of completions, given by their logarithms, are relative to the largest.
fn worths<'a>(members: impl Iterator<Item = (&'a Scaled, f64)>) -> Vec<f64> {
    let logs: Vec<f64> = members.map(|(weight, guess)| weight.ln() + guess).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.into_iter().map(|log| exp(log - largest)).collect()
}

/// Draws places with chances proportional to their worths (systematic sampling). With each comes the factor that the
/// weight there is multiplied by: one over the number of times that the place is expected, so that the mean of the
/// weights is what it was.
fn systematic(worths: &[f64], count: usize, random: &mut Random) -> Vec<(usize, f64)> {
    let sum: f64 = worths.iter().sum();
    let mean = sum / worths.len() as f64;
    let step = sum / count as f64;
    let first = random.unit();
    let mut passed = 0.0;
    let mut drawn = Vec::with_capacity(count);
    for (place, worth) in worths.iter().enumerate() {
        passed += worth;
        while drawn.len() < count && (drawn.len() as f64 + first) * step < passed {
            drawn.push((place, mean / worth));
        }
    }
    // Rounding may lead beyond the end.
    if let Some(&last) = drawn.last() {
        drawn.resize(count, last);
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_stands_for_what_it_was_drawn_from() {
        // By worths that have nothing to do with the weights: the mean is right all the same.
        let (weights, worths) = ([1.0, 2.0, 4.0, 8.0], [0.4, 0.1, 0.3, 0.2]);
        let mut random = Random::new(5);
        let mut mean = 0.0;
        for _ in 0..4000 {
            let drawn = systematic(&worths, 3, &mut random);
            assert_eq!(drawn.len(), 3);
            mean += drawn.iter().map(|&(place, factor)| weights[place] * factor).sum::<f64>() / 3.0 / 4000.0;
        }
        assert!((mean / 3.75 - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn worths_are_relative_to_the_largest() {
        let huge = Scaled::ONE.times(1e300);
        let found = worths([(&huge.product(huge), -5.0), (&huge.product(huge).times(0.5), -5.0)].into_iter());
        assert_eq!(found[0], 1.0);
        assert!((found[1] - 0.5).abs() < 1e-12);
    }
}
