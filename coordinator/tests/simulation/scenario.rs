//! What a run begins with: tasks, workers, and the plan of what goes wrong. A function of the seed.

use std::time::Duration;

pub use antichain_coordinator::ledger::Need;
use antichain_coordinator::ledger::{Digest, Settings};

/// The largest delay of a message while nothing goes wrong.
pub const DELAY: Duration = Duration::from_millis(800);

/// What a run begins with.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Determines everything that is left to chance.
    pub seed: u64,
    /// The ledger's.
    pub settings: Settings,
    /// What each task needs; work is in tenths of a second.
    pub tasks: Vec<Need>,
    /// The workers.
    pub workers: Vec<Worker>,
    /// A task that ends whoever works on it.
    pub poison: Option<u64>,
    /// What goes wrong, and when.
    pub plan: Vec<(Duration, Trouble)>,
}

/// What a worker is like.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    /// The bytes it may use.
    pub memory: u64,
    /// What it delivers.
    pub nature: Nature,
}

/// What a worker delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Right results.
    Honest,
    /// Results that do not match their check.
    Corrupt,
    /// Results that match their check, and are wrong.
    Wrong,
}

/// Something that goes wrong, and for how long. Workers are told by their numbers.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// Messages between worker and coordinator are lost.
    Partition(u64, Duration),
    /// They wait, and then arrive all at once and in any order.
    Hold(u64, Duration),
    /// Some are lost.
    Loss(u64, Duration),
    /// They take long.
    Delay(u64, Duration),
    /// The worker's process ends, and another one is started.
    Crash(u64, Duration),
    /// The coordinator's process ends, and another one is started.
    Restart(Duration),
    /// The worker does nothing, no sign of life either, and then delivers.
    Stall(u64, Duration),
    /// The worker gives back what it has, leaves, and comes back.
    Drain(u64),
}

impl Scenario {
    /// A run of honest workers without any trouble.
    pub fn calm(seed: u64, tasks: u64, workers: u64) -> Self {
        let mut random = Random(seed);
        // One in eight takes longer than a lease without signs of life.
        let mut need = || Need { work: (5 + random.below(50)) * if random.below(8) == 0 { 4 } else { 1 }, memory: 1 };
        Self {
            seed,
            settings: Settings::default(),
            tasks: (0..tasks).map(|_| need()).collect(),
            workers: vec![Worker { memory: 1, nature: Nature::Honest }; workers as usize],
            poison: None,
            plan: Vec::new(),
        }
    }

    /// A run in which much goes wrong, within 80 seconds.
    pub fn rough(seed: u64) -> Self {
        let mut random = Random(!seed);
        let workers = 3 + random.below(3);
        let mut scenario = Self::calm(seed, 16 + random.below(16), workers);
        // Any task may be lost with any worker here, and every one must be done.
        scenario.settings.most_losses = usize::MAX;
        // The first two have the memory for everything.
        scenario.workers.iter_mut().take(2).for_each(|worker| worker.memory = 4);
        scenario.tasks.iter_mut().for_each(|need| need.memory = [1, 1, 1, 2, 4][random.below(5) as usize]);
        if random.below(2) == 0 {
            scenario.workers[workers as usize - 1].nature = Nature::Corrupt;
        }
        let troubles = 6 + random.below(8);
        scenario.plan = (0..troubles).map(|_| (random.millis(1_000, 60_000), trouble(&mut random, workers))).collect();
        scenario
    }
}

fn trouble(random: &mut Random, workers: u64) -> Trouble {
    let worker = random.below(workers);
    match random.below(10) {
        0 => Trouble::Partition(worker, random.millis(500, 20_000)),
        1 => Trouble::Hold(worker, random.millis(500, 20_000)),
        2 => Trouble::Loss(worker, random.millis(5_000, 20_000)),
        3 => Trouble::Delay(worker, random.millis(5_000, 20_000)),
        4 | 5 => Trouble::Crash(worker, random.millis(100, 20_000)),
        6 | 7 => Trouble::Restart(random.millis(100, 10_000)),
        8 => Trouble::Stall(worker, random.millis(10_000, 25_000)),
        _ => Trouble::Drain(worker),
    }
}

/// The right result of a task.
pub fn right(task: u64) -> u64 {
    Random(task).next()
}

/// What a value must come with, so that it is not corrupt.
pub fn check(value: u64) -> u64 {
    Random(value ^ 0xc0de).next()
}

/// A value's digest.
pub fn digest(value: u64) -> Digest {
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&value.to_le_bytes());
    digest[8..16].copy_from_slice(&check(value).to_le_bytes());
    digest
}

/// Numbers that look random, all determined by the first state (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A time in milliseconds, at least `least` and less than `bound`.
    pub fn millis(&mut self, least: u64, bound: u64) -> Duration {
        Duration::from_millis(least + self.below(bound - least))
    }
}
