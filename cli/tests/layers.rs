//! `layers` and `plan`.

mod support;

use support::Lab;

#[test]
fn orbits_by_size() {
    let answer = Lab::new().json(&["layers", "boolean:5"]);
    assert_eq!(answer["poset"], "boolean:5");
    assert_eq!(answer["orbits"], "210");
    assert_eq!(answer["labelled"], "7581");
    let sizes = answer["sizes"].as_array().expect("an array");
    let lower = [1, 1, 1, 1, 2, 2, 3, 4, 6, 7, 9, 10, 12, 12, 13, 13, 16];
    assert_eq!(sizes.len(), 33);
    for (size, count) in sizes.iter().enumerate() {
        assert_eq!(count["size"], size);
        assert_eq!(count["orbits"], lower[size.min(32 - size)].to_string(), "size {size}");
        assert_eq!(count["labelled"], sizes[32 - size]["labelled"], "self-dual");
    }
}

#[test]
fn a_table_for_people() {
    let outcome = Lab::new().run(&["layers", "boolean:1"]);
    outcome.assert_code(0);
    assert_eq!(
        outcome.stdout,
        " size  orbits  labelled\n    0       1         1\n    1       1         1\n    2       1         1\ntotal       3         3\n"
    );
}

#[test]
fn limits_cut_the_list() {
    let answer = Lab::new().json(&["layers", "boolean:6", "--min-elements", "5", "--max-elements", "7"]);
    let sizes = answer["sizes"].as_array().expect("an array");
    assert_eq!(sizes.iter().map(|count| count["size"].as_u64()).collect::<Vec<_>>(), [Some(5), Some(6), Some(7)]);
    assert_eq!(answer["orbits"], (2 + 3 + 5).to_string());
}

#[test]
fn a_plan_touches_nothing() {
    let lab = Lab::new();
    let plan = lab.json(&["plan", "extensions", "boolean:7"]);
    assert_eq!(plan["question"], "extensions");
    assert_eq!(plan["poset"], "boolean:7");
    assert_eq!(plan["job"], "extensions-boolean-7");
    assert_eq!(plan["exact"], true, "published");
    assert_eq!(plan["orbits"], "490013148");
    assert_eq!(plan["labelled"], "2414682040998");
    for field in ["cpu_seconds", "memory_bytes", "disk_bytes", "disk_bytes_kept", "states", "operations"] {
        assert!(plan[field].as_f64().is_some_and(|number| number > 0.0), "{field}");
    }
    let outcome = lab.run(&["plan", "extensions", "boolean:6"]);
    outcome.assert_code(0);
    for word in ["memory", "disk", "time", "16,353"] {
        assert!(outcome.stdout.contains(word), "{word} in {}", outcome.stdout);
    }
    assert!(!lab.data().exists());
}
