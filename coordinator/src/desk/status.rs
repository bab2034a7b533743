//! Where jobs and workers stand, for people.

use antichain_common::job::task::Task;
use antichain_common::job::{self, Answer, JobError, JobId};

use super::Desk;
use super::documents::{ClusterRecord, Standing};
use super::jobs::JobsError;
use super::state::State;
use crate::ledger::{Counts, WorkerId};
use crate::plies::{Plies, PliesStatus};
use crate::task_id::{task_of, tasks_of};

/// What a job is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Its tasks are handed out.
    Running,
    /// There is nobody to hand them to.
    Waiting,
    /// It waits for the user, or for room on the disk.
    Paused,
    /// Nothing, by the user's wish.
    Cancelled,
    /// Nothing: it cannot go on.
    Failed,
    /// Nothing: the answer is there.
    Finished,
}

/// Where a job stands.
pub struct JobStatus {
    /// The job.
    pub job: JobId,
    /// What is asked.
    pub spec: antichain_common::job::JobSpec,
    /// What it is doing.
    pub doing: Doing,
    /// Why, where that needs saying.
    pub reason: String,
    /// How far it is.
    pub progress: Progress,
    /// Tasks set aside, with the workers that were lost on them.
    pub troubled: Vec<(Task, Vec<String>)>,
    /// Workers whose results were corrupt.
    pub workers_set_aside: Vec<String>,
    /// The answer, if it is there, and the seconds it took.
    pub answer: Option<(Answer, f64)>,
    /// Workers that are heard of.
    pub workers: usize,
    /// Of a search that is not over.
    pub search: Option<PliesStatus>,
}

/// How far a job is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Layer at work, and the last one.
    pub layer: usize,
    /// The last layer.
    pub last_layer: usize,
    /// Tasks.
    pub tasks: Counts,
    /// Tasks whose results are stored.
    pub done: u64,
    /// Work done, and in all as far as is known.
    pub work: (u64, u64),
    /// States dealt with.
    pub states: u64,
    /// States in a second lately.
    pub states_per_second: f64,
    /// Seconds that are left, where that is no guess.
    pub seconds_left: Option<f64>,
}

/// Where a worker stands.
pub struct WorkerStatus {
    /// Host and process.
    pub name: String,
    /// Threads that compute.
    pub threads: u32,
    /// Bytes that tasks may use.
    pub memory: u64,
    /// What it has in hand.
    pub tasks: Vec<String>,
    /// Seconds since it was heard of.
    pub silent: f64,
    /// Whether it gets nothing any more.
    pub set_aside: bool,
    /// Results that counted.
    pub delivered: u64,
    /// Whether it has been silent for longer than a lease.
    pub gone: bool,
}

impl Desk {
    /// Where a job stands.
    ///
    /// # Errors
    /// [`JobsError::Job`] if there is none of that name.
    pub fn status(&self, id: &JobId) -> Result<JobStatus, JobsError> {
        let active = {
            let mut state = self.state();
            self.status_of_active(&mut state, id)
        };
        match active {
            Some(status) => Ok(status),
            None => self.status_of_stored(id),
        }
    }

    /// Where all jobs stand, by id.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn statuses(&self) -> Result<Vec<JobStatus>, JobsError> {
        job::jobs(&self.store)?.iter().map(|summary| self.status(&summary.job)).collect()
    }

    fn status_of_active(&self, state: &mut State, id: &JobId) -> Option<JobStatus> {
        let now = self.now();
        let number = state.job(id)?.number();
        let tasks = state.ledger.counts_in(tasks_of(number));
        let live = state.live(now);
        let unfit = state.ledger.unfit();
        let troubled: Vec<(Task, Vec<String>)> = state
            .ledger
            .set_aside()
            .filter_map(|(task, lost)| {
                let (of, task) = task_of(task)?;
                (of == number).then(|| (task, state.names_of(lost.iter().copied())))
            })
            .collect();
        let workers_set_aside = state.names_of(state.ledger.workers_set_aside());
        let no_room = state.no_room.clone();
        let job = state.job_mut(id)?;
        let (doing, reason) = match job.record.standing {
            Standing::Paused => (Doing::Paused, job.record.reason.clone()),
            Standing::Failed => (Doing::Failed, job.record.reason.clone()),
            Standing::Cancelled => (Doing::Cancelled, String::new()),
            Standing::Finished => (Doing::Finished, String::new()),
            Standing::Running => match (no_room, unfit) {
                (Some(reason), _) => (Doing::Paused, reason),
                (None, _) if live.is_empty() => {
                    (Doing::Waiting, "no worker is heard of; `antichain worker` starts one".to_owned())
                }
                (None, Some(unfit)) if tasks.leased == 0 && tasks.ready > 0 => (
                    Doing::Waiting,
                    format!(
                        "no worker has the memory for {} of its tasks: they take {} MiB; `antichain worker --memory` says how much a worker may use",
                        unfit.tasks,
                        unfit.most.div_ceil(1 << 20)
                    ),
                ),
                (None, _) if tasks.set_aside > 0 && tasks.leased + tasks.ready == 0 => (
                    Doing::Waiting,
                    "the tasks that are left were lost with several workers and are set aside; `antichain pause` and `antichain resume` hand them out again".to_owned(),
                ),
                _ => (Doing::Running, String::new()),
            },
        };
        let search = job.plies.as_ref().map(Plies::status);
        let total = job.work_total();
        let seconds_left = if doing == Doing::Running { job.pace.seconds_left(now, total) } else { None };
        let (layer, last_layer) = job.course.as_ref().map_or((0, 0), |course| (course.turn(), course.last_turn()));
        let progress = Progress {
            layer,
            last_layer,
            tasks,
            done: job.done,
            work: (job.work_done, total),
            states: job.states,
            states_per_second: job.pace.states_per_second(),
            seconds_left,
        };
        let (job, spec, workers) = (job.id.clone(), job.record.spec.clone(), live.len());
        let answer = None;
        Some(JobStatus { job, spec, doing, reason, progress, troubled, workers_set_aside, answer, workers, search })
    }

    /// Where a job stands that is over, or that this coordinator has nothing to do with.
    fn status_of_stored(&self, id: &JobId) -> Result<JobStatus, JobsError> {
        let record = ClusterRecord::load(&self.store, id)?;
        let seconds = record.as_ref().map_or(0.0, |record| record.seconds);
        // What `run` has stored is of an earlier process.
        let resumed = record.as_ref().is_none_or(|record| record.resumed);
        let (doing, reason, answer) = match job::finished(&self.store, &id.0) {
            Ok((mut answer, _)) => {
                answer.resumed = resumed;
                (Doing::Finished, String::new(), Some((answer, seconds)))
            }
            Err(JobError::Unfinished(_)) => match &record {
                Some(record) if record.standing == Standing::Failed => (Doing::Failed, record.reason.clone(), None),
                Some(_) => (Doing::Cancelled, String::new(), None),
                None => (Doing::Paused, "begun by `antichain run`; submit its question to go on".to_owned(), None),
            },
            Err(error) => return Err(error.into()),
        };
        let spec = match (&answer, record) {
            (Some((answer, _)), _) => answer.spec.clone(),
            (None, Some(record)) => record.spec,
            (None, None) => self.spec_of_run(id)?,
        };
        let (job, progress) = (id.clone(), Progress::default());
        let (troubled, workers_set_aside, workers) = (Vec::new(), Vec::new(), self.state().live(self.now()).len());
        let search = None;
        Ok(JobStatus { job, spec, doing, reason, progress, troubled, workers_set_aside, answer, workers, search })
    }

    fn spec_of_run(&self, id: &JobId) -> Result<antichain_common::job::JobSpec, JobsError> {
        let all = job::jobs(&self.store)?;
        let summary = all.into_iter().find(|summary| summary.job == *id);
        Ok(summary.map(|summary| summary.spec).ok_or_else(|| JobError::Unfinished(id.clone()))?)
    }

    /// Where all workers stand.
    pub fn workers(&self) -> Vec<WorkerStatus> {
        let now = self.now();
        let state = self.state();
        let aside: Vec<WorkerId> = state.ledger.workers_set_aside().collect();
        let status = |(&id, worker): (&WorkerId, &super::state::Worker)| WorkerStatus {
            name: worker.name.clone(),
            threads: worker.threads,
            memory: worker.memory,
            tasks: state
                .ledger
                .holds(id)
                .filter_map(|lease| state.job_of(lease.task))
                .map(|(job, task)| format!("{}: {task}", job.id))
                .collect(),
            silent: now.saturating_sub(worker.seen).as_secs_f64(),
            set_aside: aside.contains(&id),
            delivered: worker.delivered,
            gone: now.saturating_sub(worker.seen) > self.settings.lease,
        };
        let mut all: Vec<WorkerStatus> = state.workers.iter().map(status).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }
}
