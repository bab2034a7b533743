//! One property of the ledger a test. `histories.rs` has the test of all of them together.

use std::cell::Cell;
use std::time::Duration;

use super::handing::SEEN;
use super::*;

const WORKERS: u64 = 4;
const NEED: Need = Need { work: 100, memory: 10 };

pub(super) fn seconds(seconds: u64) -> Time {
    Duration::from_secs(seconds)
}

/// The bytes of a task's right result.
pub(super) fn right(task: TaskId) -> Digest {
    [task.0 as u8; 32]
}

fn ledger(tasks: u64) -> Ledger {
    let mut ledger = Ledger::new(Settings::default());
    (0..tasks).for_each(|task| ledger.add(TaskId(task), NEED));
    (0..WORKERS).for_each(|worker| ledger.register(WorkerId(worker), NEED.memory));
    ledger
}

pub(super) fn acquire(ledger: &mut Ledger, worker: u64, most: usize, now: Time) -> Vec<Lease> {
    ledger.acquire(WorkerId(worker), Wish::plain(most, u64::MAX), now).expect("a worker in good standing")
}

pub(super) fn deliver(ledger: &mut Ledger, lease: &Lease, now: Time) -> Delivery {
    ledger.deliver(lease.worker, lease.task, lease.epoch, right(lease.task), now)
}

#[test]
fn a_late_result_is_stale_or_recognised() {
    let mut ledger = ledger(2);
    let late = acquire(&mut ledger, 0, 1, seconds(0));
    assert_eq!(late.len(), 1);
    assert!(ledger.expire(seconds(14)).is_empty());
    assert_eq!(ledger.next_end(), Some(seconds(15)));
    let loss = Loss { task: TaskId(0), worker: WorkerId(0), set_aside: false };
    assert_eq!(ledger.expire(seconds(15)), [loss]);
    assert_eq!(deliver(&mut ledger, &late[0], seconds(16)), Delivery::Stale);
    let again = acquire(&mut ledger, 1, 1, seconds(16));
    assert_eq!(deliver(&mut ledger, &late[0], seconds(17)), Delivery::Stale, "the lease is another's");
    for (worker, task, epoch) in [(0, 0, again[0].epoch), (1, 0, late[0].epoch), (1, 1, again[0].epoch)] {
        let delivery = ledger.deliver(WorkerId(worker), TaskId(task), epoch, right(TaskId(task)), seconds(17));
        assert_eq!(delivery, Delivery::Stale, "worker, task and epoch must be those of one lease");
    }
    assert_eq!(deliver(&mut ledger, &again[0], seconds(18)), Delivery::Accepted);
    assert_eq!(deliver(&mut ledger, &late[0], seconds(19)), Delivery::Identical);
    assert_eq!(deliver(&mut ledger, &again[0], seconds(19)), Delivery::Identical, "sent twice");
    let other = ledger.deliver(WorkerId(0), TaskId(0), late[0].epoch, [99; 32], seconds(20));
    assert_eq!(other, Delivery::Different(WorkerId(1)));
    assert!(!ledger.is_finished());
    let rest = acquire(&mut ledger, 0, 5, seconds(21));
    assert_eq!(rest.iter().map(|lease| lease.task).collect::<Vec<_>>(), [TaskId(1)]);
    assert_eq!(deliver(&mut ledger, &rest[0], seconds(22)), Delivery::Accepted);
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
fn a_task_that_a_worker_was_lost_with_comes_alone() {
    let mut ledger = ledger(5);
    assert_eq!(numbers(&mut ledger, 0, Wish::plain(3, 10), seconds(0)), [0, 1, 2]);
    assert_eq!(ledger.expire(seconds(15)).len(), 3);
    assert_eq!(numbers(&mut ledger, 1, Wish::plain(3, 10), seconds(15)), [0]);
    let backwards = Wish { most: 3, memory: 10, distance: &|task| 9 - task.0 };
    assert_eq!(numbers(&mut ledger, 2, backwards, seconds(15)), [4, 3]);
    assert_eq!(numbers(&mut ledger, 2, backwards, seconds(15)), [2]);
}

#[test]
fn a_worker_with_three_corrupt_results_is_set_aside() {
    let mut ledger = ledger(5);
    for _ in 0..3 {
        let lease = acquire(&mut ledger, 0, 2, seconds(0))[0];
        ledger.reject(WorkerId(0), lease.epoch);
    }
    assert_eq!(ledger.acquire(WorkerId(0), Wish::plain(1, 10), seconds(1)), Err(Refusal::SetAside(WorkerId(0))));
    assert_eq!(ledger.workers_set_aside().collect::<Vec<_>>(), [WorkerId(0)]);
    assert_eq!(ledger.counts(), Counts { ready: 5, ..Counts::default() }, "what else it had is free again");
    assert_eq!(ledger.acquire(WorkerId(9), Wish::plain(1, 10), seconds(1)), Err(Refusal::Unknown(WorkerId(9))));
}

#[test]
fn after_a_restart_old_leases_are_stale_and_results_are_kept() {
    let mut before = ledger(2);
    let leases = acquire(&mut before, 0, 2, seconds(0));
    assert_eq!(deliver(&mut before, &leases[0], seconds(1)), Delivery::Accepted);
    let mut after = Ledger::after_restart(Settings::default(), before.next_epoch());
    after.add_done(leases[0].task, NEED, right(leases[0].task), WorkerId(0));
    after.add(leases[1].task, NEED);
    after.register(WorkerId(0), NEED.memory);
    assert_eq!(deliver(&mut after, &leases[0], seconds(2)), Delivery::Identical);
    assert_eq!(deliver(&mut after, &leases[1], seconds(2)), Delivery::Stale);
    (0..3).for_each(|_| after.reject(WorkerId(1), leases[0].epoch));
    after.register(WorkerId(1), NEED.memory);
    assert_eq!(after.workers_set_aside().collect::<Vec<_>>(), [WorkerId(1)], "its results came first");
    let again = acquire(&mut after, 0, 2, seconds(3));
    assert!(again[0].epoch > leases[1].epoch);
    assert_eq!(deliver(&mut after, &again[0], seconds(4)), Delivery::Accepted);
    assert!(after.is_finished());
}

/// The numbers of the tasks that a worker gets.
fn numbers(ledger: &mut Ledger, worker: u64, wish: Wish<'_>, now: Time) -> Vec<u64> {
    let leases = ledger.acquire(WorkerId(worker), wish, now).expect("a worker in good standing");
    leases.iter().map(|lease| lease.task.0).collect()
}

#[test]
fn the_nearest_of_the_first_tasks_is_handed_out() {
    let mut ledger = ledger(3 * SEEN as u64);
    let looked_at = Cell::new(0);
    let backwards = |task: TaskId| {
        looked_at.set(looked_at.get() + 1);
        1000 - task.0
    };
    let wish = Wish { most: 2, memory: 10, distance: &backwards };
    assert_eq!(numbers(&mut ledger, 0, wish, seconds(0)), [SEEN as u64 - 1, SEEN as u64]);
    assert_eq!(looked_at.get(), 2 * SEEN);
    let halves = Wish { most: 3, memory: 10, distance: &|task| (task.0 + 1) % 2 };
    assert_eq!(numbers(&mut ledger, 1, halves, seconds(0)), [1, 3, 5]);
    assert_eq!(numbers(&mut ledger, 2, Wish { distance: &|_| 9, ..halves }, seconds(0)), [0, 2, 4]);
    assert_eq!(numbers(&mut ledger, 2, Wish::plain(3, 10), seconds(0)), [6, 7, 8]);
}

#[test]
fn a_worker_whose_own_tasks_are_far_from_the_first_finds_them() {
    let mut ledger = ledger(9 * SEEN as u64);
    let far = 7 * SEEN as u64;
    let distance = |task: TaskId| if task.0.abs_diff(far) < 5 { task.0.abs_diff(far) } else { OUT_OF_REACH };
    let wish = Wish { most: 3, memory: 10, distance: &distance };
    assert!(numbers(&mut ledger, 0, wish, seconds(0)).is_empty());
    let leases = ledger.acquire_from(WorkerId(0), wish, &|_| TaskId(far - 4), seconds(0));
    let numbers: Vec<u64> = leases.into_iter().flatten().map(|lease| lease.task.0).collect();
    assert_eq!(numbers, [far, far - 1, far + 1]);
}

#[test]
fn a_worker_gets_no_task_that_needs_more_memory_than_it_has() {
    let mut ledger = Ledger::new(Settings::default());
    // Far more than are looked at are too large for the smaller worker, which still gets what fits.
    (0..1000).for_each(|task| ledger.add(TaskId(task), Need { work: 100, memory: 20 + task % 2 }));
    ledger.add(TaskId(1000), Need { work: 100, memory: 5 });
    ledger.add(TaskId(2000), Need { work: 100, memory: 10 });
    assert_eq!(ledger.unfit(), Some(Unfit { tasks: 1002, least: 5, most: 21 }));
    ledger.register(WorkerId(0), 10);
    ledger.register(WorkerId(1), 20);
    assert_eq!(ledger.unfit(), Some(Unfit { tasks: 500, least: 21, most: 21 }));
    assert_eq!(numbers(&mut ledger, 0, Wish::plain(9, 5), seconds(0)), [1000], "what it says now counts, too");
    assert_eq!(numbers(&mut ledger, 0, Wish::plain(9, 99), seconds(0)), [2000], "no more than it registered with");
    assert_eq!(numbers(&mut ledger, 1, Wish::plain(2, 99), seconds(0)), [0, 2]);
    ledger.register(WorkerId(2), 21);
    assert_eq!(ledger.unfit(), None);
    ledger.forget_worker(WorkerId(2));
    assert_eq!(ledger.unfit(), Some(Unfit { tasks: 500, least: 21, most: 21 }));
    (0..3).for_each(|_| ledger.reject(WorkerId(1), Epoch(0)));
    assert_eq!(ledger.unfit(), Some(Unfit { tasks: 1000, least: 20, most: 21 }), "one set aside does not count");
}

#[test]
fn a_straggler_goes_only_to_a_worker_that_has_the_memory() {
    let mut ledger = ledger(1);
    ledger.add(TaskId(1), Need { work: 100, memory: 30 });
    ledger.register(WorkerId(8), 40);
    ledger.register(WorkerId(9), 30);
    let large = Wish { most: 1, memory: 40, distance: &|task| 1 - task.0 };
    assert_eq!(numbers(&mut ledger, 8, large, seconds(0)), [1]);
    let quick = acquire(&mut ledger, 0, 1, seconds(0))[0];
    assert_eq!(deliver(&mut ledger, &quick, seconds(1)), Delivery::Accepted);
    assert!(acquire(&mut ledger, 0, 1, seconds(10)).is_empty(), "it has no memory for it");
    assert_eq!(numbers(&mut ledger, 9, Wish::plain(1, 30), seconds(10)), [1]);
}

#[test]
fn a_task_that_was_set_aside_is_no_straggler() {
    let mut ledger = ledger(2);
    let quick = acquire(&mut ledger, 0, 2, seconds(0))[1];
    assert_eq!(deliver(&mut ledger, &quick, seconds(1)), Delivery::Accepted);
    // Each of them gets it while the one before still has it.
    for worker in 1..4 {
        let now = 10 * worker;
        ledger.expire(seconds(now));
        assert_eq!(numbers(&mut ledger, worker, Wish::plain(1, 10), seconds(now)), [0]);
    }
    let loss = Loss { task: TaskId(0), worker: WorkerId(2), set_aside: true };
    assert_eq!(ledger.expire(seconds(35)), [loss], "the third one");
    assert!(ledger.is_finished());
    let last = *ledger.holds(WorkerId(3)).next().expect("nobody takes it away");
    assert!(acquire(&mut ledger, 0, 1, seconds(43)).is_empty());
    assert_eq!(deliver(&mut ledger, &last, seconds(44)), Delivery::Accepted);
    assert_eq!(ledger.counts(), Counts { done: 2, ..Counts::default() });
}

#[test]
fn dropped_tasks_are_unknown_and_nobody_is_to_blame() {
    let mut ledger = ledger(6);
    let leases = acquire(&mut ledger, 0, 4, seconds(0));
    assert_eq!(deliver(&mut ledger, &leases[1], seconds(1)), Delivery::Accepted);
    assert_eq!(ledger.counts_in(TaskId(1)..=TaskId(4)), Counts { ready: 1, leased: 2, done: 1, set_aside: 0 });
    assert_eq!(ledger.drop_tasks(TaskId(1)..=TaskId(4)), 4);
    assert_eq!(ledger.counts(), Counts { ready: 1, leased: 1, ..Counts::default() });
    assert_eq!(ledger.holds(WorkerId(0)).copied().collect::<Vec<_>>(), leases[..1]);
    for lease in &leases[1..] {
        assert_eq!(deliver(&mut ledger, lease, seconds(2)), Delivery::Unknown);
        assert_eq!(ledger.heartbeat(WorkerId(0), &[lease.epoch], seconds(2)), [lease.epoch]);
    }
    assert_eq!(ledger.expire(seconds(15)).len(), 1);
    // A job that goes on adds its tasks again: they are new, and old leases stay over.
    ledger.add(TaskId(2), NEED);
    assert_eq!(deliver(&mut ledger, &leases[2], seconds(16)), Delivery::Stale);
    let none = TaskId(9)..=TaskId(3);
    assert_eq!((ledger.counts_in(none.clone()), ledger.drop_tasks(none)), (Counts::default(), 0));
    ledger.drop_tasks(TaskId(0)..=TaskId(u64::MAX));
    assert!(ledger.is_finished());
    assert_eq!(ledger.counts(), Counts::default());
}

#[test]
fn a_worker_that_left_is_forgotten_unless_its_results_were_corrupt() {
    let mut ledger = ledger(4);
    for worker in 0..2 {
        assert_eq!(acquire(&mut ledger, worker, 2, seconds(0)).len(), 2);
    }
    ledger.reject(WorkerId(0), Epoch(0));
    (0..2).for_each(|worker| ledger.forget_worker(WorkerId(worker)));
    assert_eq!(ledger.counts(), Counts { ready: 4, ..Counts::default() });
    assert!(ledger.expire(seconds(99)).is_empty(), "nobody is lost");
    for worker in 0..2 {
        assert_eq!(ledger.holds(WorkerId(worker)).count(), 0);
        let refusal = ledger.acquire(WorkerId(worker), Wish::plain(1, 10), seconds(1));
        assert_eq!(refusal, Err(Refusal::Unknown(WorkerId(worker))));
        ledger.register(WorkerId(worker), 10);
        (0..2).for_each(|_| ledger.reject(WorkerId(worker), Epoch(0)));
    }
    assert_eq!(ledger.workers_set_aside().collect::<Vec<_>>(), [WorkerId(0)], "it had one more");
}
