//! Posets from files: every question about them, here and on a cluster, and what a file that tells none gets.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/dice.rs"]
mod dice;
mod support;

use std::fs;
use std::io::Write;
use std::process::Stdio;

use cluster::Cluster;
use dice::Dice;
use support::{Lab, Outcome};

/// Getting dressed: 6 things to do.
const TASKS: &str = "\
# underwear before clothes
socks < shoes
trousers < shoes   # they are narrow
trousers < belt
shirt < belt
shirt < \"the tie\"
";

fn write(lab: &Lab, name: &str, text: &str) {
    fs::write(lab.folder().join(name), text).expect("written");
}

#[test]
fn a_file_is_asked_what_other_posets_are() {
    let lab = Lab::new();
    write(&lab, "tasks.txt", TASKS);
    // socks, trousers, shirt, shoes, belt, the tie: a fence of six elements has 61 linear extensions, and F(8) = 21 ideals.
    let answer = lab.json(&["run", "extensions", "file:tasks.txt"]);
    assert_eq!((answer["value"].as_str(), answer["poset"].as_str()), (Some("61"), Some("file:tasks.txt")));
    assert_eq!(answer["resumed"], false);
    let job = answer["job"].as_str().expect("a job").to_owned();
    assert!(job.starts_with("extensions-file-") && job.len() == "extensions-file-".len() + 12, "{job}");
    assert_eq!(lab.value(&["run", "ideals", "file:tasks.txt"]), "21");
    assert_eq!(lab.json(&["layers", "file:tasks.txt"])["labelled"], "21");
    lab.run(&["verify", &job]).assert_code(0);
    lab.run(&["plan", "extensions", "file:tasks.txt"]).assert_code(0);
    let jobs = lab.run(&["jobs"]);
    assert!(jobs.stdout.contains(&job), "{jobs:?}");
    // The same under another name, in another form, with other remarks: the same job.
    write(
        &lab,
        "same.gv",
        "digraph { socks -> shoes; trousers -> {shoes belt}; shirt -> {belt \"the tie\"} socks -> shoes }",
    );
    let again = lab.json(&["run", "extensions", "file:same.gv"]);
    assert_eq!((again["resumed"].as_bool(), again["job"].as_str()), (Some(true), Some(&*job)));
    let found = lab.json(&["query", "extensions", "file:tasks.txt", "shoes \"the tie\"", "belt"]);
    let values: Vec<&str> = found.as_array().expect("a list").iter().filter_map(|one| one["value"].as_str()).collect();
    // Socks and trousers before shoes, shirt before the tie; trousers and shirt before the belt.
    assert_eq!(values, ["20", "2"], "{found}");
    for question in ["outcome", "grundy"] {
        lab.run(&["run", question, "file:tasks.txt", "--json"]).assert_code(0);
    }
    let moves = lab.json(&["moves", "file:tasks.txt", "belt, shoes"]);
    assert!(moves.as_array().is_some_and(|moves| !moves.is_empty()), "{moves}");
}

#[test]
fn a_file_with_the_relations_of_a_named_poset_has_its_numbers() {
    let lab = Lab::new();
    // The subsets of three points, by all their inclusions, as a matrix.
    let rows =
        (0..8u32).map(|x| (0..8).map(|y| if x & y == x && x != y { "1 " } else { "0 " }).collect::<String>() + "\n");
    write(&lab, "cube", &rows.collect::<String>());
    for question in ["extensions", "ideals", "grundy", "outcome"] {
        assert_eq!(
            lab.value(&["run", question, "file:cube"]),
            lab.value(&["run", question, "boolean:3"]),
            "{question}"
        );
    }
    write(&lab, "free", "a\nb\nc\nd\ne\n");
    assert_eq!(lab.value(&["run", "extensions", "file:free"]), "120");
    let pairs: String = (1..90).map(|i| format!("s{i} < s{}\n", i + 1)).collect();
    write(&lab, "line", &pairs);
    assert_eq!(lab.value(&["run", "extensions", "file:line"]), "1");
}

/// Linear extensions and ideals by the definition: of sets of elements, those that hold whatever is below their members.
fn by_the_definition(below: &[u32]) -> (u64, usize) {
    let mut extensions = vec![0u64; 1 << below.len()];
    extensions[0] = 1;
    let mut ideals = 0;
    for set in 0..1usize << below.len() {
        let members = || (0..below.len()).filter(move |x| set >> x & 1 == 1);
        if members().any(|x| below[x] as usize & !set != 0) {
            continue;
        }
        ideals += 1;
        // Sets that are no ideals have none.
        extensions[set] += members().map(|x| extensions[set & !(1 << x)]).sum::<u64>();
    }
    (extensions[extensions.len() - 1], ideals)
}

#[test]
fn random_posets_have_the_numbers_of_the_definition() {
    const ELEMENTS: usize = 11;
    let lab = Lab::new();
    for seed in 1..=8 {
        let mut dice = Dice::of(seed);
        let mut below = vec![0u32; ELEMENTS];
        let mut lines: String = (0..ELEMENTS).map(|x| format!("e{x}\n")).collect();
        for y in 0..ELEMENTS {
            for x in (0..y).filter(|_| dice.below(10) < 1 + seed % 4) {
                lines += &format!("e{x} < e{y}\n");
                below[y] |= below[x] | 1 << x;
            }
        }
        write(&lab, "random", &lines);
        let (extensions, ideals) = by_the_definition(&below);
        assert_eq!(lab.value(&["run", "extensions", "file:random"]), extensions.to_string(), "seed {seed}: {lines}");
        assert_eq!(lab.value(&["run", "ideals", "file:random"]), ideals.to_string(), "seed {seed}: {lines}");
    }
}

#[test]
fn standard_input_is_a_file_too() {
    let lab = Lab::new();
    let mut command = lab.command(&["run", "extensions", "file:-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(br#"{"elements": ["a", "b", "c"], "covers": [["a", "b"]]}"#).expect("written");
    drop(input);
    let outcome = Outcome::of(child.wait_with_output().expect("it ends"));
    outcome.assert_code(0);
    assert_eq!(outcome.stdout, "3\n");
}

#[test]
fn workers_need_no_file() {
    let mut cluster = Cluster::start("15s");
    write(&cluster.lab, "tasks.txt", TASKS);
    let job = cluster.submit("extensions file:tasks.txt");
    let _worker = cluster.worker(&[]);
    let status = cluster.wait_for_state(&job, "finished");
    assert_eq!(status["value"], "61", "{status:#}");
    assert_eq!(status["poset"].as_str().map(str::len), Some("file:".len() + 12), "{status:#}");
    cluster.ask(&["verify", &job]).assert_code(0);
    let found = cluster.ask(&["query", "extensions", "file:tasks.txt", "belt", "--json"]);
    assert_eq!(found.document()[0]["value"], "2", "{found:?}");
    // Nobody has a coordinator read its own files.
    fs::remove_file(cluster.lab.folder().join("tasks.txt")).expect("removed");
    cluster.ask(&["submit", "extensions", "file:tasks.txt"]).assert_code(2);
}

#[test]
fn a_file_that_tells_no_poset_is_told_why() {
    let lab = Lab::new();
    let refused = |text: &[u8], reason: &str| {
        fs::write(lab.folder().join("bad"), text).expect("written");
        let outcome = lab.run(&["run", "extensions", "file:bad", "--json"]);
        outcome.assert_code(2);
        let error = outcome.error();
        assert!(error["reason"].as_str().is_some_and(|found| found.contains(reason)), "{reason}: {error}");
        assert_eq!(error["input"], "bad");
        assert!(error["hint"].is_string(), "{error}");
    };
    refused(b"a < b\nb < c\nc < a\n", "line 3: the relation has a cycle: a < b < c < a");
    refused(b"0 1 0\n0 0 1\n", "not square");
    refused(br#"{"elements": ["a", "a"], "covers": []}"#, "two elements `a`");
    refused(b"", "no element");
    refused(b"\x7fELF\x02\x01\x00\x00", "line 1: this is no text");
    refused(b"a < b\n\xff\xfe\n", "line 2: this is no text");
    let many: String = (0..1_000_000).map(|i| format!("x{i}\n")).collect();
    refused(many.as_bytes(), "line 4097: more than 4096 elements");
    let chain: String = (0..300).map(|i| format!("x{i} < x{}\n", i + 1)).collect();
    refused(chain.as_bytes(), "301 elements are too many");
    let absent = lab.run(&["run", "extensions", "file:absent"]);
    absent.assert_code(2);
    assert!(absent.stderr.contains("absent cannot be read") && absent.stderr.contains("hint:"), "{absent:?}");
    lab.run(&["run", "extensions", "file:"]).assert_code(2);
    // A matrix that is no whole order is completed, and that is said.
    write(&lab, "matrix", "0 1 0\n0 0 1\n0 0 0\n");
    let closed = lab.run(&["run", "extensions", "file:matrix"]);
    closed.assert_code(0);
    assert!(closed.stderr.contains("warning") && closed.stderr.contains("were added"), "{closed:?}");
}
