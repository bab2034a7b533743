//! Chaos: hosts of their own on a network that loses, delays and cuts off, processes that are killed, frozen and started again,
//! a disk that is full; by hand, and by schedules from seeds. Whatever happens, the answers are those of `run` in one process, the
//! digests too, no task is done again once it is stored, and what a worker was told to be stored is.
//!
//! The long suite, a table of seeds on standard output:
//! ```text
//! ANTICHAIN_SEEDS=1..21 cargo test --workspace --test chaos -- --ignored --nocapture
//! ```

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/dice.rs"]
mod dice;
#[path = "support/disk.rs"]
mod disk;
#[path = "support/host.rs"]
mod host;
#[path = "support/network.rs"]
mod network;
#[path = "support/schedule.rs"]
mod schedule;
#[path = "support/site.rs"]
mod site;
mod support;

use std::time::{Duration, Instant};

use cluster::{PATIENCE, within_time};
use network::Way;
use schedule::{Fault, Storm, schedule};
use serde_json::Value;
use site::Site;

/// Many small tasks one after the other.
const SMALL_TASKS: &str = "extensions chains:5x4x4";
/// Layers of several shards.
const WIDE: &str = "ideals boolean:7 --max-elements 36";
/// Two sides, of which every worker needs all that is valued.
const GAME: &str = "grundy chains:3x3x10 --keep-values";
const B6: &str = "extensions boolean:6";
const SMALL_B7: &str = "extensions boolean:7 --max-elements 34";

/// Longer than a lease of two seconds, and its connections are not given up.
const A_WHILE: Duration = Duration::from_secs(3);

fn submit<'a>(site: &Site, jobs: &[&'a str]) -> Vec<(String, &'a str)> {
    jobs.iter().map(|&job| (site.cluster.submit(job), job)).collect()
}

/// Waits until so many tasks of a job are done, or all of them.
fn wait_for_tasks(site: &Site, job: &str, tasks: u64) {
    let has_come_so_far = |status: &Value| status["progress"]["done"].as_u64() >= Some(tasks);
    site.cluster.wait_until(job, |status| status["state"] == "finished" || has_come_so_far(status));
}

/// Something is wrong with a host for a while, in the middle of jobs; the coordinator misses it, and hears of it again.
fn a_host_is_missed(fault: Fault, host: usize) {
    let Some(mut site) = Site::start(3, "2s", 1) else { return };
    let jobs = submit(&site, &[SMALL_TASKS, GAME, SMALL_B7]);
    // The last one is there to the end, for looking at.
    let last = &jobs[2].0;
    wait_for_tasks(&site, &jobs[0].0, 5);
    assert_eq!(site.heard_of(last), 3);
    site.begin(fault);
    let missed = within_time(PATIENCE, || (site.heard_of(last) == 2).then_some(()));
    assert!(missed.is_some(), "host {host} is not missed");
    std::thread::sleep(A_WHILE);
    let before = site.log_length(host);
    site.end(fault);
    site.wait_for_log(host, before, r#""message":"registered""#);
    site.expect_answers(&jobs);
}

#[test]
fn a_host_that_is_cut_off_is_missed_and_comes_back() {
    a_host_is_missed(Fault::CutOff(2), 2);
}

#[test]
fn a_host_that_is_not_heard_is_missed_and_comes_back() {
    a_host_is_missed(Fault::OneWay(1, Way::From), 1);
}

/// Something is wrong for a while, in the middle of jobs; the coordinator need not notice.
fn jobs_go_on_after(fault: Fault, in_it: impl Fn(&Site, &str)) {
    let Some(mut site) = Site::start(3, "2s", 1) else { return };
    let jobs = submit(&site, &[SMALL_TASKS, GAME]);
    wait_for_tasks(&site, &jobs[0].0, 5);
    site.begin(fault);
    in_it(&site, &jobs[0].0);
    std::thread::sleep(A_WHILE);
    site.end(fault);
    site.expect_answers(&jobs);
}

#[test]
fn a_host_that_hears_nothing_comes_back() {
    // What it says arrives for a while, so it is not missed at once, if at all.
    jobs_go_on_after(Fault::OneWay(1, Way::To), |_, _| {});
}

#[test]
fn a_coordinator_that_is_cut_off_finds_its_workers_again() {
    jobs_go_on_after(Fault::CutOff(0), |site, job| {
        site.cluster.wait_for_state(job, "waiting for workers");
    });
}

#[test]
fn a_result_that_comes_after_somebody_elses_counts_once() {
    let Some(mut site) = Site::start(2, "1s", 1) else { return };
    let jobs = submit(&site, &[WIDE, SMALL_TASKS]);
    wait_for_tasks(&site, &jobs[0].0, 20);
    // Again and again, for it has to be in the middle of something.
    for _ in 0..4 {
        let before = site.cluster.stored();
        site.begin(Fault::Frozen(1));
        std::thread::sleep(Duration::from_millis(2500));
        site.end(Fault::Frozen(1));
        within_time(Duration::from_secs(5), || (site.cluster.stored() > before + 5).then_some(()));
    }
    site.expect_answers(&jobs);
}

#[test]
fn a_slow_network_with_losses_costs_time_only() {
    let Some(mut site) = Site::start(3, "2s", 5) else { return };
    (1..=3).for_each(|host| site.begin(Fault::Slow(host)));
    let jobs = submit(&site, &[B6, "extensions chains:4x4x4"]);
    site.expect_answers(&jobs);
}

#[test]
fn everything_is_restarted_one_after_the_other() {
    let Some(mut site) = Site::start(3, "2s", 1) else { return };
    let jobs = submit(&site, &[SMALL_B7, GAME, B6, SMALL_TASKS]);
    for (job, tasks) in [(&jobs[0].0, 3), (&jobs[1].0, 20)] {
        for host in [1, 2, 3, 0] {
            wait_for_tasks(&site, job, tasks);
            site.begin(Fault::Restarted(host));
            site.end(Fault::Restarted(host));
        }
    }
    site.expect_answers(&jobs);
}

#[test]
fn a_coordinator_that_is_killed_on_a_full_disk_starts_on_it_or_says_why_not() {
    let Some(mut site) = Site::start(2, "2s", 1) else { return };
    let jobs = submit(&site, &[GAME, SMALL_TASKS]);
    wait_for_tasks(&site, &jobs[0].0, 5);
    site.begin(Fault::DiskFull);
    std::thread::sleep(Duration::from_secs(1));
    site.cluster.kill_coordinator();
    let command = site.cluster.coordinator_command();
    let before = site.cluster.log("coordinator").metadata().map_or(0, |about| about.len() as usize);
    let mut process = cluster::Process::start(command, site.cluster.log("coordinator"));
    let said = within_time(PATIENCE, || {
        let log = process.log_text();
        let is_ready = log[before..].contains(r#""message":"ready""#);
        (is_ready || !process.is_running()).then_some(log)
    });
    let log = said.expect("it serves or ends");
    if !process.is_running() {
        assert!(log[before..].contains("no room on the disk"), "{}", &log[before..]);
    }
    process.kill();
    site.end(Fault::DiskFull);
    site.cluster.start_coordinator();
    site.expect_answers(&jobs);
}

#[test]
fn a_worker_waits_for_its_network() {
    let Some(mut site) = Site::start(1, "2s", 1) else { return };
    site.begin(Fault::Killed(1));
    site.begin(Fault::Unplugged(1));
    let before = site.cluster.log("worker-1").metadata().map_or(0, |about| about.len() as usize);
    site.start_on(1);
    site.wait_for_log(1, before, "the network is unreachable");
    site.end(Fault::Unplugged(1));
    site.wait_for_log(1, before, r#""message":"registered""#);
    let jobs = submit(&site, &["extensions boolean:4"]);
    site.expect_answers(&jobs);
}

#[test]
fn a_seed_gives_the_same_schedule() {
    let of = |seed| schedule(seed, Storm::Everything, 4, 50);
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
    let spells = of(7);
    assert!(spells.windows(2).all(|pair| pair[0].begins < pair[1].begins));
    // Every kind of fault is drawn, and some begin while others last.
    let kinds: std::collections::BTreeSet<String> =
        spells.iter().map(|spell| format!("{:?}", spell.fault).chars().take(5).collect()).collect();
    assert_eq!(kinds.len(), 8, "{kinds:?}");
    assert!(spells.windows(2).any(|pair| pair[0].begins + pair[0].lasts > pair[1].begins));
}

/// What a storm came to.
struct Weathered {
    stored: usize,
    computed: usize,
    seconds: f64,
}

fn weather(seed: u64, storm: Storm, spells: usize, jobs: &[&str]) -> Option<Weathered> {
    println!("ANTICHAIN_SEED={seed}");
    let mut site = Site::start(3, "2s", seed)?;
    let start = Instant::now();
    let jobs = submit(&site, jobs);
    site.endure(&schedule(seed, storm, 4, spells));
    site.expect_answers(&jobs);
    let (stored, computed) = (site.cluster.stored(), site.cluster.computed());
    Some(Weathered { stored, computed, seconds: start.elapsed().as_secs_f64() })
}

/// The seed of a storm in the short suite: the same every time, if no other is asked for.
fn seed(usual: u64) -> u64 {
    std::env::var("ANTICHAIN_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_storm_of_kills() {
    weather(seed(1), Storm::Kills, 16, &[B6, SMALL_TASKS, GAME, SMALL_B7]);
}

#[test]
fn a_storm_of_everything() {
    weather(seed(2), Storm::Everything, 16, &[SMALL_TASKS, GAME, B6, SMALL_B7]);
}

#[test]
#[ignore = "ten minutes and more; see the head of this file"]
fn storms_of_many_seeds() {
    let given = std::env::var("ANTICHAIN_SEEDS").unwrap_or_else(|_| "1..11".to_owned());
    let (first, end) = given.split_once("..").expect("ANTICHAIN_SEEDS=FIRST..END");
    let seeds = first.parse().expect("a number")..end.parse().expect("a number");
    let jobs = [SMALL_TASKS, GAME, B6, SMALL_B7, WIDE, "extensions chains:4x4x4", "ideals chains:5x4x4"];
    let mut table = vec!["| seed | faults | results stored | computed | seconds |".to_owned()];
    for seed in seeds {
        let storm = if seed % 4 == 0 { Storm::Kills } else { Storm::Everything };
        let Some(Weathered { stored, computed, seconds }) = weather(seed, storm, 40, &jobs) else { return };
        table.push(format!("| {seed} | 40, {storm:?} | {stored} | {computed} | {seconds:.0} |"));
        println!("{}", table.join("\n"));
    }
}
