//! The number of ways to complete an ideal, guessed: a product over the elements outside of powers of their hooks.
//!
//! A poset in which the ideal below every element is a tree has n! / (product of the hooks h(x)) linear extensions,
//! h(x) being the number of elements at most x (Knuth, "The Art of Computer Programming" 3, 5.1.4, exercise 20, turned
//! upside down). Other posets have more or fewer. Of what an ideal leaves we take c * product of f_g(h(x)), g being the
//! group of the rank of x and f_g a function with a few parameters ([`BASIS`]), which [`super::learn`] fits for every
//! size of ideals.
//!
//! Guesses make estimates precise, but are not needed to make them right: any positive ones are.

use super::elementary::exp;
use super::rest::{Elements, Rest};

/// Functions of a hook that the logarithm of its factor is a combination of.
pub const BASIS: [fn(f64) -> f64; 4] =
    [|_| 1.0, |hook| f64::from(u8::from(hook == 1.0)), super::elementary::ln, |hook| hook];

/// Logarithms of a factor at most: where there was nothing to learn from, guesses may be wild.
const LARGEST_LOG: f64 = 30.0;

/// Guesses of one element relative to another, at most: a product of 255 factors must stay a number.
const LARGEST_CHANCE: f64 = 1e150;

/// Share of the chances that is given to all elements alike, so that none is ever left out however wild the guesses
/// are.
const EQUAL_SHARE: f64 = 1e-6;

/// Guesses for ideals of one size.
#[derive(Clone)]
pub struct Formula {
    /// The logarithm of c.
    constant: f64,
    /// The logarithm of the factor of an element, by its state; 0 for those in the ideal.
    logs: Vec<f64>,
    /// By the state of an element: by how much its factor changes when its hook is made smaller by one, or it is added.
    changes: Vec<f64>,
}

impl Formula {
    /// From the parameters: for every group those of the functions in [`BASIS`].
    pub fn new(elements: &Elements, constant: f64, parameters: &[[f64; BASIS.len()]]) -> Self {
        let log = |&(group, hook): &(usize, usize)| match hook {
            0 => 0.0,
            _ => parameters[group].iter().zip(BASIS).map(|(parameter, basis)| parameter * basis(hook as f64)).sum(),
        };
        let logs: Vec<f64> = elements.states.iter().map(log).collect();
        let change = |(state, &(_, hook)): (usize, &(usize, usize))| {
            let after = if hook > 1 { logs[state - 1] } else { 0.0 };
            exp((after - logs[state]).clamp(-LARGEST_LOG, LARGEST_LOG))
        };
        let changes = elements.states.iter().enumerate().map(change).collect();
        Self { constant, logs, changes }
    }

    /// The hook formula of trees, but for the constant.
    pub fn of_trees(elements: &Elements) -> Self {
        Self::new(elements, 0.0, &vec![[0.0, 0.0, -1.0, 0.0]; elements.groups])
    }

    /// The logarithm of the guess.
    pub fn log(&self, elements: &Elements, rest: &Rest) -> f64 {
        self.constant + rest.states(elements).iter().map(|&state| self.logs[usize::from(state)]).sum::<f64>()
    }

    /// Fills in the chance of every element that can be added: the guess after adding it, relative to the one before
    /// and constants aside, and a little more. Each is the sum of its own and those before.
    pub fn chances(&self, elements: &Elements, rest: &Rest, sums: &mut Vec<f64>) {
        sums.clear();
        let mut total = 0.0;
        for x in rest.addable() {
            let (own, above) = rest.touched(elements, x);
            let change = |state: u16| self.changes[usize::from(state)];
            let chance = above.fold(change(own), |product, state| product * change(state));
            let chance = chance.clamp(1.0 / LARGEST_CHANCE, LARGEST_CHANCE);
            total += chance;
            sums.push(chance);
        }
        let share = EQUAL_SHARE * total / sums.len() as f64;
        sums.iter_mut().fold(0.0, |sum, chance| {
            *chance += sum + share;
            *chance
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ideal::Ideal;

    #[test]
    fn chances_are_ratios_of_guesses() {
        let elements = Elements::new(&"boolean:4".parse().expect("a poset"));
        let parameters: Vec<_> = (0..elements.groups).map(|g| [0.1, -0.3, 0.2 * g as f64, -0.01]).collect();
        let formula = Formula::new(&elements, 7.0, &parameters);
        let rest = Rest::of(&elements, &Ideal::first(6));
        let mut sums = Vec::new();
        formula.chances(&elements, &rest, &mut sums);
        for (place, sum) in sums.iter().enumerate() {
            let mut after = rest.clone();
            after.add(&elements, place);
            let ratio = exp(formula.log(&elements, &after) - formula.log(&elements, &rest));
            let chance = sum - if place > 0 { sums[place - 1] } else { 0.0 };
            assert!((chance / ratio - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn trees_are_guessed_right_and_wild_guesses_are_positive() {
        // One chain beside nothing else: every hook is that of a tree.
        let elements = Elements::new(&"chain:9".parse().expect("a poset"));
        let rest = Rest::of(&elements, &Ideal::empty());
        let log = Formula::of_trees(&elements).log(&elements, &rest);
        let factorial: f64 = (1..=9).map(f64::from).product();
        assert!((exp(log) * factorial - 1.0).abs() < 1e-12);
        let elements = Elements::new(&"boolean:8".parse().expect("a poset"));
        for sign in [-1.0, 1.0] {
            let wild = Formula::new(&elements, 0.0, &vec![[0.0, 0.0, 0.0, sign * 1e6]; elements.groups]);
            let mut sums = Vec::new();
            wild.chances(&elements, &Rest::of(&elements, &Ideal::empty()), &mut sums);
            assert!(sums.is_sorted_by(|a, b| 0.0 < *a && a < b && b.is_normal()));
        }
    }
}
