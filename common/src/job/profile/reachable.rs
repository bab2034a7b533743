//! How many positions can be reached from one: the ideals within it.

use super::PARTICLES;
use super::particles::{Counting, Particles};
use crate::ideal::Ideal;
use crate::poset::Poset;
use crate::space::split::Split;
use crate::symmetry::Isa;

/// One in so many random ideals is looked at closely.
const STRIDE: usize = 64;

/// Estimates of the number of ideals within one, those of the empty ideal and of itself included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reachable {
    /// All of them.
    pub labelled: f64,
    /// Up to the group of the poset, at least: as if all images of each were within.
    pub classes_least: f64,
    /// Up to the group of the poset, at most: up to those of its elements that map the ideal to itself.
    pub classes_most: f64,
}

/// Estimates how many ideals are within `ideal`. Of symmetric ones the two numbers of classes agree.
///
/// # Panics
/// If `W` words are too few for the poset.
pub fn reachable<const W: usize>(poset: &Poset, ideal: Ideal<W>) -> Reachable {
    let split = Split::<W>::plain(poset, Isa::detect());
    // Of an antichain's group no order is told; there is one class for each size.
    let Some(order) = split.symmetry.group_order() else {
        let classes = ideal.len() as f64 + 1.0;
        return Reachable { labelled: (ideal.len() as f64).exp2(), classes_least: classes, classes_most: classes };
    };
    let order = order as f64;
    let form = split.symmetry.canonical(ideal);
    let fixing: Vec<_> = split.symmetry.stabiliser(form.ideal);
    let within = form.ideal;
    let mut particles = Particles::draw(&split, &[(Ideal::empty(), 1.0)], PARTICLES, 0);
    let mut total = Reachable { labelled: 1.0, classes_least: 1.0, classes_most: 1.0 };
    let mut forms = Vec::new();
    for size in 1..=ideal.len() {
        particles.grow(&split, &within, Counting::Ideals);
        let labelled = particles.log_total().exp();
        let seen: Vec<_> = particles.members().iter().skip(size % STRIDE).step_by(STRIDE).collect();
        forms.clear();
        split.symmetry.canonical_batch(&seen.iter().map(|particle| particle.ideal).collect::<Vec<_>>(), &mut forms);
        let weights: f64 = seen.iter().map(|particle| particle.weight).sum();
        let (mut least, mut most) = (0.0, 0.0);
        for (particle, form) in seen.iter().zip(&forms) {
            least += particle.weight * f64::from(form.stabiliser) / order;
            let fixed = fixing.iter().filter(|&&g| split.symmetry.image(g, particle.ideal) == particle.ideal).count();
            most += particle.weight * fixed as f64 / fixing.len() as f64;
        }
        total.labelled += labelled;
        // There is at least one class of every size.
        total.classes_least += (labelled * least / weights).max(1.0);
        total.classes_most += (labelled * most / weights).max(1.0);
    }
    total
}
