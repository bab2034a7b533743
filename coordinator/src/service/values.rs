//! Values: what the store knows of positions and finished jobs.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use antichain_common::ideal::Element;
use antichain_common::job::{self, Interrupt, JobId, Moves, QueryTables, Question};
use antichain_common::poset::{Poset, parse_position};
use antichain_proto::limits::CHUNK_BYTES;
use antichain_proto::v1;
use antichain_proto::v1::values_server::Values;
use bytes::Bytes;
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

use super::{Services, spec_of, status_of_job, with_hint};

/// Memory for values that are computed at once, for small posets.
const QUICK_BYTES: u64 = 1 << 30;

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Asks for a stop when it is dropped: when whoever waited has gone.
struct StopOnDrop(Arc<Interrupt>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}

/// The tables that questions were answered from: whoever asks next has what is read already.
#[derive(Clone, Default)]
pub struct TablePool {
    idle: Arc<Mutex<Option<QueryTables>>>,
}

impl TablePool {
    /// Answers a question. Whoever asks while another is being answered reads for itself.
    fn with<T>(&self, answer: impl FnOnce(&mut QueryTables) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tables = idle().take().unwrap_or_default();
        let answer = answer(&mut tables);
        *idle() = Some(tables);
        answer
    }
}

/// The name of a job, or nothing.
fn named(job: Option<JobId>) -> String {
    job.map(|job| job.0).unwrap_or_default()
}

/// The members of a position.
fn members_of(poset: &Poset, position: &str) -> Result<Vec<Element>, Status> {
    let parsed = parse_position(poset, position).map_err(|error| {
        Status::invalid_argument(format!("`{position}`: {}\nhint: {}", error.reason(), error.hint()))
    })?;
    Ok(parsed.members)
}

#[tonic::async_trait]
impl Values for Services {
    async fn query(&self, request: Request<v1::QueryRequest>) -> Result<Response<v1::QueryReply>, Status> {
        let v1::QueryRequest { spec, positions, canonical } = request.into_inner();
        let spec = spec_of(spec)?;
        let question = spec.question;
        let (desk, pool) = (self.desk.clone(), self.tables.clone());
        let values = self
            .with_effort(move || {
                let poset: Poset = spec.poset.parse().map_err(|_| Status::invalid_argument("no such poset"))?;
                let mut elements = Vec::with_capacity(positions.len());
                for position in &positions {
                    let members = members_of(&poset, position)?;
                    let size = members.len();
                    if size < spec.limits.min || spec.limits.max.is_some_and(|max| size > max) {
                        return Err(Status::invalid_argument(format!(
                            "`{position}`: this ideal has {size} elements, outside the limits given"
                        )));
                    }
                    elements.push((position.clone(), members));
                }
                pool.with(|tables| {
                    let asked = (&elements[..], canonical);
                    job::query_with(tables, Some(desk.store()), spec.question, &poset, asked, QUICK_BYTES)
                        .map_err(|error| status_of_job(&error))
                })
            })
            .await?;
        let value = |value: job::PositionValue| v1::PositionValue {
            position: value.position,
            canonical: value.canonical.unwrap_or_default(),
            value: question.show(&value.value),
            unfinished: named(value.unfinished),
        };
        Ok(Response::new(v1::QueryReply { values: values.into_iter().map(value).collect() }))
    }

    async fn moves(&self, request: Request<v1::MovesRequest>) -> Result<Response<v1::MovesReply>, Status> {
        let v1::MovesRequest { poset, position, question } = request.into_inner();
        let question = question.map(|question| question.parse::<Question>()).transpose();
        let question = question.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let (desk, pool) = (self.desk.clone(), self.tables.clone());
        let Moves { question, moves, unfinished } = self
            .with_effort(move || {
                let poset: Poset = poset.parse().map_err(|error| with_hint(Status::invalid_argument, &error))?;
                let members = members_of(&poset, &position)?;
                pool.with(|tables| {
                    job::moves(tables, Some(desk.store()), question, &poset, &members, QUICK_BYTES)
                        .map_err(|error| status_of_job(&error))
                })
            })
            .await?;
        let moves = moves.into_iter().map(|one| v1::PositionMove {
            element: one.element,
            leads_to: one.leads_to,
            value: question.show(&one.value),
            multiplicity: one.multiplicity,
            wins: one.wins,
        });
        let (question, unfinished) = (question.name().to_owned(), named(unfinished));
        Ok(Response::new(v1::MovesReply { question, moves: moves.collect(), unfinished }))
    }

    type CertificateStream = Replies<v1::DocumentPart>;

    async fn certificate(
        &self,
        request: Request<v1::StoredJobRequest>,
    ) -> Result<Response<Self::CertificateStream>, Status> {
        let job = request.into_inner().job;
        let desk = self.desk.clone();
        let text = self
            .with_effort(move || {
                let document = job::certificate(desk.store(), &job).map_err(|error| status_of_job(&error))?;
                serde_json::to_vec(&document).map_err(|error| Status::internal(error.to_string()))
            })
            .await?;
        let text = Bytes::from(text);
        let parts = (0..text.len()).step_by(CHUNK_BYTES).map(move |start| {
            let end = text.len().min(start + CHUNK_BYTES);
            Ok(v1::DocumentPart { text: text.slice(start..end) })
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(parts))))
    }

    type VerifyStream = Replies<v1::VerifyReply>;

    async fn verify(&self, request: Request<v1::StoredJobRequest>) -> Result<Response<Self::VerifyStream>, Status> {
        let job = request.into_inner().job;
        let desk = self.desk.clone();
        let interrupt = Arc::new(Interrupt::new());
        let _stop = StopOnDrop(interrupt.clone());
        let verified = self
            .with_effort(move || job::verify(desk.store(), &job, &interrupt).map_err(|error| status_of_job(&error)))
            .await?;
        let passed = verified.passed.into_iter().map(|check| v1::VerifyReply { check, passed: true });
        let failed = verified.failed.into_iter().map(|check| v1::VerifyReply { check, passed: false });
        Ok(Response::new(Box::pin(tokio_stream::iter(passed.chain(failed).map(Ok).collect::<Vec<_>>()))))
    }
}
