//! Storing results: a group of them in one commit, and after that the ledger and the jobs are told.

use std::sync::Weak;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use antichain_common::job::search::proof::proof_key;
use antichain_common::job::search::settled::settled_key;
use antichain_common::job::task::{Findings, Task, TaskKind};
use antichain_common::store::{Commit, ShardKey, ShardRecord, Store, StoreError};
use tokio::sync::oneshot;

use super::Desk;
use super::documents::{PLIES, StoredFindings, candidates_key, task_document};
use super::work::WorkError;
use crate::ledger::{Delivery, Digest, Epoch, TaskId, WorkerId};
use crate::task_id::task_of;
use antichain_common::job::JobId;

/// Results in a commit, at most: a flush costs milliseconds, whatever is in it.
const GROUP: usize = 256;
/// Time from one commit to the next when results come faster than that: then more of them share one.
const STEP: Duration = Duration::from_millis(20);
/// How often the clerk looks whether the desk is still there.
const LOOK: Duration = Duration::from_millis(500);

/// A checked result whose file, if it has one, is on the disk.
pub struct Delivered {
    pub worker: WorkerId,
    pub task: TaskId,
    pub epoch: Epoch,
    pub findings: Findings,
    pub record: Option<ShardRecord>,
    pub digest: Digest,
    pub reply: oneshot::Sender<Result<Delivery, WorkError>>,
}

/// Serves until the desk is gone.
pub fn serve(desk: &Weak<Desk>, results: &Receiver<Delivered>) {
    // When the last commit began that was not of one result alone.
    let mut shared: Option<Instant> = None;
    loop {
        let first = match results.recv_timeout(LOOK) {
            Ok(first) => first,
            Err(RecvTimeoutError::Timeout) if desk.strong_count() > 0 => continue,
            Err(_) => return,
        };
        let Some(desk) = desk.upgrade() else { return };
        // A result that comes alone, as with few workers, does not wait for others.
        if let Some(rest) = shared.and_then(|shared| STEP.checked_sub(shared.elapsed())) {
            std::thread::sleep(rest);
        }
        let start = Instant::now();
        let mut group = vec![first];
        group.extend(results.try_iter().take(GROUP - 1));
        shared = (group.len() > 1).then_some(start);
        desk.store_results(group);
    }
}

/// The key of the file of a task's result.
pub fn file_key(job: &JobId, task: Task) -> Option<ShardKey> {
    match task.kind {
        TaskKind::Enumerate => Some(candidates_key(job, task.layer, task.shard)),
        TaskKind::Solve | TaskKind::Duals => Some(task.kind.side()?.key(job, task.layer, task.shard)),
        TaskKind::Search => Some(settled_key(job, task.shard)),
        TaskKind::Prove => Some(proof_key(job)),
        TaskKind::Join | TaskKind::Whole => None,
    }
}

impl Desk {
    fn store_results(&self, group: Vec<Delivered>) {
        let mut commit = Commit::new();
        let mut accepted: Vec<Delivered> = Vec::new();
        // The same results once more: they are there when the first ones are.
        let mut again: Vec<Delivered> = Vec::new();
        for result in group {
            let verdict = self.judge_for_storing(&result, &accepted);
            match verdict {
                Delivery::Accepted => accepted.push(result),
                Delivery::Identical if accepted.iter().any(|first| first.task == result.task) => again.push(result),
                Delivery::Different(other) => {
                    self.alarm(result.task, result.worker, other);
                    answer(result, Ok(verdict));
                }
                _ => answer(result, Ok(verdict)),
            }
        }
        if accepted.is_empty() {
            return;
        }
        if let Some(reason) = self.lack_of_room(0) {
            let all = accepted.into_iter().chain(again);
            all.for_each(|result| answer(result, Err(WorkError::NoRoom(reason.clone()))));
            return;
        }
        let storing = self.storing();
        let put = accepted.iter().try_for_each(|result| self.put(result, &mut commit));
        let stored = put.and_then(|()| self.store.commit(commit));
        drop(storing);
        if let Err(error) = stored {
            let reason = error.to_string();
            let all = accepted.into_iter().chain(again);
            all.for_each(|result| answer(result, Err(WorkError::Store(reason.clone()))));
            // A catalogue that failed once takes nothing more before it is opened anew.
            self.give_up(reason);
            return;
        }
        self.tell(accepted);
        again.into_iter().for_each(|result| answer(result, Ok(Delivery::Identical)));
    }

    /// What a result is worth now; the same result twice in a group is stored once.
    fn judge_for_storing(&self, result: &Delivered, accepted: &[Delivered]) -> Delivery {
        if let Some(first) = accepted.iter().find(|first| first.task == result.task) {
            let same = first.digest == result.digest;
            return if same { Delivery::Identical } else { Delivery::Different(first.worker) };
        }
        self.state().ledger.judge(result.worker, result.task, result.epoch, result.digest)
    }

    fn put(&self, result: &Delivered, commit: &mut Commit) -> Result<(), StoreError> {
        let state = self.state();
        let Some((job, task)) = state.job_of(result.task) else { return Ok(()) };
        let id = job.id.clone();
        // What is split now is what the next orders come from.
        let plies = job.plies.as_ref().map(|plies| plies.record().clone());
        let worker = state.name_of(result.worker);
        drop(state);
        if let (Some(record), Some(key)) = (&result.record, file_key(&id, task)) {
            commit.put_shard(key, record.clone());
        }
        let digest = result.digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let stored = StoredFindings { task, findings: result.findings.clone(), digest, worker };
        commit.put_document(&id.0, &task_document(task), &stored)?;
        if let Some(plies) = plies {
            commit.put_document(&id.0, PLIES, &plies)?;
        }
        Ok(())
    }

    /// Tells the ledger and the jobs what is stored.
    fn tell(&self, accepted: Vec<Delivered>) {
        let now = self.now();
        let mut numbers = Vec::new();
        let mut state = self.state();
        for result in accepted {
            let Delivered { worker, task, epoch, findings, digest, reply, .. } = result;
            if state.ledger.deliver(worker, task, epoch, digest, now) == Delivery::Stale {
                // The lease ended while the result was being stored.
                state.ledger.record(worker, task, digest);
            }
            if let Some(known) = state.workers.get_mut(&worker) {
                known.delivered += 1;
            }
            let name = state.name_of(worker);
            if let Some((number, of_job)) = task_of(task)
                && let Some(job) = state.jobs.get_mut(&number)
            {
                if let Some(side) = of_job.kind.side() {
                    job.makers.insert((side, of_job.layer, of_job.shard), worker);
                }
                tracing::debug!(job = %job.id, task = %of_job, number = task.0, worker = name, epoch = epoch.0, "stored");
                let before = (job.work_done, job.states);
                job.add(of_job, findings, now);
                self.meters.work_done.add(job.work_done - before.0);
                self.meters.states_done.add(job.states - before.1);
                numbers.push(number);
            }
            // A worker that has gone away meanwhile hears of it when it comes back.
            let _ = reply.send(Ok(Delivery::Accepted));
        }
        drop(state);
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            self.finish_whole(number);
            self.advance(number);
        }
    }
}

fn answer(result: Delivered, verdict: Result<Delivery, WorkError>) {
    // A worker that has gone away meanwhile hears of it when it comes back.
    let _ = result.reply.send(verdict);
}

/// Whether a store has the file of every stored result of a task.
pub fn has_file(store: &Store, job: &JobId, found: &StoredFindings) -> Result<bool, StoreError> {
    let needs_file = match &found.findings {
        Findings::Enumerated { .. } | Findings::Duals(_) | Findings::Proved(_) => true,
        Findings::Solved(solved) => solved.values.is_some() || solved.positions.is_some(),
        Findings::Joined { .. } | Findings::Whole(_) | Findings::Surveyed(_) => false,
        // Who won stays true without the file.
        Findings::Sampled(_) | Findings::Searched(_) | Findings::Confused => false,
    };
    match file_key(job, found.task).filter(|_| needs_file) {
        Some(key) => Ok(store.shard(&key)?.is_some()),
        None => Ok(true),
    }
}
