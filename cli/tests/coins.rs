//! Coin-turning games: `run`, `coins`, `nim` and `show`, against published values and against one another.

mod support;

use antichain_common::known::SET_PARTITIONS_RULER as HEIGHTS;
use serde_json::{Value, json};
use support::Lab;

fn values(document: &Value) -> Vec<(&str, u64)> {
    let element = |x: &'_ Value| (x["element"].as_str().map(str::to_owned), x["value"].as_u64());
    let elements = document["elements"].as_array().expect("elements");
    elements.iter().map(|x| (x["element"].as_str().expect("a name"), element(x).1.expect("a value"))).collect()
}

#[test]
fn values_of_elements() {
    let lab = Lab::new();
    let ruler = lab.json(&["run", "ruler", "divisors:12"]);
    assert_eq!((&ruler["question"], &ruler["poset"]), (&json!("ruler"), &json!("divisors:12")));
    assert_eq!(values(&ruler), [("1", 1), ("2", 2), ("3", 2), ("4", 1), ("6", 3), ("12", 2)]);
    assert_eq!(ruler["checked_by_definition"], 6);
    let ideals = lab.json(&["run", "order-ideal-game", "divisors:12"]);
    assert_eq!(values(&ideals).iter().map(|&(_, value)| value).collect::<Vec<_>>(), [1, 0, 0, 0, 0, 0]);
    let turtles = lab.json(&["run", "turning-turtles", "boolean:2"]);
    assert_eq!(values(&turtles), [("-", 1), ("0", 2), ("1", 2), ("01", 3)]);
    let twins = lab.json(&["run", "twins", "chain:3"]);
    assert_eq!(values(&twins), [("1", 0), ("2", 1), ("3", 2)]);
    let space = lab.json(&["run", "ruler", "subspaces:2:4"]);
    assert_eq!(values(&space)[..3], [("0", 1), ("01", 2), ("10", 2)]);
    assert_eq!(space["by_rank"][1], json!({ "rank": 1, "elements": "5", "value": 2 }));
    let text = lab.run(&["run", "ruler", "chain:4"]);
    text.assert_code(0);
    let table = "element  value\n1            1\n2            2\n3            1\n4            4\n";
    assert!(text.stdout.starts_with(table), "{}", text.stdout);
    assert!(text.stderr.contains("all of them again by the definition"), "{}", text.stderr);
    assert!(!lab.data().exists(), "what is answered at once leaves nothing behind");
}

#[test]
fn large_posets_are_told_by_what_values_depend_on() {
    let lab = Lab::new();
    let asm = lab.json(&["run", "ruler", "asm:62"]);
    assert!(asm.get("elements").is_none());
    let rows = asm["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 61);
    assert_eq!(rows[14], json!([32, 32, 14, 42, 38, 43, 33, 33, 33, 43, 38, 42, 14, 32, 32]));
    let all = lab.json(&["run", "ruler", "asm:62", "--elements"]);
    assert_eq!(values(&all).len(), 39_711);
    let space = lab.json(&["run", "ruler", "subspaces:60:9"]);
    assert_eq!(space["by_rank"].as_array().map(Vec::len), Some(61));
    let refused = lab.run(&["run", "ruler", "boolean:40", "--elements"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("1,099,511,627,776 elements are too many"), "{}", refused.stderr);
}

#[test]
fn set_partitions_are_a_job_that_goes_on() {
    let lab = Lab::new();
    let small = lab.json(&["run", "ruler", "partitions:4"]);
    assert_eq!(values(&small).len(), 15);
    assert_eq!(small["by_type"][0], json!({ "type": [4], "value": 4 }));
    let document = lab.json(&["run", "ruler", "partitions:20"]);
    assert_eq!(document["h"], json!(HEIGHTS[..20]));
    assert_eq!((&document["value"], &document["resumed"]), (&json!("26"), &json!(false)));
    let further = lab.json(&["run", "ruler", "partitions:40"]);
    assert_eq!(further["h"], json!(HEIGHTS[..]));
    assert_eq!(further["resumed"], true, "from the values to 20");
    lab.run(&["verify", "ruler-partitions-40"]).assert_code(0);
    let bfile = lab.run(&["export", "ruler-partitions-40", "--format", "bfile"]);
    assert_eq!(bfile.stdout.lines().nth(16), Some("17 14"));
    let text = lab.run(&["run", "ruler", "partitions:9"]);
    assert!(text.stdout.ends_with("8     7\n9    15\n"), "{}", text.stdout);
    let plan = lab.json(&["plan", "ruler", "partitions:90"]);
    assert_eq!(plan["orbits"], "465672548", "the types of 1 to 90 elements");
    let memory = lab.run(&["run", "ruler", "partitions:140", "--memory", "30MiB"]);
    memory.assert_code(2);
    assert!(memory.stderr.contains("--memory"), "{}", memory.stderr);
}

#[test]
fn positions_and_their_moves() {
    let lab = Lab::new();
    assert_eq!(lab.value(&["coins", "value", "ruler", "divisors:360", "24", "120"]), "4");
    assert_eq!(
        lab.value(&["coins", "value", "ruler", "partitions:20", "1,2,3,4|5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20"]),
        "68"
    );
    let moves = lab.json(&["coins", "moves", "ruler", "divisors:12", "12"]);
    let winning = moves["moves"].as_array().expect("moves");
    assert_eq!(winning.len(), 2);
    assert!(winning.iter().all(|winning| winning["wins"] == true && winning["value"] == 0));
    assert_eq!(winning[0]["turns"], json!(["2", "4", "6", "12"]));
    assert_eq!(winning[0]["leads_to"], json!(["2", "4", "6"]));
    let all = lab.json(&["coins", "moves", "ruler", "divisors:12", "12", "--all"]);
    assert_eq!(all["moves"].as_array().map(Vec::len), Some(6));
    let lost = lab.run(&["coins", "moves", "order-ideal-game", "asm:5", "1,0,1"]);
    lost.assert_code(0);
    assert!(lost.stderr.contains("value 0; of 1 moves 0 win"), "{}", lost.stderr);
}

#[test]
fn nimbers() {
    let lab = Lab::new();
    for (words, value) in [
        (&["nim", "5", "x", "9"][..], "6"),
        (&["nim", "5", "+", "9"], "12"),
        (&["nim", "18446744073709551615x18446744073709551615"], "11290409524105353207"),
        (&["nim", "4294967296", "x", "4294967296"], "6442450944"),
    ] {
        assert_eq!(lab.value(words), value);
        assert_eq!(lab.json(words)["value"], *value);
    }
}

#[test]
fn tables_and_figures_of_the_paper() {
    let lab = Lab::new();
    let table4 = lab.json(&["show", "table4"]);
    assert_eq!(table4["rows"][1], json!({ "name": "h(n)", "values": HEIGHTS[..17] }));
    let table2 = lab.json(&["show", "table2"]);
    assert_eq!(table2["rows"][1]["values"], json!([1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1]));
    assert_eq!(table2["rows"][2]["values"], json!([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]));
    let table1 = lab.json(&["show", "table1"]);
    assert_eq!(table1["rows"][2]["values"], json!([1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1]));
    assert_eq!(lab.json(&["show", "table3"])["rows"][3]["values"], json!([3, 7, 7, 3]));
    let figure4 = lab.run(&["show", "figure4"]);
    figure4.assert_code(0);
    assert!(figure4.stdout.contains("3     12       4 6     0  2\n"), "{}", figure4.stdout);
    assert_eq!(lab.json(&["show", "figure5"])["rows"].as_array().map(Vec::len), Some(16));
    let figure7 = lab.json(&["show", "figure7"]);
    assert_eq!(figure7["rows"][3]["values"], json!([0, 1, 1, 0]));
}
