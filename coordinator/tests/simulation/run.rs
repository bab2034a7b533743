//! A run: hosts, the network between them, the plan of what goes wrong, and the end.
//!
//! It is a function of the scenario: everything runs on one thread, and in simulated time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use antichain_coordinator::ledger::TaskId;
use turmoil::Sim;

use super::coordinator::{Record, coordinator};
use super::scenario::{DELAY, Scenario, Trouble};
use super::watch::Watch;
use super::worker::worker;

/// Simulated time that passes at a time.
const TICK: Duration = Duration::from_millis(100);
/// Simulated time within which all must be done.
const LIMIT: Duration = Duration::from_secs(400);
/// How long a run goes on when all is done: longer than any worker stalls, so that what comes late is seen.
const AFTER: Duration = Duration::from_secs(60);

/// What is not in any host: what a run begins with, what outlives a crash, what is seen of it all, and what is done to
/// workers.
pub struct Shared {
    /// What the run began with.
    pub scenario: Scenario,
    /// The coordinator's.
    pub record: RefCell<Record>,
    /// What is seen.
    pub watch: RefCell<Watch>,
    orders: RefCell<BTreeMap<u64, VecDeque<Order>>>,
    /// Workers that a task has ended.
    crashes: RefCell<Vec<u64>>,
    lives: Cell<u64>,
}

/// What a worker does before it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Nothing for so long, and then it delivers.
    Stall(Duration),
    /// It gives back what it has, leaves and comes back.
    Drain,
}

impl Shared {
    /// What a worker must do now.
    pub fn next_order(&self, worker: u64) -> Option<Order> {
        self.orders.borrow_mut().get_mut(&worker)?.pop_front()
    }

    fn order(&self, worker: u64, order: Order) {
        self.orders.borrow_mut().entry(worker).or_default().push_back(order);
    }

    /// The worker's process ends.
    pub fn crash(&self, worker: u64) {
        self.crashes.borrow_mut().push(worker);
    }

    /// A number for every process.
    pub fn life(&self) -> u64 {
        self.lives.replace(self.lives.get() + 1)
    }

    fn is_done(&self) -> bool {
        let watch = self.watch.borrow();
        (0..self.scenario.tasks.len() as u64)
            .map(TaskId)
            .all(|task| watch.accepted.contains_key(&task) || watch.set_aside.contains(&task))
    }
}

/// What is done to hosts and the network.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Begin(Trouble),
    Repair(u64),
    Release(u64),
    LoseNothing(u64),
    Hurry(u64),
    Start(u64),
    StartCoordinator,
}

/// Runs a scenario to its end, and returns what was seen and the simulated time it took.
///
/// # Errors
/// What must not be.
pub fn run(scenario: Scenario) -> Result<(Watch, Duration), String> {
    let shared = Rc::new(Shared {
        scenario,
        record: RefCell::default(),
        watch: RefCell::default(),
        orders: RefCell::default(),
        crashes: RefCell::default(),
        lives: Cell::default(),
    });
    let mut sim = turmoil::Builder::new()
        .rng_seed(shared.scenario.seed)
        .tick_duration(TICK)
        .min_message_latency(Duration::ZERO)
        .max_message_latency(DELAY)
        .enable_random_order()
        .build();
    let of_coordinator = Rc::clone(&shared);
    sim.host("coordinator", move || coordinator(Rc::clone(&of_coordinator)));
    for number in 0..shared.scenario.workers.len() as u64 {
        let of_worker = Rc::clone(&shared);
        sim.host(name(number), move || worker(Rc::clone(&of_worker), number));
    }
    let mut agenda: BTreeMap<Duration, Vec<Deed>> = BTreeMap::new();
    for &(time, trouble) in &shared.scenario.plan {
        agenda.entry(time).or_default().push(Deed::Begin(trouble));
    }
    let mut done = None;
    loop {
        sim.step().map_err(|error| error.to_string())?;
        let now = sim.elapsed();
        if let Some(fault) = shared.watch.borrow().faults.first() {
            return Err(format!("after {now:?}: {fault}"));
        }
        while let Some(entry) = agenda.first_entry().filter(|entry| *entry.key() <= now) {
            for deed in entry.remove() {
                if let Some((time, undoing)) = act(&mut sim, &shared, deed) {
                    agenda.entry(now + time).or_default().push(undoing);
                }
            }
        }
        for worker in shared.crashes.take() {
            sim.crash(name(worker));
            agenda.entry(now + Duration::from_secs(2)).or_default().push(Deed::Start(worker));
        }
        if done.is_none() && shared.is_done() {
            done = Some(now);
        }
        match done {
            Some(done) if agenda.is_empty() && now > done + AFTER => return Ok((shared.watch.take(), done)),
            None if now > LIMIT => {
                let results = shared.watch.borrow().accepted.len();
                return Err(format!("{results} of {} results after {now:?}", shared.scenario.tasks.len()));
            }
            _ => {}
        }
    }
}

fn name(worker: u64) -> String {
    format!("worker-{worker}")
}

/// Does it, and says what undoes it and after which time.
fn act(sim: &mut Sim<'_>, shared: &Shared, deed: Deed) -> Option<(Duration, Deed)> {
    let coordinator = "coordinator";
    match deed {
        Deed::Begin(Trouble::Partition(worker, time)) => {
            sim.partition(name(worker), coordinator);
            return Some((time, Deed::Repair(worker)));
        }
        Deed::Begin(Trouble::Hold(worker, time)) => {
            sim.hold(name(worker), coordinator);
            return Some((time, Deed::Release(worker)));
        }
        Deed::Begin(Trouble::Loss(worker, time)) => {
            sim.set_link_fail_rate(name(worker), coordinator, 0.2);
            return Some((time, Deed::LoseNothing(worker)));
        }
        Deed::Begin(Trouble::Delay(worker, time)) => {
            sim.set_link_max_message_latency(name(worker), coordinator, 5 * DELAY);
            return Some((time, Deed::Hurry(worker)));
        }
        Deed::Begin(Trouble::Crash(worker, time)) => {
            sim.crash(name(worker));
            return Some((time, Deed::Start(worker)));
        }
        Deed::Begin(Trouble::Restart(time)) => {
            sim.crash(coordinator);
            return Some((time, Deed::StartCoordinator));
        }
        Deed::Begin(Trouble::Stall(worker, time)) => shared.order(worker, Order::Stall(time)),
        Deed::Begin(Trouble::Drain(worker)) => shared.order(worker, Order::Drain),
        Deed::Repair(worker) => sim.repair(name(worker), coordinator),
        Deed::Release(worker) => sim.release(name(worker), coordinator),
        Deed::LoseNothing(worker) => sim.set_link_fail_rate(name(worker), coordinator, 0.0),
        Deed::Hurry(worker) => sim.set_link_max_message_latency(name(worker), coordinator, DELAY),
        Deed::Start(worker) => sim.bounce(name(worker)),
        Deed::StartCoordinator => sim.bounce(coordinator),
    }
    None
}
