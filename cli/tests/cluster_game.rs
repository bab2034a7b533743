//! Games on a cluster: small ones are one task, what they know is asked for as of anything else, and large ones are refused.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use cluster::Cluster;

#[test]
fn a_small_game_is_one_task_with_the_digest_of_a_run() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    for words in ["grundy boolean:6", "outcome boolean:5 --keep-values", "remoteness chains:3x3x2"] {
        let job = cluster.submit(words);
        cluster.expect_answer(&job, words);
    }
    let value = cluster.ask(&["query", "grundy", "boolean:6", "012 345"]);
    value.assert_code(0);
    assert_eq!(value.stdout, "0\n");
    let value = cluster.ask(&["query", "outcome", "boolean:5", "01234"]);
    assert_eq!(value.stdout, "N\n");
    let moves = cluster.ask(&["moves", "boolean:5", "01234"]);
    moves.assert_code(0);
    assert!(moves.stderr.contains("these win, and those like them: 01234"), "{}", moves.stderr);
    let refused = cluster.ask(&["moves", "boolean:5", "01239"]);
    refused.assert_code(2);
    let refused = cluster.ask(&["moves", "boolean:5", "01", "--question", "ideals"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("no question about the game"), "{}", refused.stderr);
    cluster.ask(&["verify", "grundy-boolean-6"]).assert_code(0);
    let refused = cluster.ask(&["submit", "grundy", "boolean:7"]);
    refused.assert_code(1);
    assert!(refused.stderr.contains("antichain run") && refused.stderr.contains("hint: "), "{}", refused.stderr);
}
