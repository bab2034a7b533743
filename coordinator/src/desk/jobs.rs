//! What users ask of the desk about jobs. Everything here may take a moment: it reads and writes the store.

use std::time::Duration;

use antichain_common::job::certificate::Certificate;
use antichain_common::job::records::{JOB, JOB_FORMAT, JobRecord, JobState, space_owner};
use antichain_common::job::{self, JobError, JobId, JobSpec, Method, Plan, Question, Takeover};
use antichain_common::poset::{Poset, PosetError};
use antichain_common::store::{Commit, ShardKind, Store, StoreError, free_space};

use super::Desk;
use super::documents::{CLUSTER, ClusterRecord, Standing};
use super::steps::StepError;
use crate::task_id::JobNumber;

/// Why a user does not get what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum JobsError {
    /// The job cannot be done, or there is none of that name.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The poset is none.
    #[error(transparent)]
    Poset(#[from] PosetError),
    /// The job cannot be taken up.
    #[error("{0}")]
    TakeUp(String),
    /// It is over.
    #[error("{job} is {standing}; it cannot be {wish}")]
    Over {
        /// The job.
        job: JobId,
        /// What became of it.
        standing: &'static str,
        /// What it was to become.
        wish: &'static str,
    },
    /// Nothing can be stored at the moment.
    #[error("{0}")]
    NoRoom(String),
}

impl From<StoreError> for JobsError {
    fn from(error: StoreError) -> Self {
        Self::Job(error.into())
    }
}

impl From<StepError> for JobsError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Store(error) => error.into(),
            StepError::Job(error) => error.into(),
            StepError::Poset(error) => error.into(),
            other => Self::TakeUp(other.to_string()),
        }
    }
}

impl Desk {
    /// What a job will need.
    ///
    /// # Errors
    /// [`JobsError::Poset`], [`JobsError::Job`].
    pub fn plan(&self, spec: &JobSpec) -> Result<Plan, JobsError> {
        Ok(spec.plan()?)
    }

    /// Begins a job, lets it go on, or finds it finished; returns its id. A search that has a budget is paused when it has run
    /// for that long from now on.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn submit(&self, spec: &JobSpec, keep_values: bool, budget: Option<Duration>) -> Result<JobId, JobsError> {
        let spec = spec.normal()?;
        let id = spec.id();
        let _steering = self.steering();
        if self.is_answered(&id, keep_values)? {
            return Ok(id);
        }
        let running = self.state().job(&id).map(|job| job.record.standing);
        if running.is_some() {
            self.set_budget(&id, budget);
        }
        match running {
            Some(Standing::Running) => return Ok(id),
            Some(Standing::Paused) => {
                self.go_on(&id)?;
                return Ok(id);
            }
            _ => {}
        }
        if let Some(reason) = self.lack_of_room(0) {
            return Err(JobsError::NoRoom(reason));
        }
        let plan = spec.plan()?;
        let keep_values = plan.keeps_values(keep_values);
        let stored = ClusterRecord::load(&self.store, &id)?;
        let (space, whole) = match spec.question {
            Question::Ruler | Question::Estimate => (id.0.clone(), false),
            _ if spec.position.is_some() => (id.0.clone(), false),
            _ => {
                let poset: Poset = spec.poset.parse()?;
                let base = match plan.method {
                    Method::Plain { .. } => poset.len(),
                    Method::Halves { .. } => poset.len() / 2,
                };
                (space_owner(&spec.poset, base), plan.is_small() && !keep_values)
            }
        };
        let seconds = stored.as_ref().filter(|_| spec.position.is_some()).map_or(0.0, |stored| stored.seconds);
        let job = JobRecord {
            spec: spec.clone(),
            state: JobState::Running,
            format: JOB_FORMAT,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            method: plan.method,
            space,
        };
        let record = ClusterRecord {
            number: stored.as_ref().map_or_else(|| self.next_number(), |stored| Ok(stored.number))?,
            standing: Standing::Running,
            reason: String::new(),
            keep_values,
            whole,
            seconds,
            resumed: stored.is_some(),
            budget: budget.map(|budget| seconds + budget.as_secs_f64()),
            spec,
        };
        let mut commit = Commit::new();
        commit.put_document(&id.0, JOB, &job)?.put_document(&id.0, CLUSTER, &record)?;
        // What another job has stored does not change meanwhile.
        let storing = self.storing();
        let takeover = if whole || job.spec.position.is_some() { None } else { Takeover::find(&self.store, &job)? };
        let there = takeover.as_ref().map_or(0, Takeover::bytes);
        let needed = (plan.disk(keep_values) as u64).saturating_sub(there);
        let free = free_space(self.store.directory()).unwrap_or(u64::MAX);
        if needed > free {
            return Err(JobError::Disk { job: id, needed, free }.into());
        }
        if let Some(takeover) = takeover {
            takeover.apply(&self.store, &job)?;
        }
        self.store.commit(commit)?;
        drop(storing);
        self.take_up(record)?;
        tracing::info!(job = %id, "submitted");
        Ok(id)
    }

    /// Whether a job is finished, with its values if they are wanted.
    fn is_answered(&self, id: &JobId, keep_values: bool) -> Result<bool, JobsError> {
        let Some(certificate) = Certificate::load(&self.store, id)? else { return Ok(false) };
        let mut kept = certificate.format == JOB_FORMAT;
        if let Some(positions) = certificate.positions.as_ref().filter(|_| keep_values) {
            kept = kept && positions.are_stored(&self.store, id)?;
        }
        for layer in certificate.value_layers.iter().filter(|_| keep_values) {
            kept = kept && layer.is_kept(&self.store, id)?;
        }
        Ok(kept)
    }

    /// A search may run for so long from now on.
    fn set_budget(&self, id: &JobId, budget: Option<Duration>) {
        let mut state = self.state();
        if let Some(job) = state.job_mut(id) {
            job.record.budget = budget.map(|budget| job.seconds() + budget.as_secs_f64());
        }
    }

    /// Pauses a search that has run for as long as it may.
    pub(super) fn pause_out_of_budget(&self, number: JobNumber) {
        let reason = {
            let mut state = self.state();
            let Some(job) = state.jobs.get_mut(&number).filter(|job| job.is_running()) else { return };
            // What goes on later has no budget but a new one.
            let budget = Duration::from_secs_f64(job.record.budget.take().unwrap_or_default().clamp(0.0, 1e15));
            let reason = format!("its time of {} s is over; `antichain resume {}` goes on", budget.as_secs(), job.id);
            tracing::info!(job = %job.id, "{reason}");
            state.stop(number, Standing::Paused, reason.clone());
            reason
        };
        if let Err(error) = self.store_record(number) {
            tracing::error!("that a job is paused ({reason}) cannot be stored: {error}");
        }
        self.news.notify_waiters();
    }

    fn next_number(&self) -> Result<u32, StoreError> {
        let mut next = 0;
        for name in self.store.documents_of_owners("")?.into_iter().filter(|document| document.name == CLUSTER) {
            let record = ClusterRecord::load(&self.store, &JobId(name.owner))?;
            next = next.max(record.map_or(0, |record| record.number + 1));
        }
        Ok(next)
    }

    /// Stops handing out the tasks of a job for a while.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn pause(&self, id: &JobId) -> Result<(), JobsError> {
        self.change(id, Standing::Paused, "paused")
    }

    /// Stops a job for good. What is stored of it stays until it is removed.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn cancel(&self, id: &JobId) -> Result<(), JobsError> {
        self.change(id, Standing::Cancelled, "cancelled")
    }

    fn change(&self, id: &JobId, standing: Standing, wish: &'static str) -> Result<(), JobsError> {
        let _steering = self.steering();
        let number = {
            let mut state = self.state();
            let Some(number) = state.job(id).map(super::job::Job::number) else {
                drop(state);
                return Err(self.over(id, wish));
            };
            let reason = if standing == Standing::Paused { "by the user" } else { "" };
            state.stop(number, standing, reason.to_owned());
            number
        };
        self.store_record(number)?;
        if standing == Standing::Cancelled {
            self.state().jobs.remove(&number);
        }
        self.news.notify_waiters();
        Ok(())
    }

    /// Lets a paused or failed job go on.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn resume(&self, id: &JobId) -> Result<(), JobsError> {
        let _steering = self.steering();
        self.go_on(id)
    }

    fn go_on(&self, id: &JobId) -> Result<(), JobsError> {
        let standing = self.state().job(id).map(|job| job.record.standing);
        match standing {
            Some(Standing::Running) => return Ok(()),
            Some(Standing::Paused) => {
                let number = {
                    let mut state = self.state();
                    let Some(job) = state.job_mut(id) else { return Ok(()) };
                    job.record.standing = Standing::Running;
                    job.record.reason = String::new();
                    job.since = std::time::Instant::now();
                    let number = job.number();
                    state.hand_out(number);
                    number
                };
                self.tasks.notify_waiters();
                self.store_record(number)?;
                self.advance(number);
                return Ok(());
            }
            _ => {}
        }
        let stored = ClusterRecord::load(&self.store, id)?;
        match stored {
            Some(record) if record.standing != Standing::Finished => {
                // A file that is damaged is what a failure may have come from.
                self.set_aside_damaged(id)?;
                let record =
                    ClusterRecord { standing: Standing::Running, reason: String::new(), resumed: true, ..record };
                let number = JobNumber(record.number);
                self.state().jobs.remove(&number);
                self.take_up(record)?;
                Ok(self.store_record(number)?)
            }
            _ => Err(self.over(id, "resumed")),
        }
    }

    fn set_aside_damaged(&self, id: &JobId) -> Result<(), StoreError> {
        let mut keys = Vec::new();
        for kind in [
            ShardKind::Values,
            ShardKind::Duals,
            ShardKind::Candidates,
            ShardKind::Sample,
            ShardKind::Settled,
            ShardKind::Proof,
        ] {
            keys.extend(self.store.shards_of(&id.0, kind)?);
        }
        if let Some(record) = JobRecord::load(&self.store, id)? {
            keys.extend(self.store.shards_of(&record.space, ShardKind::Bases)?);
        }
        for (key, record) in keys {
            match self.store.verify_file(&record) {
                Err(error) if error.damaged_file().is_some() => {
                    tracing::warn!("{error}; it is set aside and computed again");
                    self.store.set_aside(&key)?;
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// Takes everything of a job away; returns the bytes given back.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn remove(&self, id: &JobId) -> Result<u64, JobsError> {
        let _steering = self.steering();
        let storing = self.storing();
        {
            let mut state = self.state();
            if let Some(number) = state.job(id).map(super::job::Job::number) {
                state.take_back(number);
                state.jobs.remove(&number);
            }
        }
        let bytes = job::remove(&self.store, &id.0)?;
        drop(storing);
        self.news.notify_waiters();
        Ok(bytes)
    }

    /// Stores what became of a job, if it is still there.
    ///
    /// # Errors
    /// Errors of writing: after the next start it is as it was before.
    pub(super) fn store_record(&self, number: JobNumber) -> Result<(), StoreError> {
        let _storing = self.storing();
        let record = self.state().jobs.get(&number).map(|job| (job.id.clone(), job.record.clone()));
        let Some((id, record)) = record else { return Ok(()) };
        let mut commit = Commit::new();
        commit.put_document(&id.0, CLUSTER, &record)?;
        self.store.commit(commit)
    }

    /// The error that a job is over, or that there is none.
    fn over(&self, id: &JobId, wish: &'static str) -> JobsError {
        match standing_of(&self.store, id) {
            Ok(Some(standing)) => JobsError::Over { job: id.clone(), standing, wish },
            Ok(None) => match job::finished(&self.store, &id.0) {
                Err(error) => error.into(),
                Ok(_) => JobsError::Over { job: id.clone(), standing: "finished", wish },
            },
            Err(error) => error.into(),
        }
    }
}

/// What became of a job of this store, in a word.
fn standing_of(store: &Store, id: &JobId) -> Result<Option<&'static str>, StoreError> {
    Ok(ClusterRecord::load(store, id)?.map(|record| match record.standing {
        Standing::Running => "running",
        Standing::Paused => "paused",
        Standing::Cancelled => "cancelled",
        Standing::Failed => "failed",
        Standing::Finished => "finished",
    }))
}
