//! A cluster in simulated time: a coordinator with a ledger, workers, and a network between them that fails in every way
//! that a seed may think of.
//!
//! Every task must have one accepted result in the end, and the right one; nothing that is kept is handed out again; no
//! epoch is given out twice. A run is a function of its seed, and a failing one is named. 500 seeds are run, or as many as
//! `ANTICHAIN_SIMULATION_SEEDS` says, from `ANTICHAIN_SIMULATION_FIRST` on: to run one alone, give it there and 1 here.

mod simulation {
    pub mod coordinator;
    pub mod run;
    pub mod scenario;
    pub mod watch;
    pub mod wire;
    pub mod worker;
}

use std::time::Duration;

use antichain_coordinator::ledger::TaskId;
use simulation::run::run;
use simulation::scenario::{Nature, Scenario, Trouble};
use simulation::watch::{Tally, Watch};

const SEEDS: u64 = 500;
/// Seeds of the runs in which one thing goes wrong.
const FEW: u64 = 60;
/// Seeds among which everything happens that can.
const ENOUGH: u64 = 100;

/// Names the seed whatever panics, be it in the simulator.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the simulation failed with seed {}", self.0);
        }
    }
}

/// Runs a scenario in which everything must go well.
fn run_well(scenario: Scenario) -> (Watch, Duration) {
    let seed = Seed(scenario.seed);
    let (watch, time) = run(scenario).unwrap_or_else(|fault| panic!("seed {}: {fault}", seed.0));
    for &task in watch.accepted.keys() {
        assert!(watch.is_right(task), "seed {}: {task:?} has a wrong result", seed.0);
    }
    assert_eq!(watch.tally.alarms, 0, "seed {}: an alarm among honest workers", seed.0);
    assert_eq!(watch.tally.accepted, watch.accepted.len(), "seed {}: results that count", seed.0);
    (watch, time)
}

/// What the environment says.
fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(number) = std::env::var(variable) else { return otherwise };
    number.parse().unwrap_or_else(|_| panic!("{variable} is no number: {number}"))
}

#[test]
fn whatever_goes_wrong_every_task_gets_its_one_result() {
    let (first, seeds) = (number("ANTICHAIN_SIMULATION_FIRST", 0), number("ANTICHAIN_SIMULATION_SEEDS", SEEDS));
    let mut tally = Tally::default();
    let mut longest = Duration::ZERO;
    for seed in first..first + seeds {
        let scenario = Scenario::rough(seed);
        let tasks = scenario.tasks.len();
        let (watch, time) = run_well(scenario);
        assert_eq!((watch.accepted.len(), watch.set_aside.len()), (tasks, 0), "seed {seed}");
        tally.add(&watch.tally);
        longest = longest.max(time);
    }
    println!("{seeds} seeds, at most {longest:?} of simulated time: {tally:?}");
    // A simulation in which nothing goes wrong shows nothing.
    let Tally { starts, second_leases, losses, released, identical, stale, rejected, refused, .. } = tally;
    let rare = [second_leases, losses, released, identical, stale, rejected, refused].into_iter().min();
    assert!(seeds < ENOUGH || (starts as u64 > seeds && rare > Some(9)), "{tally:?}");
}

#[test]
fn a_seed_gives_the_same_run_again() {
    for seed in 0..3 {
        assert_eq!(run_well(Scenario::rough(seed)), run_well(Scenario::rough(seed)));
    }
}

#[test]
fn a_task_that_ends_workers_is_set_aside_and_all_others_are_done() {
    for seed in 0..FEW {
        let poison = seed % 12;
        let scenario = Scenario { poison: Some(poison), ..Scenario::calm(seed, 12, 4) };
        let (watch, _) = run_well(scenario);
        assert_eq!(watch.set_aside.iter().copied().collect::<Vec<_>>(), [TaskId(poison)], "seed {seed}");
        assert_eq!(watch.accepted.len(), 11, "seed {seed}");
        assert!(watch.tally.losses >= 3, "seed {seed}");
    }
}

#[test]
fn a_worker_whose_results_are_corrupt_gets_nothing_after_the_third() {
    for seed in 0..FEW {
        let mut scenario = Scenario::calm(seed, 24, 3);
        scenario.workers[1].nature = Nature::Corrupt;
        let (watch, _) = run_well(scenario);
        assert_eq!(watch.accepted.len(), 24, "seed {seed}");
        // More of them may come, of what it had already.
        assert!(watch.tally.rejected >= 3 && watch.tally.refused > 0, "seed {seed}: {:?}", watch.tally);
    }
}

#[test]
fn another_result_with_a_right_check_is_an_alarm() {
    for seed in 0..FEW {
        // The honest one is late with a task, which the other one gets in the meantime.
        let mut scenario = Scenario::calm(seed, 6, 2);
        scenario.workers[1].nature = Nature::Wrong;
        scenario.tasks.iter_mut().for_each(|need| need.work = 20);
        scenario.plan = vec![(Duration::from_secs(1), Trouble::Stall(0, Duration::from_secs(40)))];
        let (watch, _) = run(scenario).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        assert!(watch.tally.alarms > 0, "seed {seed}: {:?}", watch.tally);
    }
}
