//! Decisions, and the numbers of ideals.

use super::*;

fn plan_of(spec: &str, question: Question, min: usize, max: Option<usize>) -> Result<Plan, JobError> {
    plan(question, &spec.parse().expect("a poset"), SizeLimits { min, max })
}

fn extensions(spec: &str) -> Plan {
    plan_of(spec, Question::Extensions, 0, None).expect("within reach")
}

#[test]
fn methods() {
    for (spec, min, max, expected) in [
        ("boolean:7", 0, None, Method::Halves { top: 64 }),
        ("boolean:7", 3, None, Method::Halves { top: 64 }),
        ("boolean:7", 0, Some(128), Method::Halves { top: 64 }),
        ("boolean:7", 0, Some(30), Method::Plain { top: 30 }),
        ("boolean:6", 0, None, Method::Plain { top: 32 }),
        ("boolean:6", 0, Some(40), Method::Plain { top: 40 }),
        ("boolean:6", 0, Some(900), Method::Plain { top: 32 }),
        ("boolean:5", 0, None, Method::Plain { top: 16 }),
        ("boolean:5:3", 0, None, Method::Plain { top: 26 }),
        ("boolean:8", 0, Some(20), Method::Plain { top: 20 }),
        ("chains:4x4x4", 0, None, Method::Plain { top: 32 }),
        ("chains:4x4x8", 0, None, Method::Halves { top: 64 }),
        ("chains:3x3x3", 0, None, Method::Plain { top: 14 }),
        ("antichain:100", 0, None, Method::Plain { top: 50 }),
        ("chain:1", 0, None, Method::Plain { top: 1 }),
    ] {
        let poset: Poset = spec.parse().expect("a poset");
        for question in Question::ABOUT_IDEALS {
            let expected = match expected {
                // No position of the game has the value of its dual.
                Method::Plain { .. } if question.is_game() => {
                    Method::Plain { top: max.map_or(poset.len(), |max| max.min(poset.len())) }
                }
                other => other,
            };
            assert_eq!(method(question, &poset, SizeLimits { min, max }), expected, "{spec} {min} {max:?}");
            let plan = plan(question, &poset, SizeLimits { min, max }).expect("within reach");
            assert_eq!(plan.method, expected, "{spec} {min} {max:?}");
            check(question, &poset, SizeLimits { min, max }).expect("within reach");
        }
    }
}

#[test]
fn what_nobody_can_visit_is_refused() {
    for (spec, max) in
        [("boolean:8", None), ("boolean:8", Some(80)), ("boolean:8", Some(200)), ("divisors:9699690", None)]
    {
        for question in Question::ABOUT_IDEALS {
            let refused = plan_of(spec, question, 0, max).expect_err("out of reach");
            assert!(matches!(refused, JobError::OutOfReach { ideals, .. } if ideals > 1e12), "{refused}");
            let checked = check(question, &spec.parse().expect("a poset"), SizeLimits { min: 0, max });
            assert_eq!(checked.expect_err("out of reach").to_string(), refused.to_string());
        }
    }
}

#[test]
fn numbers_of_ideals_are_exact_where_that_is_cheap() {
    for (spec, min, max, orbits, labelled) in [
        ("boolean:7", 0, None, "490013148", "2414682040998"),
        ("boolean:7", 0, Some(5), "8", "226"),
        ("boolean:6", 0, None, "16353", "7828354"),
        ("boolean:6", 0, Some(63), "16352", "7828353"),
        ("boolean:6", 60, None, "6", "58"),
        ("boolean:3", 3, Some(5), "4", "10"),
        ("chain:9", 4, None, "6", "6"),
        ("chain:9", 400, None, "0", "0"),
        ("antichain:9", 0, None, "10", "512"),
    ] {
        let plan = plan_of(spec, Question::Ideals, min, max).expect("within reach");
        assert!(plan.is_exact(), "{spec}");
        assert_eq!(
            (plan.orbits.to_string(), plan.labelled.to_string()),
            (orbits.into(), labelled.into()),
            "{spec} {max:?}"
        );
    }
    assert_eq!(extensions("antichain:200").labelled, Amount::Exact(num_bigint::BigUint::from(1u8) << 200));
    assert!(!plan_of("boolean:7", Question::Ideals, 1, None).expect("within reach").is_exact());
}

#[test]
fn costs_of_boolean_7_are_those_that_were_measured() {
    let plan = extensions("boolean:7");
    assert!((40.0..90.0).contains(&plan.cpu_seconds), "{plan:?}");
    assert!((3.0e9..4.2e9).contains(&plan.memory_bytes), "{plan:?}");
    assert!((1.5e9..4.0e9).contains(&plan.disk_bytes) && (9e9..13e9).contains(&plan.disk_bytes_kept), "{plan:?}");
    let ideals = plan_of("boolean:7", Question::Ideals, 0, None).expect("within reach");
    assert!(ideals.memory_bytes < 0.2e9 && ideals.cpu_seconds < plan.cpu_seconds, "{ideals:?}");
}

#[test]
fn costs_of_small_posets_are_small() {
    for spec in ["boolean:0", "boolean:6", "chain:256", "antichain:256", "chains:5x5"] {
        let plan = extensions(spec);
        assert!(plan.cpu_seconds < 0.1 && plan.memory_bytes < 3e7 && plan.disk_bytes_kept < 2e6, "{plan:?}");
    }
}

#[test]
fn what_ends_first_is_found_and_the_next_limit_is_too_much() {
    let poset: Poset = "boolean:7".parse().expect("a poset");
    let plenty = Resources { cores: 2, memory: 16 << 30, seconds: None, disk: None };
    let cases = [
        (plenty, None),
        (Resources { memory: 1 << 30, ..plenty }, Some(Resource::Memory)),
        (Resources { seconds: Some(0.5), ..plenty }, Some(Resource::Time)),
        (Resources { disk: Some(200 << 20), ..plenty }, Some(Resource::Disk)),
    ];
    for (resources, first) in cases {
        let reach = reach(Question::Extensions, &poset, resources).expect("about ideals");
        assert_eq!(reach.ends_first(), first, "{reach:?}");
        let fits = |plan: &Plan| {
            plan.memory_bytes <= resources.memory as f64
                && resources.seconds.is_none_or(|most| plan.cpu_seconds <= 2.0 * most)
                && resources.disk.is_none_or(|most| plan.disk(false) <= most as f64)
        };
        assert!(reach.plan.as_ref().is_some_and(fits) && !reach.next.as_ref().is_some_and(fits), "{reach:?}");
        assert_eq!(reach.plan.and_then(|plan| plan.spec.limits.max).unwrap_or(128), reach.most.expect("some limit"));
    }
    let large: Poset = "boolean:8".parse().expect("a poset");
    let endless = Resources { cores: 1 << 40, memory: u64::MAX, seconds: None, disk: None };
    let reach = reach(Question::Ideals, &large, endless).expect("about ideals");
    assert_eq!(reach.ends_first(), Some(Resource::Ideals), "{reach:?}");
    assert!(matches!(super::reach(Question::Ruler, &large, endless), Err(JobError::NotAboutIdeals(_))));
}
