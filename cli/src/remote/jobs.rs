//! The calls of the service `Jobs`.

use std::time::Duration;

use antichain_common::job::JobSpec;
use antichain_proto::v1::{
    JobRequest, JobState, JobStatus, ListRequest, PlanReply, PlanRequest, SubmitRequest, WorkerStatus, WorkersReply,
    WorkersRequest,
};
use tonic::{Response, Streaming};

use super::job::on_the_wire;
use super::{Remote, RemoteError};

/// A job that a coordinator has taken.
pub struct Submitted {
    /// Its name.
    pub job: String,
    /// Whether its answer was there already.
    pub is_finished: bool,
}

/// The request about a job.
fn about(job: &str) -> JobRequest {
    JobRequest { job: job.to_owned() }
}

impl Remote {
    /// What a question will need.
    ///
    /// # Errors
    /// See [`RemoteError`], here and in every call below.
    pub fn plan(&self, spec: &JobSpec) -> Result<PlanReply, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(None, PlanRequest { spec: Some(on_the_wire(spec)) }, |request| async move { jobs.plan(request).await })
    }

    /// Begins a job and gives its name. A search with a budget is paused after that time.
    pub fn submit(
        &self,
        spec: &JobSpec,
        keep_values: bool,
        budget: Option<Duration>,
    ) -> Result<Submitted, RemoteError> {
        let mut jobs = self.jobs();
        let budget_seconds = budget.map(|budget| budget.as_secs_f64());
        let question = SubmitRequest { spec: Some(on_the_wire(spec)), keep_values, budget_seconds };
        let job = spec.id().to_string();
        let reply = self.ask(Some(&job), question, |request| async move { jobs.submit(request).await })?;
        Ok(Submitted { is_finished: reply.state() == JobState::Finished, job: reply.job })
    }

    /// Where a job stands.
    pub fn get(&self, job: &str) -> Result<JobStatus, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(Some(job), about(job), |request| async move { jobs.get(request).await })
    }

    /// All jobs.
    pub fn list(&self) -> Result<Vec<JobStatus>, RemoteError> {
        let mut jobs = self.jobs();
        Ok(self.ask(None, ListRequest {}, |request| async move { jobs.list(request).await })?.jobs)
    }

    /// Lets a job rest.
    pub fn pause(&self, job: &str) -> Result<JobStatus, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(Some(job), about(job), |request| async move { jobs.pause(request).await })
    }

    /// Lets a paused job go on.
    pub fn resume(&self, job: &str) -> Result<JobStatus, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(Some(job), about(job), |request| async move { jobs.resume(request).await })
    }

    /// Ends a job.
    pub fn cancel(&self, job: &str) -> Result<JobStatus, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(Some(job), about(job), |request| async move { jobs.cancel(request).await })
    }

    /// Takes everything of a job away; gives the bytes of disk that are free now.
    pub fn remove(&self, job: &str) -> Result<u64, RemoteError> {
        let mut jobs = self.jobs();
        Ok(self.ask(Some(job), about(job), |request| async move { jobs.remove(request).await })?.bytes)
    }

    /// The workers that the coordinator knows.
    pub fn workers(&self) -> Result<Vec<WorkerStatus>, RemoteError> {
        Ok(self.greeting()?.workers)
    }

    /// The same, with what the coordinator says of itself.
    pub fn greeting(&self) -> Result<WorkersReply, RemoteError> {
        let mut jobs = self.jobs();
        self.ask(None, WorkersRequest {}, |request| async move { jobs.workers(request).await })
    }

    /// Begins to watch a job.
    pub(super) fn watch(&self, job: &str) -> Result<Streaming<JobStatus>, RemoteError> {
        let mut jobs = self.jobs();
        let request = about(job);
        self.wait(Some(job), async move { jobs.watch(request).await.map(Response::into_inner) })
    }

    /// The next news of a job that is watched; `None` where the coordinator has no more to say.
    pub(super) fn news(&self, job: &str, stream: &mut Streaming<JobStatus>) -> Result<Option<JobStatus>, RemoteError> {
        self.wait(Some(job), stream.message())
    }
}
