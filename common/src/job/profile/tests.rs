//! Estimates against counts that are known, or found by enumeration.

use super::*;
use crate::known;

fn poset(spec: &str) -> Poset {
    spec.parse().expect("a poset")
}

fn assert_near(estimate: f64, truth: f64, tolerance: f64, what: &str) {
    let error = estimate / truth - 1.0;
    assert!(error.abs() <= tolerance, "{what}: {estimate:.4e} for {truth:.4e}, off by {:.1} %", 100.0 * error);
}

fn sum(profile: &Profile, part: fn(&LayerSize) -> f64) -> f64 {
    profile.layers.iter().map(part).sum()
}

#[test]
fn small_spaces_are_exact() {
    for spec in ["boolean:0", "boolean:4", "boolean:5:2", "chains:3x3x2", "chain:256", "antichain:7", "divisors:360"] {
        let poset = poset(spec);
        let profile = Profile::plain(&poset, poset.len());
        assert!(profile.is_exact() && profile.layers.len() == poset.len() + 1, "{spec}");
        // Every pair of neighbouring ideals is an edge of the lower and an addition of the upper one.
        if poset.group_order() == 1u8.into() {
            assert_eq!(sum(&profile, |layer| layer.edges), sum(&profile, |layer| layer.additions), "{spec}");
        }
        if poset.len() <= 20 {
            let expected = crate::oracle::counts_by_size(&poset);
            for (count, &(orbits, labelled)) in profile.counts.iter().zip(&expected) {
                assert_eq!(
                    (count.orbits, count.labelled),
                    (orbits as u64, labelled.try_into().expect("few")),
                    "{spec}"
                );
            }
        }
    }
    let profile = Profile::plain(&poset("boolean:6"), 32);
    let orbits: Vec<u64> = profile.counts.iter().map(|count| count.orbits).collect();
    assert_eq!(Some(&orbits[..]), known::boolean_orbits_by_size(6));
}

#[test]
fn ideals_of_boolean_7_by_size() {
    let profile = Profile::plain(&poset("boolean:7"), 64);
    assert!(!profile.is_exact());
    let known = known::boolean_orbits_by_size(7).expect("published");
    for (size, (layer, &orbits)) in profile.layers.iter().zip(known).enumerate() {
        let tolerance = if size < profile.counts.len() { 0.0 } else { 0.2 };
        assert_near(layer.bases, orbits as f64, tolerance, &format!("size {size}"));
    }
    assert_near(profile.layers[64].labelled, known::BOOLEAN_7_MIDDLE_LABELLED as f64, 0.2, "labelled");
    // The largest value is that of the 64 smallest sets, which has 223 digits.
    assert!((222.0..226.0).contains(&profile.value_bits), "{}", profile.value_bits);
}

#[test]
fn bases_and_fibres_of_boolean_7() {
    let split = Split::halves(&poset("boolean:7"), Isa::detect()).expect("self-dual");
    let profile = Profile::new(&split, 64);
    assert_near(sum(&profile, |layer| layer.bases), known::BOOLEAN_7_3_ORBITS as f64, 0.05, "bases");
    assert_near(sum(&profile, |layer| layer.edges), 251_389_136.0, 0.05, "edges");
    // Some slots have no state, so there are more than the 299,259,327 states.
    assert_near(sum(&profile, |layer| layer.slots), 299_259_327.0 * 1.16, 0.16, "slots");
    assert_near(sum(&profile, |layer| layer.additions), 4.6e9 * 1.1, 0.2, "additions");
    let peak = profile.layers.iter().map(|layer| layer.slots).fold(0.0, f64::max);
    assert_near(peak, 38e6, 0.3, "slots of a layer");
    assert_eq!(profile.layers[64].bases, 1.0);
}

#[test]
fn spaces_that_close_again() {
    // MacMahon: plane partitions in a box; and lattice paths.
    for (spec, ideals, tolerance) in [
        ("chains:5x5x5", 267_227_532.0, 0.1),
        ("chains:16x16", 601_080_390.0, 0.3),
        ("chains:4x4x7", 47_107_610.0, 0.1),
    ] {
        let poset = poset(spec);
        assert_near(sum(&Profile::plain(&poset, poset.len()), |layer| layer.labelled), ideals, tolerance, spec);
    }
    let orbits = sum(&Profile::plain(&poset("boolean:7:3"), 64), |layer| layer.bases);
    assert_near(orbits, known::BOOLEAN_7_3_ORBITS as f64, 0.05, "boolean:7:3");
}

#[test]
fn values_of_antichains_are_factorials() {
    let factorial: f64 = (1..=30).map(|i| f64::from(i).log2()).sum();
    let profile = Profile::plain(&poset("antichain:40"), 30);
    assert!((profile.value_bits - 2.0 - factorial).abs() < 1e-6);
}

#[test]
fn estimates_repeat() {
    let poset = poset("boolean:7");
    assert_eq!(Profile::plain(&poset, 40).layers, Profile::plain(&poset, 40).layers);
}
