//! What a coordinator knows, behind one lock that is held for microseconds only: nothing is read or written under it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use antichain_common::job::task::{Task, TaskKind};
use antichain_common::job::{JobId, Question};

use super::documents::Standing;
use super::job::Job;
use crate::course::Next;
use crate::ledger::{Lease, Ledger, OUT_OF_REACH, Refusal, Settings, TaskId, Time, Wish, WorkerId};
use crate::task_id::{JobNumber, batch_of, task_id, task_of, tasks_of};

/// Time for which a worker that is not heard of any more is still listed.
const LISTED: Duration = Duration::from_secs(600);

/// Which tasks a worker gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of its own share of a layer, and those that read little.
    Near,
    /// Those of others too, but for joins.
    AllButJoins,
    /// All.
    All,
}

/// A worker.
pub struct Worker {
    /// Host and process, for people.
    pub name: String,
    /// Threads that compute.
    pub threads: u32,
    /// Bytes that tasks may use.
    pub memory: u64,
    /// Where others can fetch from it.
    pub peer: Option<String>,
    /// When it was heard of last.
    pub seen: Time,
    /// Results that counted.
    pub delivered: u64,
}

/// Jobs, workers and leases.
pub struct State {
    /// Whose the tasks are.
    pub ledger: Ledger,
    /// The jobs that are not over.
    pub jobs: BTreeMap<JobNumber, Job>,
    /// The workers that have registered.
    pub workers: BTreeMap<WorkerId, Worker>,
    /// Names of workers that have left, or delivered before a restart: an alarm is to name them.
    pub former: BTreeMap<WorkerId, String>,
    /// Workers by the number that their process chose.
    pub instances: HashMap<u64, WorkerId>,
    /// Why nothing can be stored at the moment.
    pub no_room: Option<String>,
    /// Whether it is about to stop.
    pub is_draining: bool,
    lease: Duration,
    next_worker: u64,
    /// The part of a layer that each live worker prefers, as the place of its middle among 2^20: workers share a layer
    /// evenly, and each finds much of what it needs among what it made itself.
    homes: HashMap<WorkerId, u64>,
}

impl State {
    /// No job, no worker; no epoch below `next_epoch` is given out, and no number of a worker either: one that still uses
    /// the number it had before a restart must not be taken for another.
    pub fn new(settings: Settings, next_epoch: u64) -> Self {
        Self {
            ledger: Ledger::after_restart(settings, next_epoch),
            jobs: BTreeMap::new(),
            workers: BTreeMap::new(),
            former: BTreeMap::new(),
            instances: HashMap::new(),
            no_room: None,
            is_draining: false,
            lease: settings.lease,
            next_worker: next_epoch,
            homes: HashMap::new(),
        }
    }

    /// The number of a worker by that of its process: the same at every registration.
    pub fn worker_of_instance(&mut self, instance: u64) -> WorkerId {
        if let Some(&worker) = self.instances.get(&instance) {
            return worker;
        }
        let worker = self.new_number();
        self.instances.insert(instance, worker);
        worker
    }

    /// A number for a worker of which nothing but the name is known, and its results.
    pub fn former_worker(&mut self, name: String) -> WorkerId {
        if let Some((&worker, _)) = self.former.iter().find(|(_, known)| **known == name) {
            return worker;
        }
        let worker = self.new_number();
        self.former.insert(worker, name);
        worker
    }

    /// A number that nobody guesses: who knows it speaks for the worker.
    fn new_number(&mut self) -> WorkerId {
        self.next_worker += 1;
        let random = getrandom::u64().map(WorkerId).ok();
        let is_free = |worker: &WorkerId| !self.workers.contains_key(worker) && !self.former.contains_key(worker);
        random.filter(is_free).unwrap_or(WorkerId(self.next_worker - 1))
    }

    /// The job of that id, if it is not over.
    pub fn job(&self, id: &JobId) -> Option<&Job> {
        self.jobs.values().find(|job| job.id == *id)
    }

    /// The same, to be changed.
    pub fn job_mut(&mut self, id: &JobId) -> Option<&mut Job> {
        self.jobs.values_mut().find(|job| job.id == *id)
    }

    /// Hands out what a job's stored findings make possible, and returns that with the steps that are.
    pub fn advance(&mut self, number: JobNumber) -> Next {
        let Some(job) = self.jobs.get_mut(&number).filter(|job| job.is_running()) else { return Next::default() };
        let next = job.next();
        for &task in &next.tasks {
            self.ledger.add(task_id(number, task), job.need(task));
        }
        next
    }

    /// Hands out everything of a job that is possible and not done, as after a pause.
    pub fn hand_out(&mut self, number: JobNumber) {
        let Some(job) = self.jobs.get(&number).filter(|job| job.is_running()) else { return };
        for task in job.open_tasks() {
            self.ledger.add(task_id(number, task), job.need(task));
        }
    }

    /// Takes the tasks of a job back.
    pub fn take_back(&mut self, number: JobNumber) {
        self.ledger.drop_tasks(tasks_of(number));
    }

    /// Leases for a worker: of the first tasks in turn those that are near to what it has, and others as far as it reaches.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn acquire(&mut self, worker: WorkerId, most: usize, reach: Reach, now: Time) -> Result<Vec<Lease>, Refusal> {
        if self.no_room.is_some() || self.is_draining {
            return Ok(Vec::new());
        }
        let order = self.give_order(worker);
        let memory = self.workers.get(&worker).map_or(0, |worker| worker.memory);
        let home = self.homes.get(&worker).copied().unwrap_or(0);
        let jobs = &self.jobs;
        let workers = (self.homes.len() as u64).max(1);
        let distance = |id: TaskId| {
            let Some((job, task)) = task_of(id).and_then(|(job, task)| Some((jobs.get(&job)?, task))) else { return 0 };
            let away = job.position(task).abs_diff(home);
            let reaches = match task.kind {
                // Of a game everybody reads everything.
                TaskKind::Solve if job.record.spec.question == Question::Extensions => reach != Reach::Near,
                TaskKind::Join => reach == Reach::All,
                // One at a time, and what somebody has nobody else gets: it takes as long as it may.
                TaskKind::Search | TaskKind::Prove if order != Some(id) => return OUT_OF_REACH,
                // What is cheap to read is anybody's.
                _ => true,
            };
            if !reaches && away > (1 << 20) / (2 * workers.min(job.shards_beside(task))) {
                return OUT_OF_REACH;
            }
            // Its turn first, and then how far it is from home.
            batch_of(id) << 20 | away
        };
        // A layer of many shards is longer than what is looked at from its beginning.
        let own = |first: TaskId| {
            let Some((number, task)) = task_of(first) else { return first };
            let shards = jobs.get(&number).map_or(1, |job| job.shards_beside(task));
            let start = home.saturating_sub((1 << 20) / (2 * workers));
            task_id(number, Task { shard: ((start * shards) >> 20) as usize, ..task })
        };
        self.ledger.acquire_from(worker, Wish { most, memory, distance: &distance }, &own, now)
    }

    /// Shares layers anew among the workers that are heard of.
    pub fn share(&mut self, now: Time) {
        let live = self.live(now);
        let count = (live.len() as u64).max(1);
        let home = |number: u64| ((2 * number + 1) << 20) / (2 * count);
        self.homes = live.into_iter().zip(0..).map(|(worker, number)| (worker, home(number))).collect();
    }

    /// Workers that are not heard of any more count no longer, as to memory above all. Their leases have ended by then. One
    /// that comes back registers again; one that does not is not even listed after a while.
    pub fn forget_silent(&mut self, now: Time) {
        let silent = |worker: &Worker| now.saturating_sub(worker.seen);
        let gone: Vec<WorkerId> =
            self.workers.iter().filter(|(_, w)| silent(w) > self.lease).map(|(&id, _)| id).collect();
        for id in gone {
            if self.ledger.holds(id).next().is_none() {
                self.ledger.forget_worker(id);
            }
        }
        let listed = self.lease.max(LISTED);
        let former = &mut self.former;
        self.workers.retain(|&id, worker| {
            let is_listed = now.saturating_sub(worker.seen) <= listed;
            if !is_listed && worker.delivered > 0 {
                former.insert(id, std::mem::take(&mut worker.name));
            }
            is_listed
        });
        self.instances.retain(|_, id| self.workers.contains_key(id));
    }

    /// The workers that are heard of and get tasks.
    pub fn live(&self, now: Time) -> BTreeSet<WorkerId> {
        let aside: BTreeSet<WorkerId> = self.ledger.workers_set_aside().collect();
        let heard = |worker: &Worker| now.saturating_sub(worker.seen) <= self.lease;
        self.workers.iter().filter(|(id, worker)| heard(worker) && !aside.contains(id)).map(|(&id, _)| id).collect()
    }

    /// The searches that have run for as long as they may.
    pub fn out_of_budget(&self) -> Vec<JobNumber> {
        let is_over = |job: &&Job| job.is_running() && job.record.budget.is_some_and(|budget| job.seconds() >= budget);
        self.jobs.values().filter(is_over).map(Job::number).collect()
    }

    /// The name of a worker.
    pub fn name_of(&self, worker: WorkerId) -> String {
        let known = self.workers.get(&worker).map(|worker| &worker.name).or_else(|| self.former.get(&worker));
        known.cloned().unwrap_or_else(|| format!("worker {}", worker.0))
    }

    /// The names of workers, sorted: their numbers are in no order.
    pub fn names_of(&self, workers: impl Iterator<Item = WorkerId>) -> Vec<String> {
        let mut names: Vec<String> = workers.map(|worker| self.name_of(worker)).collect();
        names.sort_unstable();
        names
    }

    /// What a lease is about.
    pub fn job_of(&self, task: TaskId) -> Option<(&Job, Task)> {
        let (number, task) = task_of(task)?;
        Some((self.jobs.get(&number)?, task))
    }

    /// Stops a job for good or for a while; its record is to be stored.
    pub fn stop(&mut self, number: JobNumber, standing: Standing, reason: String) {
        if let Some(job) = self.jobs.get_mut(&number) {
            job.record.seconds = job.seconds();
            job.record.standing = standing;
            job.record.reason = reason;
            job.pace.restart();
        }
        self.take_back(number);
    }
}
