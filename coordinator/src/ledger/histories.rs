//! Any history of the ledger against a plain account of it: what is ready, who has what until when, what is accepted.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::tests::{acquire, deliver, right, seconds};
use super::*;

const TASKS: u64 = 12;
const WORKERS: u64 = 4;

#[derive(Clone, Debug)]
enum Event {
    Acquire {
        worker: u64,
        most: usize,
        /// Makes tasks near or far.
        place: u64,
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
    Register {
        worker: u64,
        memory: u64,
    },
    Forget {
        worker: u64,
    },
    Drop {
        first: u64,
        tasks: u64,
    },
    Add {
        task: u64,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let worker = || 0..WORKERS;
    prop_oneof![
        16 => (worker(), 1..4usize, 0..6u64).prop_map(|(worker, most, place)| Event::Acquire { worker, most, place }),
        24 => (0..20usize, prop::bool::weighted(0.1)).prop_map(|(back, corrupt)| Event::Deliver { back, corrupt }),
        8 => worker().prop_map(|worker| Event::Heartbeat { worker }),
        4 => (0..20usize).prop_map(|back| Event::Release { back }),
        12 => (0..9u64).prop_map(|seconds| Event::Wait { seconds }),
        4 => (worker(), 0..4u64).prop_map(|(worker, memory)| Event::Register { worker, memory }),
        1 => worker().prop_map(|worker| Event::Forget { worker }),
        1 => (0..TASKS, 1..3u64).prop_map(|(first, tasks)| Event::Drop { first, tasks }),
        2 => (0..TASKS).prop_map(|task| Event::Add { task }),
    ]
}

fn need(task: u64) -> Need {
    Need { work: 100, memory: [1, 2, 1, 3, 1][task as usize % 5] }
}

fn distance(task: TaskId, place: u64) -> u64 {
    (task.0 * place) % 5
}

/// The ledger's state by a plain definition.
#[derive(Default)]
struct Plain {
    tasks: BTreeSet<TaskId>,
    accepted: BTreeSet<TaskId>,
    /// Workers that are there, and their memory.
    workers: BTreeMap<WorkerId, u64>,
    strikes: BTreeMap<WorkerId, u32>,
    /// Tasks that a worker was lost with.
    suspect: BTreeSet<TaskId>,
    /// Every lease that runs, and its end.
    running: BTreeMap<Epoch, (Lease, Time)>,
}

impl Plain {
    fn able(&self, worker: WorkerId) -> Option<u64> {
        let good = self.strikes.get(&worker).is_none_or(|&strikes| strikes < 3);
        self.workers.get(&worker).copied().filter(|_| good)
    }

    fn ready(&self, ledger: &Ledger) -> BTreeSet<TaskId> {
        let leased = self.running.values().map(|(lease, _)| lease.task);
        let taken: BTreeSet<TaskId> = leased.chain(ledger.set_aside().map(|(task, _)| task)).collect();
        self.tasks.iter().filter(|task| !self.accepted.contains(task) && !taken.contains(task)).copied().collect()
    }
}

/// What a worker got is what it must get: the nearest ready tasks that fit, and then other workers' tasks that fit; suspect
/// ones alone, and no fewer than it asked for but for those.
fn check_leases(
    plain: &mut Plain,
    mut ready: BTreeSet<TaskId>,
    leases: &[Lease],
    memory: u64,
    (most, place): (usize, u64),
) {
    let nearest = |ready: &BTreeSet<TaskId>| {
        let fitting = ready.iter().filter(|task| need(task.0).memory <= memory);
        fitting.min_by_key(|&&task| (distance(task, place), task)).copied()
    };
    for lease in leases {
        assert!(need(lease.task.0).memory <= memory && plain.tasks.contains(&lease.task));
        assert!(!plain.accepted.contains(&lease.task));
        assert!(leases.len() == 1 || !plain.suspect.contains(&lease.task));
        match nearest(&ready) {
            Some(nearest) => assert_eq!(lease.task, nearest),
            None => {
                let same = plain.running.values().filter(|(other, _)| other.task == lease.task);
                let holders: Vec<WorkerId> = same.map(|(other, _)| other.worker).collect();
                assert!(!holders.is_empty() && holders.len() < MOST_LEASES && !holders.contains(&lease.worker));
            }
        }
        ready.remove(&lease.task);
        plain.running.insert(lease.epoch, (*lease, lease.until));
    }
    let last = leases.last().map(|lease| lease.task);
    let more = nearest(&ready)
        .is_some_and(|next| ![last, Some(next)].iter().flatten().any(|task| plain.suspect.contains(task)));
    assert!(leases.len() == most || !more);
}

/// What the ledger says of itself is what the account says.
fn check_queries(plain: &Plain, ledger: &Ledger) {
    let counts = ledger.counts();
    let leased: BTreeSet<TaskId> = plain.running.values().map(|(lease, _)| lease.task).collect();
    assert_eq!((counts.leased, counts.done), (leased.len(), plain.accepted.len()));
    assert_eq!(counts.ready + counts.leased + counts.done + counts.set_aside, plain.tasks.len());
    assert_eq!(counts, ledger.counts_in(TaskId(0)..=TaskId(TASKS)));
    let ready = plain.ready(ledger);
    assert_eq!(counts.ready, ready.len());
    let open = plain.tasks.iter().filter(|task| !plain.accepted.contains(task));
    assert_eq!(ledger.is_finished(), open.count() == ledger.set_aside().count());
    let most = (0..WORKERS).filter_map(|worker| plain.able(WorkerId(worker))).max();
    let needs = ready.iter().map(|task| need(task.0).memory).filter(|&need| most.is_none_or(|most| need > most));
    let needs: Vec<u64> = needs.collect();
    let extremes = needs.iter().min().zip(needs.iter().max());
    let unfit = extremes.map(|(&least, &most)| Unfit { tasks: needs.len(), least, most });
    assert_eq!(ledger.unfit(), unfit);
    for worker in (0..WORKERS).map(WorkerId) {
        let held = plain.running.iter().filter(|(_, (lease, _))| lease.worker == worker).map(|(&epoch, _)| epoch);
        assert!(ledger.holds(worker).map(|lease| lease.epoch).eq(held));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Whatever happens in whatever order: a result counts once and only under a lease that runs, nobody has a task twice
    /// or one that is too large for it, no task is lost, and a worker that goes on ends the job.
    #[test]
    fn whatever_happens_every_task_counts_once(events in prop::collection::vec(event(), 0..120)) {
        let mut ledger = Ledger::new(Settings::default());
        let mut plain = Plain::default();
        let mut now = seconds(0);
        let mut given: Vec<Lease> = Vec::new();
        let start = (0..TASKS).map(|task| Event::Add { task });
        let start = start.chain((0..WORKERS).map(|worker| Event::Register { worker, memory: worker }));
        for event in start.chain(events) {
            match event {
                Event::Acquire { worker, most, place } => {
                    let worker = WorkerId(worker);
                    let ready = plain.ready(&ledger);
                    let wish = Wish { most, memory: 2, distance: &|task| distance(task, place) };
                    let acquired = ledger.acquire(worker, wish, now);
                    prop_assert_eq!(acquired.is_ok(), plain.able(worker).is_some());
                    let Ok(leases) = acquired else { continue };
                    let memory = plain.workers[&worker].min(2);
                    let fits = ready.iter().any(|task| need(task.0).memory <= memory);
                    prop_assert!(leases.len() <= most && (!fits || !leases.is_empty()));
                    for lease in &leases {
                        prop_assert!(given.last().is_none_or(|last| last.epoch < lease.epoch));
                        prop_assert_eq!(lease.worker, worker);
                        given.push(*lease);
                    }
                    check_leases(&mut plain, ready, &leases, memory, (most, place));
                }
                Event::Deliver { back, corrupt } => {
                    let Some(lease) = given.iter().rev().nth(back).copied() else { continue };
                    if corrupt {
                        ledger.reject(lease.worker, lease.epoch);
                        plain.running.remove(&lease.epoch);
                        *plain.strikes.entry(lease.worker).or_default() += 1;
                        if plain.able(lease.worker).is_none() {
                            plain.running.retain(|_, (other, _)| other.worker != lease.worker);
                        }
                        continue;
                    }
                    let expected = if !plain.tasks.contains(&lease.task) {
                        Delivery::Unknown
                    } else if plain.accepted.contains(&lease.task) {
                        Delivery::Identical
                    } else if plain.running.contains_key(&lease.epoch) {
                        Delivery::Accepted
                    } else {
                        Delivery::Stale
                    };
                    prop_assert_eq!(ledger.judge(lease.worker, lease.task, lease.epoch, right(lease.task)), expected);
                    prop_assert_eq!(deliver(&mut ledger, &lease, now), expected);
                    if expected == Delivery::Accepted {
                        plain.accepted.insert(lease.task);
                        plain.running.retain(|_, (other, _)| other.task != lease.task);
                    }
                }
                Event::Heartbeat { worker } => {
                    let epochs: Vec<Epoch> =
                        given.iter().filter(|lease| lease.worker.0 == worker).map(|lease| lease.epoch).collect();
                    let gone = ledger.heartbeat(WorkerId(worker), &epochs, now);
                    for epoch in epochs {
                        match plain.running.get_mut(&epoch) {
                            Some((_, until)) => *until = (*until).max(now + Settings::default().lease),
                            None => prop_assert!(gone.contains(&epoch)),
                        }
                    }
                }
                Event::Release { back } => {
                    let Some(lease) = given.iter().rev().nth(back) else { continue };
                    ledger.release(lease.worker, &[lease.epoch]);
                    plain.running.remove(&lease.epoch);
                }
                Event::Wait { seconds: span } => {
                    now += seconds(span);
                    let over: Vec<TaskId> =
                        plain.running.values().filter(|(_, until)| *until <= now).map(|(lease, _)| lease.task).collect();
                    prop_assert_eq!(ledger.expire(now).len(), over.len());
                    plain.suspect.extend(over);
                    plain.running.retain(|_, (_, until)| *until > now);
                }
                Event::Register { worker, memory } => {
                    ledger.register(WorkerId(worker), memory);
                    plain.workers.insert(WorkerId(worker), memory);
                }
                Event::Forget { worker } => {
                    ledger.forget_worker(WorkerId(worker));
                    plain.workers.remove(&WorkerId(worker));
                    plain.running.retain(|_, (lease, _)| lease.worker.0 != worker);
                }
                Event::Drop { first, tasks } => {
                    let range = TaskId(first)..=TaskId(first + tasks - 1);
                    let known = plain.tasks.range(range.clone()).count();
                    prop_assert_eq!(ledger.drop_tasks(range.clone()), known);
                    plain.tasks.retain(|task| !range.contains(task));
                    plain.accepted.retain(|task| !range.contains(task));
                    plain.suspect.retain(|task| !range.contains(task));
                    plain.running.retain(|_, (lease, _)| !range.contains(&lease.task));
                }
                Event::Add { task } => {
                    ledger.add(TaskId(task), need(task));
                    plain.tasks.insert(TaskId(task));
                }
            }
            check_queries(&plain, &ledger);
        }
        // Everybody else is gone; one new worker does what is left.
        now += seconds(1000);
        ledger.expire(now);
        ledger.register(WorkerId(100), u64::MAX);
        while let Some(lease) = acquire(&mut ledger, 100, 1, now).pop() {
            prop_assert_eq!(deliver(&mut ledger, &lease, now), Delivery::Accepted);
        }
        prop_assert!(ledger.is_finished());
        prop_assert_eq!(ledger.counts().done + ledger.set_aside().count(), plain.tasks.len());
    }
}
