//! The game from the command line: values, moves, exports, a tablebase carried to another directory.

mod support;

use support::Lab;

fn lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn the_games_on_six_points_have_the_published_outcomes() {
    let lab = Lab::new();
    let run = lab.run(&["run", "grundy", "boolean:6"]);
    run.assert_code(0);
    assert_eq!(run.stdout, "3\n");
    let table = lab.run(&["export", "grundy-boolean-6", "--format", "truncations"]);
    table.assert_code(0);
    // P_{5,k} as published, and of P_{6,k} that k = 5 is lost and that the whole is won by taking all of it.
    for row in ["5,3,1,0 3 5", "5,4,0,1 3 6 7", "5,5,2,1 3 6 7 0", "6,5,0,2 1 7 4 9", "6,6,3,2 1 7 4 9 0"] {
        assert!(table.stdout.lines().any(|line| line == row), "{row}\n{}", table.stdout);
    }
    let histogram = lab.run(&["export", "grundy-boolean-6", "--format", "csv"]);
    histogram.assert_code(0);
    let orbits: u64 =
        histogram.stdout.lines().skip(1).map(|line| line.split(',').nth(2).map_or(0, |n| n.parse().unwrap_or(0))).sum();
    assert_eq!(orbits, 16353);
    lab.run(&["verify", "grundy-boolean-6"]).assert_code(0);
}

#[test]
fn values_and_moves_of_positions() {
    let lab = Lab::new();
    let value = |question: &str, position: &str| {
        let query = lab.run(&["query", question, "boolean:5", position]);
        query.assert_code(0);
        query.stdout.trim().to_owned()
    };
    assert_eq!(value("grundy", "-"), "0");
    assert_eq!(value("outcome", "{}"), "P");
    assert_eq!(value("outcome", "01234"), "N");
    // Three points are three heaps of one.
    assert_eq!(value("grundy", "0 1 2"), "1");
    assert_eq!(value("remoteness", "0 1 2"), "3");
    let moves = lab.run(&["moves", "boolean:5", "01234"]);
    moves.assert_code(0);
    assert_eq!(lines(&moves.stdout)[4], ["01234", "0", "x1", "wins", "0123", "0124", "0134", "0234", "1234"]);
    assert!(moves.stderr.contains("of 31 moves these win, and those like them: 01234"), "{}", moves.stderr);
    let moves = lab.run(&["moves", "boolean:5", "01 2", "--question", "outcome", "--json"]);
    moves.assert_code(0);
    let moves: serde_json::Value = serde_json::from_str(&moves.stdout).expect("JSON");
    let wins: Vec<_> = moves.as_array().expect("moves").iter().map(|one| (&one["move"], &one["wins"])).collect();
    assert_eq!(wins.len(), 3);
    assert_eq!(moves[0]["multiplicity"], 2);
}

#[test]
fn a_tablebase_is_carried_to_another_directory() {
    let (here, there) = (Lab::new(), Lab::new());
    here.run(&["run", "outcome", "boolean:5", "--keep-values"]).assert_code(0);
    let file = here.folder().join("outcome.table");
    let file = file.to_str().expect("a name");
    here.run(&["export", "outcome-boolean-5", "--format", "table"]).assert_code(2);
    here.run(&["export", "outcome-boolean-5", "--format", "table", "--output", file]).assert_code(0);
    let import = there.run(&["import", file]);
    import.assert_code(0);
    assert_eq!(import.stdout, "outcome-boolean-5\n");
    there.run(&["verify", "outcome-boolean-5"]).assert_code(0);
    let positions = ["export", "outcome-boolean-5", "--format", "positions", "--value", "P"];
    let (mine, theirs) = (here.run(&positions), there.run(&positions));
    mine.assert_code(0);
    assert_eq!(mine.stdout, theirs.stdout);
    assert_eq!(mine.stdout.lines().take(2).collect::<Vec<_>>(), ["{}", "-"]);

    let letters = ["export", "outcome-boolean-5", "--format", "positions", "--value", "P", "--max-elements", "3"];
    assert_eq!(here.run(&letters).stdout, "{}\n-\n3 4\n");

    // What is no file is written to, and stays what it is.
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        here.run(&["export", "outcome-boolean-5", "--format", "table", "--output", "/dev/full"]).assert_code(1);
        assert!(!full.metadata().expect("there").is_file());
    }

    std::fs::write(file, "something else\n").expect("written");
    let refused = Lab::new().run(&["import", file]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("no tablebase") && refused.stderr.contains("hint: "), "{}", refused.stderr);
}

#[test]
fn what_is_no_game_or_no_position_is_explained() {
    let lab = Lab::new();
    for (words, reason) in [
        (&["moves", "boolean:3", "01", "--question", "extensions"][..], "no question about the game"),
        (&["moves", "boolean:3", "07"], "out of range"),
        (&["moves", "boolean:4:2", "012"], "not an element"),
        (&["query", "grundy", "boolean:4", ""], "a position is missing"),
        (&["export", "grundy-boolean-4", "--format", "positions"], "which value"),
        (&["export", "grundy-boolean-4", "--format", "positions", "--value", "N"], "no value of the question"),
        (&["export", "grundy-boolean-4", "--format", "truncations", "--max-elements", "5"], "exported whole"),
    ] {
        lab.run(&["run", "grundy", "boolean:4"]).assert_code(0);
        let refused = lab.run(words);
        refused.assert_code(2);
        assert!(refused.stderr.contains(reason) && refused.stderr.contains("hint: "), "{}", refused.stderr);
    }
    lab.run(&["run", "extensions", "boolean:4"]).assert_code(0);
    for format in ["truncations", "table"] {
        let refused = lab.run(&["export", "extensions-boolean-4", "--format", format, "--output", "unused"]);
        refused.assert_code(2);
    }
}
