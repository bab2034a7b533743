//! Learning what ideals are worth: the formula for each size is fitted to that of the next size, from the top
//! downwards.
//!
//! An ideal is completed in as many ways as those with one element more together. So random ideals are grown to the
//! upper frontier, where the numbers of ways are known, and taken back element by element: what the formula for the
//! larger size says of their successors, added up, is what the formula for their own size is fitted to by least squares.
//! Better formulas grow more typical ideals, so this is done several times. All of it is a function of the poset and the
//! frontiers alone: it has a seed of its own.

use super::elementary::ln;
use super::formula::{BASIS, Formula};
use super::frontier::Frontier;
use super::least_squares::LeastSquares;
use super::rest::{Elements, Rest};
use super::scaled::Scaled;
use crate::ideal::Element;
use crate::random::Random;
use crate::watch::{Stopped, Watch};

/// Random ideals that are learnt from.
const PUPILS: usize = 1024;

/// How often formulas are made anew.
const ROUNDS: usize = 3;

/// Any number will do.
const SEED: u64 = 0x5EED;

/// A formula for each size, from the lower frontier to the upper one.
///
/// # Errors
/// [`Stopped`].
pub fn learn(elements: &Elements, frontier: &Frontier, watch: &Watch<'_>) -> Result<Vec<Formula>, Stopped> {
    let sizes = frontier.last - frontier.first;
    let mut formulas = vec![Formula::of_trees(elements); sizes + 1];
    let mut random = Random::new(SEED);
    for _ in 0..ROUNDS {
        let mut pupils = Vec::with_capacity(PUPILS);
        for _ in 0..PUPILS {
            watch.check()?;
            pupils.push(Pupil::grow(elements, frontier, &formulas, &mut random));
        }
        let known = |pupil: &Pupil| Scaled::from(frontier.completions(pupil.rest.ideal(elements))).ln();
        let targets: Vec<f64> = pupils.iter().map(known).collect();
        formulas[sizes] = fit(elements, &pupils, &targets);
        let mut sums = Vec::new();
        for size in (0..sizes).rev() {
            watch.check()?;
            let above = &formulas[size + 1];
            let targets: Vec<f64> =
                pupils.iter_mut().map(|pupil| pupil.step_back(elements, above, &mut sums)).collect();
            formulas[size] = fit(elements, &pupils, &targets);
        }
    }
    Ok(formulas)
}

/// A random ideal that remembers how it has grown.
struct Pupil {
    rest: Rest,
    added: Vec<Element>,
}

impl Pupil {
    /// From an ideal of the lower frontier, one as likely as another, to the upper one.
    fn grow(elements: &Elements, frontier: &Frontier, formulas: &[Formula], random: &mut Random) -> Self {
        let lower = frontier.lower();
        let mut rest = Rest::of(elements, &lower[random.below(lower.len())].0);
        let mut sums = Vec::new();
        let mut added = Vec::with_capacity(formulas.len());
        for formula in &formulas[1..] {
            formula.chances(elements, &rest, &mut sums);
            added.push(rest.add(elements, random.among(&sums)));
        }
        Self { rest, added }
    }

    /// Gives the last element back, and says what the formula for the size before guesses of the ideal now: its
    /// logarithm.
    fn step_back(&mut self, elements: &Elements, formula: &Formula, sums: &mut Vec<f64>) -> f64 {
        let last = self.added.pop().expect("there are as many elements as sizes");
        self.rest.give_back(elements, last);
        formula.chances(elements, &self.rest, sums);
        formula.log(elements, &self.rest) + ln(sums[sums.len() - 1])
    }
}

/// The formula that comes nearest to what was guessed of the pupils as they are now.
fn fit(elements: &Elements, pupils: &[Pupil], targets: &[f64]) -> Formula {
    let basis: Vec<_> = elements.states.iter().map(|&(_, hook)| BASIS.map(|basis| basis(hook.max(1) as f64))).collect();
    let mut squares = LeastSquares::new(elements.groups * BASIS.len());
    for (pupil, &target) in pupils.iter().zip(targets) {
        let row = squares.row(target);
        for &state in pupil.rest.states(elements).iter().filter(|&&state| state > 0) {
            let state = usize::from(state);
            let group = elements.states[state].0;
            row[group * BASIS.len()..].iter_mut().zip(basis[state]).for_each(|(sum, value)| *sum += value);
        }
    }
    let (constant, parameters) = squares.solve();
    Formula::new(elements, constant, parameters.as_chunks().0)
}
