//! Values of positions searched for, whatever the question.

use num_bigint::BigUint;

use crate::game::{ReducingSolver, Solver};
use crate::ideal::Ideal;
use crate::job::Question;
use crate::poset::Poset;
use crate::recurrence::grundy::Grundy;
use crate::recurrence::outcome::Outcome;
use crate::recurrence::remoteness::Remoteness;

/// Finds the value of an ideal, remembering so many positions at most.
pub(in crate::job) type Search<const W: usize> = Box<dyn FnMut(Ideal<W>, usize) -> Option<BigUint>>;

fn boxed<const W: usize>(mut value: impl FnMut(Ideal<W>, usize) -> Option<u8> + 'static) -> Search<W> {
    Box::new(move |ideal, most| value(ideal, most).map(BigUint::from))
}

/// A search that uses the theorems where they hold, if the question is about the game.
pub(super) fn search<const W: usize>(question: Question, poset: &Poset) -> Option<Search<W>> {
    match question {
        Question::Outcome => {
            let mut solver = ReducingSolver::<W, Outcome>::new(poset);
            Some(boxed(move |ideal, most| solver.value(ideal, most).ok()))
        }
        Question::Grundy => {
            let mut solver = ReducingSolver::<W, Grundy<1>>::new(poset);
            Some(boxed(move |ideal, most| solver.value(ideal, most).ok()))
        }
        _ => plain_search(question, poset),
    }
}

/// A search by the definition alone, if the question is about the game.
pub(in crate::job) fn plain_search<const W: usize>(question: Question, poset: &Poset) -> Option<Search<W>> {
    match question {
        Question::Extensions | Question::Ideals | Question::Ruler | Question::Estimate => None,
        Question::Outcome => {
            let mut solver = Solver::<W, Outcome>::new(poset);
            Some(boxed(move |ideal, most| solver.value(ideal, most).ok()))
        }
        Question::Grundy => {
            let mut solver = Solver::<W, Grundy<1>>::new(poset);
            Some(boxed(move |ideal, most| solver.value(ideal, most).ok()))
        }
        Question::Remoteness => {
            let mut solver = Solver::<W, Remoteness>::new(poset);
            Some(boxed(move |ideal, most| solver.value(ideal, most).ok()))
        }
    }
}
