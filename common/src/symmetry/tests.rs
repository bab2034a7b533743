use std::collections::BTreeMap;

use proptest::prelude::*;

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

fn check<const W: usize>(spec: &str, elements: &[usize]) {
    let poset: Poset = spec.parse().expect("a poset");
    let ideal = generated::<W>(&poset, elements);
    let orbit = orbit(&poset, ideal);
    let mut seen = None;
    for isa in Isa::all() {
        let symmetry = Canonicaliser::<W>::new(&poset, isa);
        for &image in orbit.keys().take(50) {
            let mut forms = Vec::new();
            symmetry.canonical_batch(&[image], &mut forms);
            let form = forms[0];
            assert_eq!(form, symmetry.canonical(image), "the batch and the single path agree on {spec}");
            assert_eq!(*seen.get_or_insert(form.ideal), form.ideal, "one form an orbit of {spec}");
            assert!(orbit.contains_key(&form.ideal));
            assert_eq!(symmetry.orbit_size(&form), Labelled::from(orbit.len()));
            let action = action_of(&poset);
            assert_eq!(action.apply(form.by, image), form.ideal, "`by` maps the ideal to its form");
            let stabiliser = symmetry.stabiliser(form.ideal);
            assert_eq!(stabiliser.len(), usize::from(form.stabiliser));
            assert!(stabiliser.iter().all(|&g| action.apply(g, form.ideal) == form.ideal));
            assert_eq!(stabiliser[0], GroupElement::IDENTITY);
        }
    }
}

fn action_of(poset: &Poset) -> Action {
    let AutomorphismGroup::Factors(group) = poset.group() else { panic!("a group of point permutations") };
    let number: Vec<u8> = (0..poset.len()).map(|x| x as u8).collect();
    Action::new(group, 0..poset.len(), &number, poset.words())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn forms_of_one_word(elements in prop::collection::vec(0usize..64, 0..8)) {
        for spec in ["boolean:3", "boolean:4", "boolean:5", "boolean:6", "boolean:7:3", "chains:3x3x3", "chains:2x2x4x2", "chains:3x2x3x2"] {
            check::<1>(spec, &elements);
        }
    }

    #[test]
    fn forms_of_two_words(elements in prop::collection::vec(0usize..128, 0..12)) {
        for spec in ["boolean:7", "boolean:7:4", "chains:3x3x3x3"] {
            check::<2>(spec, &elements);
        }
    }

    #[test]
    fn forms_of_four_words(elements in prop::collection::vec(0usize..256, 0..12)) {
        check::<4>("boolean:8", &elements);
    }
}

#[test]
fn an_antichain_has_one_form_for_each_size() {
    let poset: Poset = "antichain:200".parse().expect("a poset");
    let symmetry = Canonicaliser::<4>::new(&poset, Isa::detect());
    let form = symmetry.canonical(Ideal::empty().with(3).with(199));
    assert_eq!(form.ideal, Ideal::first(2));
    assert_eq!(symmetry.orbit_size(&form), Labelled::from(200 * 199 / 2));
}
