//! Jobs: plan, submit, watch, pause, resume, cancel, remove.

use std::pin::Pin;
use std::time::{Duration, SystemTime};

use antichain_common::job::JobId;
use antichain_proto::v1::jobs_server::Jobs;
use antichain_proto::{ENGINE, PROTOCOL, v1};
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::{Services, blocking, spec_of, status_of};
use crate::desk::JobsError;
use crate::doorman::may_change;

/// Least time between two messages of a watch.
const WATCH_STEP: Duration = Duration::from_millis(200);

impl Services {
    async fn status(&self, job: JobId) -> Result<v1::JobStatus, Status> {
        let desk = self.desk.clone();
        blocking(move || Ok(desk.status(&job).map_err(status_of)?.into())).await
    }

    /// Does something to a job, and says where it stands then.
    async fn with_job(
        &self,
        request: Request<v1::JobRequest>,
        work: fn(&crate::desk::Desk, &JobId) -> Result<(), JobsError>,
    ) -> Result<Response<v1::JobStatus>, Status> {
        may_change(&request)?;
        let job = JobId(request.into_inner().job);
        let (desk, id) = (self.desk.clone(), job.clone());
        blocking(move || work(&desk, &id).map_err(status_of)).await?;
        Ok(Response::new(self.status(job).await?))
    }
}

/// The states that do not change any more by themselves.
fn is_over(status: &v1::JobStatus) -> bool {
    matches!(status.state(), v1::JobState::Cancelled | v1::JobState::Failed | v1::JobState::Finished)
}

#[tonic::async_trait]
impl Jobs for Services {
    async fn plan(&self, request: Request<v1::PlanRequest>) -> Result<Response<v1::PlanReply>, Status> {
        let spec = spec_of(request.into_inner().spec)?;
        let desk = self.desk.clone();
        let plan = self.with_effort(move || desk.plan(&spec).map_err(status_of)).await?;
        let document = serde_json::to_vec(&plan).map_err(|error| Status::internal(error.to_string()))?;
        Ok(Response::new(v1::PlanReply { document: document.into(), exact: plan.is_exact() }))
    }

    async fn submit(&self, request: Request<v1::SubmitRequest>) -> Result<Response<v1::SubmitReply>, Status> {
        may_change(&request)?;
        let v1::SubmitRequest { spec, keep_values, budget_seconds } = request.into_inner();
        let spec = spec_of(spec)?;
        let budget = budget_seconds.map(Duration::try_from_secs_f64).transpose();
        let budget = budget.map_err(|error| Status::invalid_argument(format!("the budget: {error}")))?;
        let desk = self.desk.clone();
        let job = blocking(move || desk.submit(&spec, keep_values, budget).map_err(status_of)).await?;
        let state = self.status(job.clone()).await?.state;
        Ok(Response::new(v1::SubmitReply { job: job.0, state }))
    }

    async fn get(&self, request: Request<v1::JobRequest>) -> Result<Response<v1::JobStatus>, Status> {
        Ok(Response::new(self.status(JobId(request.into_inner().job)).await?))
    }

    async fn list(&self, _: Request<v1::ListRequest>) -> Result<Response<v1::ListReply>, Status> {
        let desk = self.desk.clone();
        let jobs = blocking(move || desk.statuses().map_err(status_of)).await?;
        Ok(Response::new(v1::ListReply { jobs: jobs.into_iter().map(Into::into).collect() }))
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<v1::JobStatus, Status>> + Send>>;

    async fn watch(&self, request: Request<v1::JobRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let job = JobId(request.into_inner().job);
        let mut status = self.status(job.clone()).await?;
        let services = self.clone();
        let (sender, receiver) = mpsc::channel(4);
        tokio::spawn(async move {
            loop {
                let over = is_over(&status);
                if sender.send(Ok(status.clone())).await.is_err() || over || services.desk.is_draining() {
                    return;
                }
                loop {
                    tokio::time::sleep(WATCH_STEP).await;
                    tokio::select! {
                        () = services.desk.news() => {}
                        () = sender.closed() => return,
                    }
                    match services.status(job.clone()).await {
                        Ok(next) if next != status => {
                            status = next;
                            break;
                        }
                        Ok(_) if services.desk.is_draining() => return,
                        Ok(_) => {}
                        Err(error) => {
                            // Whoever watches has gone, or is told.
                            let _ = sender.send(Err(error)).await;
                            return;
                        }
                    }
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }

    async fn pause(&self, request: Request<v1::JobRequest>) -> Result<Response<v1::JobStatus>, Status> {
        self.with_job(request, |desk, job| desk.pause(job)).await
    }

    async fn resume(&self, request: Request<v1::JobRequest>) -> Result<Response<v1::JobStatus>, Status> {
        self.with_job(request, |desk, job| desk.resume(job)).await
    }

    async fn cancel(&self, request: Request<v1::JobRequest>) -> Result<Response<v1::JobStatus>, Status> {
        self.with_job(request, |desk, job| desk.cancel(job)).await
    }

    async fn remove(&self, request: Request<v1::JobRequest>) -> Result<Response<v1::RemoveReply>, Status> {
        may_change(&request)?;
        let job = JobId(request.into_inner().job);
        let desk = self.desk.clone();
        let bytes = blocking(move || desk.remove(&job).map_err(status_of)).await?;
        Ok(Response::new(v1::RemoveReply { bytes }))
    }

    async fn workers(&self, _: Request<v1::WorkersRequest>) -> Result<Response<v1::WorkersReply>, Status> {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ok(Response::new(v1::WorkersReply {
            workers: self.desk.workers().into_iter().map(Into::into).collect(),
            software: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            engine: ENGINE.to_owned(),
            unix_millis: unix.as_millis() as u64,
        }))
    }
}
