//! The services: thin shells that turn messages into calls of the desk, and what it says into messages and statuses.

mod jobs;
mod status;
mod tables;
mod values;
mod work;

use std::sync::Arc;
use std::time::Duration;

use antichain_common::job::{JobError, JobSpec, Question, Sampling, SizeLimits};
use antichain_proto::token::Token;
use antichain_proto::v1;
use tokio::sync::Semaphore;
use tonic::Status;

use crate::desk::{Desk, JobsError};

/// Questions for each core that are worked on at the same time.
const QUESTIONS_PER_CORE: usize = 4;
/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// All services on one desk.
#[derive(Clone)]
pub struct Services {
    desk: Arc<Desk>,
    tables: values::TablePool,
    /// What workers show one another.
    peer_token: Token,
    /// Places for questions that take time and memory.
    effort: Arc<Semaphore>,
}

impl Services {
    /// On this desk.
    pub fn new(desk: Arc<Desk>, peer_token: Token) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let effort = Arc::new(Semaphore::new(QUESTIONS_PER_CORE * cores));
        Self { desk, tables: values::TablePool::default(), peer_token, effort }
    }

    /// Runs what takes time and memory, when it is its turn.
    async fn with_effort<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = tokio::time::timeout(PATIENCE, self.effort.clone().acquire_owned());
        let Ok(Ok(turn)) = turn.await else {
            return Err(Status::resource_exhausted(
                "others ask too much at the moment\nhint: try again, or answer it on a data directory with --data",
            ));
        };
        blocking(move || {
            // Held to its end, even if nobody waits for it any more.
            let _turn = turn;
            work()
        })
        .await
    }
}

/// Runs what reads and writes the store where it may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Status> + Send + 'static) -> Result<T, Status> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(Status::internal("a fault of the coordinator; nothing wrong was stored")),
    }
}

/// What is asked, if it can be asked.
fn spec_of(message: Option<v1::JobSpec>) -> Result<JobSpec, Status> {
    let message = message.ok_or_else(|| Status::invalid_argument("the job is missing"))?;
    let question: Question = message.question.parse().map_err(|error| Status::invalid_argument(format!("{error}")))?;
    let size = |size: u64| usize::try_from(size).map_err(|_| Status::invalid_argument("a size beyond all posets"));
    let limits = SizeLimits { min: size(message.min_elements)?, max: message.max_elements.map(size).transpose()? };
    let sampling = message.sampling.map(|v1::Sampling { frontier, seed, batches }| {
        Ok::<_, Status>(Sampling { frontier: size(frontier)?, seed, batches })
    });
    let (poset, position) = (message.poset, message.position);
    let spec = JobSpec { question, poset, limits, position, sampling: sampling.transpose()? };
    spec.normal().map_err(|error| status_of_job(&error))
}

fn with_hint(status: fn(String) -> Status, error: &antichain_common::poset::PosetError) -> Status {
    status(format!("{error}\nhint: {}", error.hint()))
}

fn message_of(spec: &JobSpec) -> v1::JobSpec {
    v1::JobSpec {
        question: spec.question.name().to_owned(),
        poset: spec.poset.clone(),
        min_elements: spec.limits.min as u64,
        max_elements: spec.limits.max.map(|max| max as u64),
        position: spec.position.clone(),
        sampling: spec.sampling.map(|sampling| v1::Sampling {
            frontier: sampling.frontier as u64,
            seed: sampling.seed,
            batches: sampling.batches,
        }),
    }
}

/// The one place that says what a user is told of an error.
fn status_of(error: JobsError) -> Status {
    match error {
        JobsError::Poset(error) => with_hint(Status::invalid_argument, &error),
        JobsError::NoRoom(reason) => Status::resource_exhausted(reason),
        JobsError::Over { .. } => Status::failed_precondition(error.to_string()),
        JobsError::TakeUp(reason) => Status::internal(reason),
        JobsError::Job(error) => status_of_job(&error),
    }
}

fn status_of_job(error: &JobError) -> Status {
    let text = error.to_string();
    match error {
        JobError::Poset(error) => with_hint(Status::invalid_argument, error),
        JobError::NoSuchJob { job, nearest, .. } => {
            // The directory of a coordinator means nothing to its users.
            let hint = match nearest.as_slice() {
                [] => "it has no jobs at all; `antichain submit` begins one".to_owned(),
                [first, ..] => format!("did you mean {first}? `antichain jobs` lists all"),
            };
            Status::not_found(format!("the coordinator has no job `{job}`\nhint: {hint}"))
        }
        JobError::Unfinished(_) => {
            Status::failed_precondition(format!("{text}\nhint: `antichain watch` shows how far it is"))
        }
        JobError::OutOfBudget { .. } => Status::aborted(text),
        JobError::Contradiction { .. } | JobError::NoProof(_) => Status::failed_precondition(text),
        JobError::Position(_) => Status::invalid_argument(text),
        JobError::NotStored { hint, .. } => Status::failed_precondition(format!("{text}\nhint: {hint}")),
        JobError::OutOfReach { .. } => {
            Status::invalid_argument(format!("{text}\nhint: limit the size of the ideals with --max-elements"))
        }
        JobError::FromAbove { .. } => {
            Status::invalid_argument(format!("{text}\nhint: take --max-elements instead, which counts from below"))
        }
        JobError::Disk { .. } | JobError::Memory { .. } => Status::resource_exhausted(text),
        JobError::Store(store) if store.is_out_of_room() => Status::resource_exhausted(text),
        JobError::Store(_) | JobError::SelfCheck(_) => Status::internal(text),
        JobError::NoGame(_)
        | JobError::NotSearched(_)
        | JobError::NotAboutIdeals(_)
        | JobError::TooLarge(_)
        | JobError::TooPrecise { .. }
        | JobError::NoEstimate(_) => Status::invalid_argument(text),
        JobError::NoTable(_) => Status::failed_precondition(text),
        JobError::Interrupted => Status::aborted(text),
    }
}
