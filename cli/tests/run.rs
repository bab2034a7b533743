//! `run`: values, digests, limits, memory.

mod support;

use num_bigint::BigUint;
use support::{Lab, lattice_paths, standard_tableaux};

#[test]
fn linear_extensions() {
    let lab = Lab::new();
    for (poset, value) in [
        ("boolean:0", "1"),
        ("boolean:1", "1"),
        ("boolean:2", "2"),
        ("boolean:3", "48"),
        ("boolean:4", "1680384"),
        ("boolean:5", "14807804035657359360"),
        ("boolean:6", "141377911697227887117195970316200795630205476957716480"),
        ("boolean:4:2", "34560"),
        ("boolean:5:2", "1383782400"),
        ("boolean:6:2", "4914953551872000"),
        ("chain:7", "1"),
        ("chains:3x3x2", "4877756"),
        ("chains:3x3x3", "6405442434150"),
        ("chains:2x2x2x3", "409158464142"),
        ("chains:5x5", "701149020"),
        ("divisors:60", "2452"),
        ("divisors:360", "20071150430"),
        ("antichain:5", "120"),
    ] {
        assert_eq!(lab.value(&["run", "extensions", poset]), value, "{poset}");
    }
}

#[test]
fn ideals() {
    let lab = Lab::new();
    for (poset, labelled, orbits) in [
        ("boolean:0", "2", "2"),
        ("boolean:3", "20", "10"),
        ("boolean:5", "7581", "210"),
        ("boolean:6", "7828354", "16353"),
        ("chain:5", "6", "6"),
        ("antichain:6", "64", "7"),
    ] {
        let answer = lab.json(&["run", "ideals", poset]);
        assert_eq!(answer["value"], labelled, "{poset}");
        assert_eq!(answer["labelled"], labelled, "{poset}");
        assert_eq!(answer["orbits"], orbits, "{poset}");
    }
}

#[test]
fn products_of_two_chains_obey_the_hook_length_formula() {
    let lab = Lab::new();
    for (a, b) in [(2, 9), (6, 6), (5, 8), (8, 8)] {
        let answer = lab.json(&["run", "extensions", &format!("chains:{a}x{b}")]);
        assert_eq!(answer["value"], standard_tableaux(a, b).to_string());
        assert_eq!(answer["labelled"], lattice_paths(a, b).to_string());
    }
}

#[test]
fn numbers_beyond_any_machine_word() {
    let lab = Lab::new();
    let factorial: BigUint = (1..=120u32).map(BigUint::from).product();
    assert_eq!(lab.value(&["run", "extensions", "antichain:120"]), factorial.to_string());
    let answer = lab.json(&["run", "ideals", "antichain:200"]);
    assert_eq!(answer["value"], (BigUint::from(1u32) << 200u32).to_string());
    assert_eq!(answer["orbits"], "201");
}

#[test]
fn the_value_is_alone_on_standard_output() {
    let lab = Lab::new();
    let outcome = lab.run(&["run", "extensions", "boolean:4"]);
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "1680384\n");
    assert!(outcome.stderr.contains("168 ideals, 30 up to symmetry"), "{}", outcome.stderr);
    let outcome = lab.run(&["run", "ideals", "boolean:4"]);
    assert_eq!(outcome.stdout, "168\n30 up to symmetry\n");
}

#[test]
fn a_second_run_answers_from_the_data_directory() {
    let lab = Lab::new();
    let first = lab.json(&["run", "extensions", "boolean:5"]);
    let second = lab.json(&["run", "extensions", "boolean:5"]);
    assert_eq!(first["resumed"], false);
    assert_eq!(second["resumed"], true);
    for field in ["value", "digest", "job", "orbits", "labelled"] {
        assert_eq!(first[field], second[field]);
    }
    assert_eq!(lab.json(&["run", "extensions", "boolean:5:5"])["resumed"], true, "another name of the same poset");
}

#[test]
fn the_digest_does_not_depend_on_threads_memory_or_checkpoints() {
    let digest = |options: &[&str]| {
        let words = [&["run", "extensions", "boolean:6"], options].concat();
        Lab::new().json(&words)["digest"].clone()
    };
    let first = digest(&["--threads", "1"]);
    assert!(first.as_str().is_some_and(|digest| digest.len() == 64));
    for options in [&["--threads", "3"][..], &["--memory", "1GiB"], &["--checkpoint", "1ms"], &["--keep-values"]] {
        assert_eq!(digest(options), first, "{options:?}");
    }
    assert_ne!(Lab::new().json(&["run", "extensions", "boolean:5"])["digest"], first);
}

#[test]
fn limits_on_sizes() {
    let lab = Lab::new();
    let answer = lab.json(&["run", "extensions", "boolean:6", "--max-elements", "8"]);
    assert!(answer["value"].is_null());
    assert_eq!(answer["orbits"], (1 + 1 + 1 + 1 + 2 + 2 + 3 + 5 + 7).to_string());
    assert_eq!(answer["max_elements"], 8);
    let answer = lab.json(&["run", "ideals", "boolean:6", "--min-elements", "2", "--max-elements", "4"]);
    assert_eq!(answer["orbits"], "4");
    // One, two or three singletons with the empty set; two singletons and their pair make 4 elements too.
    assert_eq!(answer["value"], (6 + 15 + (20 + 15)).to_string());
    let answer = lab.json(&["run", "ideals", "boolean:8", "--max-elements", "8"]);
    assert_eq!(answer["orbits"], (1 + 1 + 1 + 1 + 2 + 2 + 3 + 5 + 8).to_string());
}

#[test]
fn a_job_that_cannot_fit_into_memory_says_what_it_needs() {
    let outcome = Lab::new().run(&["run", "extensions", "boolean:7", "--memory", "10MiB"]);
    outcome.assert_code(1);
    assert!(outcome.stderr.contains("budget is 10.0 MiB"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("hint: give it more with --memory"), "{}", outcome.stderr);
}
