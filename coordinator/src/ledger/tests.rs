use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const TASKS: u64 = 12;
const WORKERS: u64 = 4;

fn seconds(seconds: u64) -> Time {
    Duration::from_secs(seconds)
}

/// The bytes of a task's right result.
fn right(task: TaskId) -> Digest {
    [task.0 as u8; 32]
}

fn ledger(tasks: u64) -> Ledger {
    let mut ledger = Ledger::new(Settings::default());
    (0..tasks).for_each(|task| ledger.add(TaskId(task), 100));
    (0..WORKERS).for_each(|worker| ledger.register(WorkerId(worker)));
    ledger
}

fn acquire(ledger: &mut Ledger, worker: u64, most: usize, now: Time) -> Vec<Lease> {
    ledger.acquire(WorkerId(worker), most, now).expect("a worker in good standing")
}

fn deliver(ledger: &mut Ledger, lease: &Lease, now: Time) -> Delivery {
    ledger.deliver(lease.worker, lease.task, lease.epoch, right(lease.task), now)
}

#[test]
fn a_late_result_is_stale_or_recognised() {
    let mut ledger = ledger(1);
    let late = acquire(&mut ledger, 0, 5, seconds(0));
    assert_eq!(late.len(), 1);
    assert!(ledger.expire(seconds(14)).is_empty());
    assert_eq!(ledger.next_end(), Some(seconds(15)));
    let loss = Loss { task: TaskId(0), worker: WorkerId(0), set_aside: false };
    assert_eq!(ledger.expire(seconds(15)), [loss]);
    assert_eq!(deliver(&mut ledger, &late[0], seconds(16)), Delivery::Stale);
    let again = acquire(&mut ledger, 1, 1, seconds(16));
    assert_eq!(deliver(&mut ledger, &late[0], seconds(17)), Delivery::Stale, "the lease is another's");
    assert_eq!(deliver(&mut ledger, &again[0], seconds(18)), Delivery::Accepted);
    assert_eq!(deliver(&mut ledger, &late[0], seconds(19)), Delivery::Identical);
    assert_eq!(deliver(&mut ledger, &again[0], seconds(19)), Delivery::Identical, "sent twice");
    let other = ledger.deliver(WorkerId(0), TaskId(0), late[0].epoch, [99; 32], seconds(20));
    assert_eq!(other, Delivery::Different(WorkerId(1)));
    assert!(ledger.is_finished());
}

#[test]
fn signs_of_life_keep_leases_and_name_lost_ones() {
    let mut ledger = ledger(2);
    let leases = acquire(&mut ledger, 0, 2, seconds(0));
    let epochs: Vec<Epoch> = leases.iter().map(|lease| lease.epoch).collect();
    for now in [10, 20, 30] {
        assert!(ledger.heartbeat(WorkerId(0), &epochs, seconds(now)).is_empty());
        assert!(ledger.expire(seconds(now + 14)).is_empty());
    }
    assert_eq!(ledger.heartbeat(WorkerId(1), &epochs, seconds(31)), epochs, "they are not this worker's");
    assert_eq!(ledger.expire(seconds(45)).len(), 2);
    assert_eq!(ledger.heartbeat(WorkerId(0), &epochs, seconds(46)), epochs);
}

#[test]
fn a_straggler_is_handed_out_once_more_and_the_first_result_wins() {
    let mut ledger = ledger(3);
    let slow = acquire(&mut ledger, 0, 1, seconds(0));
    let quick = acquire(&mut ledger, 1, 2, seconds(0));
    assert!(acquire(&mut ledger, 1, 1, seconds(60)).is_empty(), "nothing is known of the pace yet");
    quick.iter().for_each(|lease| assert_eq!(deliver(&mut ledger, lease, seconds(2)), Delivery::Accepted));
    assert!(acquire(&mut ledger, 1, 1, seconds(6)).is_empty());
    assert!(acquire(&mut ledger, 0, 1, seconds(7)).is_empty(), "it has it already");
    let second = acquire(&mut ledger, 1, 1, seconds(7));
    assert_eq!(second.iter().map(|lease| lease.task).collect::<Vec<_>>(), [slow[0].task]);
    assert!(acquire(&mut ledger, 2, 1, seconds(9)).is_empty(), "two are enough");
    assert_eq!(deliver(&mut ledger, &second[0], seconds(9)), Delivery::Accepted);
    assert_eq!(deliver(&mut ledger, &slow[0], seconds(9)), Delivery::Identical);
    assert_eq!(ledger.counts(), Counts { done: 3, ..Counts::default() });
}

#[test]
fn a_task_that_ends_three_workers_is_set_aside_and_the_others_go_on() {
    let mut ledger = ledger(2);
    for worker in 0..3 {
        let lease = acquire(&mut ledger, worker, 1, seconds(20 * worker))[0];
        assert_eq!(lease.task, TaskId(0));
        let losses = ledger.expire(seconds(20 * worker + 15));
        assert_eq!(losses, [Loss { task: TaskId(0), worker: WorkerId(worker), set_aside: worker == 2 }]);
    }
    let other = acquire(&mut ledger, 3, 5, seconds(70));
    assert_eq!(other.iter().map(|lease| lease.task).collect::<Vec<_>>(), [TaskId(1)]);
    assert_eq!(deliver(&mut ledger, &other[0], seconds(71)), Delivery::Accepted);
    assert!(ledger.is_finished());
    let set_aside: Vec<_> = ledger.set_aside().map(|(task, workers)| (task, workers.len())).collect();
    assert_eq!(set_aside, [(TaskId(0), 3)]);
}

#[test]
fn a_worker_with_three_corrupt_results_is_set_aside() {
    let mut ledger = ledger(5);
    for _ in 0..3 {
        let lease = acquire(&mut ledger, 0, 2, seconds(0))[0];
        ledger.reject(WorkerId(0), lease.epoch);
    }
    assert_eq!(ledger.acquire(WorkerId(0), 1, seconds(1)), Err(Refusal::SetAside(WorkerId(0))));
    assert_eq!(ledger.workers_set_aside().collect::<Vec<_>>(), [WorkerId(0)]);
    assert_eq!(ledger.counts(), Counts { ready: 5, ..Counts::default() }, "what else it had is free again");
    assert_eq!(ledger.acquire(WorkerId(9), 1, seconds(1)), Err(Refusal::Unknown(WorkerId(9))));
}

#[test]
fn after_a_restart_old_leases_are_stale_and_results_are_kept() {
    let mut before = ledger(2);
    let leases = acquire(&mut before, 0, 2, seconds(0));
    assert_eq!(deliver(&mut before, &leases[0], seconds(1)), Delivery::Accepted);
    let mut after = Ledger::after_restart(Settings::default(), before.next_epoch());
    after.add_done(leases[0].task, 100, right(leases[0].task), WorkerId(0));
    after.add(leases[1].task, 100);
    after.register(WorkerId(0));
    assert_eq!(deliver(&mut after, &leases[0], seconds(2)), Delivery::Identical);
    assert_eq!(deliver(&mut after, &leases[1], seconds(2)), Delivery::Stale);
    let again = acquire(&mut after, 0, 2, seconds(3));
    assert!(again[0].epoch > leases[1].epoch);
    assert_eq!(deliver(&mut after, &again[0], seconds(4)), Delivery::Accepted);
    assert!(after.is_finished());
}

#[derive(Clone, Debug)]
enum Event {
    Acquire {
        worker: u64,
        most: usize,
    },
    /// The lease given out `back` leases ago delivers.
    Deliver {
        back: usize,
        corrupt: bool,
    },
    Heartbeat {
        worker: u64,
    },
    Release {
        back: usize,
    },
    Wait {
        seconds: u64,
    },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..WORKERS, 1..4usize).prop_map(|(worker, most)| Event::Acquire { worker, most }),
        6 => (0..20usize, prop::bool::weighted(0.1)).prop_map(|(back, corrupt)| Event::Deliver { back, corrupt }),
        2 => (0..WORKERS).prop_map(|worker| Event::Heartbeat { worker }),
        1 => (0..20usize).prop_map(|back| Event::Release { back }),
        3 => (0..9u64).prop_map(|seconds| Event::Wait { seconds }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Whatever happens in whatever order: a result counts once and only under a lease that runs, nobody has a task twice,
    /// no task is lost, and a worker that goes on ends the job.
    #[test]
    fn whatever_happens_every_task_counts_once(events in prop::collection::vec(event(), 0..120)) {
        let mut ledger = ledger(TASKS);
        let mut now = seconds(0);
        let mut given: Vec<Lease> = Vec::new();
        // By a plain definition: the end of every lease that runs, and the accepted tasks.
        let mut running: BTreeMap<Epoch, (Lease, Time)> = BTreeMap::new();
        let mut accepted: BTreeSet<TaskId> = BTreeSet::new();
        for event in events {
            match event {
                Event::Acquire { worker, most } => {
                    let Ok(leases) = ledger.acquire(WorkerId(worker), most, now) else { continue };
                    prop_assert!(leases.len() <= most);
                    for lease in leases {
                        prop_assert!(given.last().is_none_or(|last| last.epoch < lease.epoch));
                        prop_assert!(!accepted.contains(&lease.task));
                        let same = running.values().filter(|(other, _)| other.task == lease.task);
                        let holders: Vec<WorkerId> = same.map(|(other, _)| other.worker).collect();
                        prop_assert!(holders.len() < MOST_LEASES && !holders.contains(&lease.worker));
                        running.insert(lease.epoch, (lease, lease.until));
                        given.push(lease);
                    }
                }
                Event::Deliver { back, corrupt } => {
                    let Some(lease) = given.iter().rev().nth(back).copied() else { continue };
                    if corrupt {
                        ledger.reject(lease.worker, lease.epoch);
                        running.remove(&lease.epoch);
                        if ledger.workers_set_aside().any(|worker| worker == lease.worker) {
                            running.retain(|_, (other, _)| other.worker != lease.worker);
                        }
                        continue;
                    }
                    let expected = if accepted.contains(&lease.task) {
                        Delivery::Identical
                    } else if running.contains_key(&lease.epoch) {
                        Delivery::Accepted
                    } else {
                        Delivery::Stale
                    };
                    prop_assert_eq!(deliver(&mut ledger, &lease, now), expected);
                    if expected == Delivery::Accepted {
                        accepted.insert(lease.task);
                        running.retain(|_, (other, _)| other.task != lease.task);
                    }
                }
                Event::Heartbeat { worker } => {
                    let epochs: Vec<Epoch> =
                        given.iter().filter(|lease| lease.worker.0 == worker).map(|lease| lease.epoch).collect();
                    let gone = ledger.heartbeat(WorkerId(worker), &epochs, now);
                    for epoch in epochs {
                        match running.get_mut(&epoch) {
                            Some((_, until)) => *until = (*until).max(now + Settings::default().lease),
                            None => prop_assert!(gone.contains(&epoch)),
                        }
                    }
                }
                Event::Release { back } => {
                    let Some(lease) = given.iter().rev().nth(back) else { continue };
                    ledger.release(lease.worker, &[lease.epoch]);
                    running.remove(&lease.epoch);
                }
                Event::Wait { seconds: span } => {
                    now += seconds(span);
                    let over = running.values().filter(|(_, until)| *until <= now).count();
                    prop_assert_eq!(ledger.expire(now).len(), over);
                    running.retain(|_, (_, until)| *until > now);
                }
            }
            let counts = ledger.counts();
            let leased: BTreeSet<TaskId> = running.values().map(|(lease, _)| lease.task).collect();
            prop_assert_eq!((counts.leased, counts.done), (leased.len(), accepted.len()));
            prop_assert_eq!(counts.ready + counts.leased + counts.done + counts.set_aside, TASKS as usize);
        }
        // Everybody else is gone; one new worker does what is left.
        now += seconds(1000);
        ledger.expire(now);
        ledger.register(WorkerId(100));
        while let Some(lease) = acquire(&mut ledger, 100, 1, now).pop() {
            prop_assert_eq!(deliver(&mut ledger, &lease, now), Delivery::Accepted);
        }
        prop_assert!(ledger.is_finished());
        prop_assert_eq!(ledger.counts().done + ledger.set_aside().count(), TASKS as usize);
    }
}
