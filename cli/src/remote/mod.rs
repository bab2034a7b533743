//! The client side of the wire: one function for each thing a coordinator can be asked.
//!
//! Commands are plain code that waits; the runtime that connections need stays in here and has no thread of its own.

pub mod error;
mod follow;
pub mod job;
mod jobs;
pub mod place;
mod values;

use std::cell::Cell;
use std::future::Future;
use std::time::{Duration, Instant};

use antichain_proto::connect::{Connection, Target, connect};
use antichain_proto::limits::MESSAGE_BYTES;
use antichain_proto::v1::jobs_client::JobsClient;
use antichain_proto::v1::values_client::ValuesClient;
use tokio::runtime::{Builder, Runtime};
use tonic::{Request, Response, Status};

pub use error::RemoteError;
pub use follow::follow;
pub use jobs::Submitted;
pub use place::{Place, PlaceError};

/// How long a coordinator may think about a question that is answered at once.
const DEADLINE: Duration = Duration::from_secs(60);

/// A connection to a coordinator.
#[derive(Debug)]
pub struct Remote {
    runtime: Runtime,
    target: Target,
    connection: Connection,
    /// Whether it has answered anything, so that what is at the other end is known to be right.
    answered: Cell<bool>,
}

impl Remote {
    /// Connects.
    ///
    /// # Errors
    /// [`RemoteError::Connect`], [`RemoteError::Runtime`].
    pub fn connect(target: Target) -> Result<Self, RemoteError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let connection = runtime.block_on(connect(&target))?;
        tracing::debug!("connected to {target}");
        Ok(Self { runtime, target, connection, answered: Cell::new(false) })
    }

    fn jobs(&self) -> JobsClient<Connection> {
        JobsClient::new(self.connection.clone()).max_decoding_message_size(MESSAGE_BYTES)
    }

    fn values(&self) -> ValuesClient<Connection> {
        ValuesClient::new(self.connection.clone()).max_decoding_message_size(MESSAGE_BYTES)
    }

    /// Makes a call that is answered at once, about a job or about none.
    fn ask<Q, A, F>(
        &self,
        about: Option<&str>,
        question: Q,
        call: impl FnOnce(Request<Q>) -> F,
    ) -> Result<A, RemoteError>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let mut request = Request::new(question);
        request.set_timeout(DEADLINE);
        self.wait(about, async { call(request).await.map(Response::into_inner) })
    }

    /// Waits for the end of a call.
    fn wait<A>(&self, about: Option<&str>, call: impl Future<Output = Result<A, Status>>) -> Result<A, RemoteError> {
        let start = Instant::now();
        match self.runtime.block_on(call) {
            Ok(answer) => {
                self.answered.set(true);
                Ok(answer)
            }
            Err(status) => Err(RemoteError::of_status(&self.target, about, start.elapsed(), &status)),
        }
    }

    /// The error that an answer makes no sense.
    pub fn not_understood(&self, what: &'static str) -> RemoteError {
        RemoteError::NotUnderstood { url: self.target.url.clone(), what }
    }
}
