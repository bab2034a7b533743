//! Games on a cluster: small ones are one task, others are valued layer by layer, and what is known is asked for as of
//! anything else.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use antichain_common::job::records::bases_key;
use antichain_common::store::{Commit, Store};
use cluster::Cluster;
use support::Lab;

#[test]
fn a_small_game_is_one_task_with_the_digest_of_a_run() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    for words in ["grundy boolean:6", "outcome boolean:5", "remoteness chains:3x3x2"] {
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
}

#[test]
fn a_game_in_tasks_has_the_digest_and_the_table_of_a_run() {
    let mut cluster = Cluster::start("15s");
    // Three that fetch from one another, of which one has a cache that it goes on with when it is started again.
    let peers = ["--peer-listen", "127.0.0.1:0"];
    let folder = cluster.lab.folder().join("worker");
    let cached = [&peers[..], &["--data", folder.to_str().expect("a name")]].concat();
    let _workers = [cluster.worker(&peers), cluster.worker(&peers)];
    let with_cache = cluster.worker(&cached);
    let first = cluster.submit("grundy chains:3x3x10");
    cluster.wait_until(&first, |status| status["progress"]["layer"].as_u64() >= Some(30));
    with_cache.kill();
    let _again = cluster.worker(&cached);
    // Both sides; one side; a limit; a small game whose table is wanted afterwards.
    cluster.submit("grundy boolean:5");
    for words in [
        "grundy chains:3x3x10",
        "remoteness chains:4x4x3 --keep-values",
        "outcome boolean:6 --max-elements 20 --keep-values",
        "grundy boolean:5 --keep-values",
    ] {
        let job = cluster.submit(words);
        cluster.expect_answer(&job, words);
        cluster.ask(&["verify", &job]).assert_code(0);
    }
    cluster.assert_nothing_twice();
    // The table is there, and says what the table of a run says.
    let lab = Lab::new();
    lab.run(&["run", "grundy", "chains:3x3x10"]).assert_code(0);
    cluster.kill_coordinator();
    let list = ["export", "grundy-chains-3x3x10", "--format", "positions", "--value", "7", "--most", "50"];
    let of_cluster = cluster.lab.run(&list);
    of_cluster.assert_code(0);
    assert_eq!(of_cluster.stdout.lines().count(), 50);
    assert_eq!(of_cluster.stdout, lab.run(&list).stdout);
    cluster.lab.run(&["verify", "grundy-chains-3x3x10"]).assert_code(0);
}

#[test]
fn a_layer_of_bases_that_is_lost_is_found_again() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let job = cluster.submit("grundy chains:3x3x10");
    cluster.expect_answer(&job, "grundy chains:3x3x10");
    cluster.kill_coordinator();
    let store = Store::open(&cluster.data).expect("a store");
    let mut commit = Commit::new();
    commit.remove_shard(bases_key("space-chains-3x3x10-45", 38, 0));
    store.commit(commit).expect("committed");
    drop(store);
    cluster.start_coordinator();
    let other = cluster.submit("remoteness chains:3x3x10");
    cluster.expect_answer(&other, "remoteness chains:3x3x10");
    for job in [&job, &other] {
        cluster.ask(&["verify", job]).assert_code(0);
    }
}

#[test]
fn of_a_game_that_is_not_finished_what_is_known_is_answered() {
    let mut cluster = Cluster::start("15s");
    let game = ["grundy", "chains:3x3x10"];
    let job = cluster.submit("grundy chains:3x3x10 --keep-values");
    let unknown = cluster.ask(&["query", game[0], game[1], "3.3.10"]);
    unknown.assert_code(1);
    assert!(unknown.stderr.contains(&format!("hint: {job} is not finished")), "{}", unknown.stderr);
    let worker = cluster.worker(&[]);
    cluster.wait_until(&job, |status| status["progress"]["layer"].as_u64() >= Some(20));
    worker.kill();
    let known = cluster.ask(&["query", game[0], game[1], "1.1.5 1.2.1"]);
    known.assert_code(0);
    assert!(known.stderr.contains(&format!("warning: {job} is not finished")), "{}", known.stderr);
    let moves = cluster.ask(&["moves", game[1], "1.1.5 1.2.1", "--question", "grundy"]);
    moves.assert_code(0);
    assert!(moves.stderr.contains(&format!("warning: {job} is not finished")), "{}", moves.stderr);
    let documents = cluster.ask(&["query", game[0], game[1], "1.1.5 1.2.1", "--json"]).document();
    assert_eq!(documents[0]["unfinished"], job.as_str());
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, "grundy chains:3x3x10 --keep-values");
    let finished = cluster.ask(&["query", game[0], game[1], "1.1.5 1.2.1"]);
    finished.assert_code(0);
    assert_eq!((finished.stdout, finished.stderr.as_str()), (known.stdout, ""));
}
