use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::poset::AutomorphismGroup;

/// The ideal that a set of elements generates.
fn generated<const W: usize>(poset: &Poset, elements: &[usize]) -> Ideal<W> {
    elements.iter().fold(Ideal::empty(), |ideal, &x| ideal.union(&poset.principal_ideal(x % poset.len())))
}

/// The orbit by the definition: every permutation of the points applied through the poset's own action.
fn orbit<const W: usize>(poset: &Poset, ideal: Ideal<W>) -> BTreeMap<Ideal<W>, usize> {
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
    let mut orbit = BTreeMap::new();
    for permutation in group.elements() {
        let images = group.act(&permutation);
        let image = ideal.iter().fold(Ideal::empty(), |image: Ideal<W>, x| image.with(usize::from(images[x])));
        *orbit.entry(image).or_default() += 1;
    }
    orbit
}

/// Draws ideals and compares every path with the definition.
fn check<const W: usize>(spec: &str, cases: u32) {
    let poset: Poset = spec.parse().expect("a poset");
    let symmetries: Vec<_> = Isa::all().into_iter().map(|isa| Canonicaliser::<W>::new(&poset, isa)).collect();
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
    let number: Vec<u8> = (0..poset.len()).map(|x| x as u8).collect();
    let action = Action::new(group, 0..poset.len(), &number, poset.words());
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let generators = prop::collection::vec(0usize..256, 0..12);
    let outcome = runner.run(&generators, |elements| {
        let ideal = generated::<W>(&poset, &elements);
        let orbit = orbit(&poset, ideal);
        let images: Vec<_> = orbit.keys().copied().take(21).collect();
        let mut first = None;
        for symmetry in &symmetries {
            let mut forms = Vec::new();
            symmetry.canonical_batch(&images, &mut forms);
            for (&image, &form) in images.iter().zip(&forms) {
                prop_assert_eq!(form, symmetry.canonical(image), "the batch and the single path agree");
                prop_assert_eq!(*first.get_or_insert(form.ideal), form.ideal, "one form for an orbit");
                prop_assert_eq!(action.apply(form.by, image), form.ideal, "`by` maps the ideal to its form");
            }
            let form = forms[0];
            prop_assert!(orbit.contains_key(&form.ideal));
            prop_assert_eq!(symmetry.orbit_size(&form), Labelled::from(orbit.len()));
            let stabiliser = symmetry.stabiliser(form.ideal);
            prop_assert_eq!(stabiliser.len(), usize::from(form.stabiliser));
            prop_assert!(stabiliser.iter().all(|&g| action.apply(g, form.ideal) == form.ideal));
            prop_assert_eq!(stabiliser[0], GroupElement::IDENTITY);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{spec}: {error}"));
}

#[test]
fn forms_of_one_word() {
    for spec in ["boolean:3", "boolean:4", "boolean:5", "boolean:6", "chains:3x3x3", "chains:2x2x4x2", "chains:3x2x3x2"]
    {
        check::<1>(spec, 100);
    }
    check::<1>("boolean:7:3", 12);
}

#[test]
fn forms_of_two_words() {
    check::<2>("boolean:7", 12);
    check::<2>("boolean:7:4", 12);
    check::<2>("chains:3x3x3x3", 100);
}

#[test]
fn forms_of_four_words() {
    check::<4>("boolean:8", 3);
}

#[test]
fn an_antichain_has_one_form_for_each_size() {
    let poset: Poset = "antichain:200".parse().expect("a poset");
    let symmetry = Canonicaliser::<4>::new(&poset, Isa::detect());
    let form = symmetry.canonical(Ideal::empty().with(3).with(199));
    assert_eq!(form.ideal, Ideal::first(2));
    assert_eq!(symmetry.orbit_size(&form), Labelled::from(200 * 199 / 2));
}
