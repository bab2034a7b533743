//! Work: register, acquire, heartbeat, deliver, release.

use std::net::SocketAddr;
use std::time::Duration;

use antichain_common::job::JobId;
use antichain_common::job::search::Order;
use antichain_common::job::task::TaskKind;
use antichain_proto::connect::PEER_TLS;
use antichain_proto::v1::work_server::Work;
use antichain_proto::{ENGINE, PROTOCOL, v1};
use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tonic::{Request, Response, Status, Streaming};

use super::{Services, blocking, message_of};
use crate::desk::{Heard, Incoming, LeaseOffer, Opened, Opening, Registration, Said, WorkError};
use crate::gate::Caller;
use crate::ledger::{Delivery, Epoch, TaskId, WorkerId};
use crate::meters::{Meters, Verdict};

/// A worker waits no longer than this for a task: then it asks again, and is heard of.
const MOST_WAIT: Duration = Duration::from_secs(20);
/// Time between two looks for a worker that waits.
const LOOK: Duration = Duration::from_millis(200);
/// Tasks at a time, at most.
const MOST_TASKS: u32 = 64;
/// Bytes of the name of a host, at most: those of DNS are no longer.
const MOST_HOST_BYTES: usize = 253;
/// Messages of a delivery that wait for the disk, each of about a mebibyte.
const WAITING: usize = 4;

fn lease_of(offer: LeaseOffer) -> v1::Lease {
    let kind = match offer.task.kind {
        TaskKind::Whole => v1::TaskKind::Whole,
        TaskKind::Enumerate => v1::TaskKind::Enumerate,
        TaskKind::Solve => v1::TaskKind::Solve,
        TaskKind::Join => v1::TaskKind::Join,
        TaskKind::Duals => v1::TaskKind::Duals,
        TaskKind::Search => v1::TaskKind::Search,
        TaskKind::Prove => v1::TaskKind::Prove,
    };
    v1::Lease {
        task: offer.lease.task.0,
        epoch: offer.lease.epoch.0,
        job: offer.job.0,
        spec: Some(message_of(&offer.spec)),
        kind: kind.into(),
        layer: offer.task.layer as u32,
        shard: offer.task.shard as u32,
        heights: offer.heights,
        search: offer.search.map(|Order { position, nodes, salt }| v1::SearchOrder { position, nodes, salt }),
    }
}

fn status_of(error: &WorkError) -> Status {
    let text = error.to_string();
    match error {
        WorkError::Unregistered(_) => Status::not_found(text),
        WorkError::NoSearch(_) => Status::failed_precondition(text),
        WorkError::SetAside(_) => Status::permission_denied(text),
        WorkError::Corrupt(_) => Status::data_loss(text),
        // To be tried again.
        WorkError::NoRoom(_) | WorkError::TooManyWorkers => Status::resource_exhausted(text),
        WorkError::Store(_) => Status::unavailable(text),
        WorkError::Overtaken => Status::aborted(text),
    }
}

fn verdict(delivery: Delivery, meters: &Meters) -> v1::DeliverReply {
    let (verdict, counted, reason) = match delivery {
        Delivery::Accepted => (v1::Verdict::Accepted, Verdict::Accepted, ""),
        Delivery::Identical => (v1::Verdict::Identical, Verdict::Identical, ""),
        Delivery::Stale => (v1::Verdict::Stale, Verdict::Stale, "the lease has ended"),
        Delivery::Unknown => (v1::Verdict::Stale, Verdict::Stale, "there is no such task any more"),
        Delivery::Different(_) => (v1::Verdict::Different, Verdict::Different, "another worker found something else"),
    };
    meters.results(counted).count();
    v1::DeliverReply { verdict: verdict.into(), reason: reason.to_owned() }
}

#[tonic::async_trait]
impl Work for Services {
    async fn register(&self, request: Request<v1::RegisterRequest>) -> Result<Response<v1::RegisterReply>, Status> {
        let from = Caller::of(&request).map(|caller| caller.address);
        let request = request.into_inner();
        if request.protocol != PROTOCOL || request.engine != ENGINE {
            return Err(Status::failed_precondition(format!(
                "the worker speaks protocol {} with engine {}, the coordinator protocol {PROTOCOL} with engine {ENGINE}\n\
                 hint: run the same version of antichain on both",
                request.protocol,
                if request.engine.is_empty() { "unknown" } else { &request.engine },
            )));
        }
        let registration = Registration {
            instance: request.instance,
            name: format!("{}/{}", short(&request.host), request.process),
            threads: request.threads,
            memory: request.memory,
            peer: reachable(&request.peer_address, from),
            held: request.held.into_iter().map(TaskId).collect(),
        };
        let registered = self.desk.register(registration).map_err(|error| status_of(&error))?;
        Ok(Response::new(v1::RegisterReply {
            worker: registered.worker.0,
            lease_millis: registered.lease.as_millis() as u64,
            software: env!("CARGO_PKG_VERSION").to_owned(),
            leases: registered.leases.into_iter().map(lease_of).collect(),
            peer_token: self.peer_token.secret().to_owned(),
        }))
    }

    async fn acquire(&self, request: Request<v1::AcquireRequest>) -> Result<Response<v1::AcquireReply>, Status> {
        let v1::AcquireRequest { worker, most, wait_millis } = request.into_inner();
        let wait = Duration::from_millis(wait_millis).min(MOST_WAIT);
        let start = tokio::time::Instant::now();
        let until = start + wait;
        loop {
            let leases = self
                .desk
                .acquire(WorkerId(worker), most.clamp(1, MOST_TASKS) as usize, start.elapsed())
                .map_err(|error| status_of(&error))?;
            let over = tokio::time::Instant::now() >= until || self.desk.is_draining();
            if !leases.is_empty() || over {
                return Ok(Response::new(v1::AcquireReply { leases: leases.into_iter().map(lease_of).collect() }));
            }
            // Whatever comes between the look and this is found at the next one.
            let look = until.min(tokio::time::Instant::now() + LOOK);
            let _ = tokio::time::timeout_at(look, self.desk.tasks_changed()).await;
        }
    }

    async fn heartbeat(&self, request: Request<v1::HeartbeatRequest>) -> Result<Response<v1::HeartbeatReply>, Status> {
        let v1::HeartbeatRequest { worker, epochs } = request.into_inner();
        let epochs: Vec<Epoch> = epochs.into_iter().map(Epoch).collect();
        let gone = self.desk.heartbeat(WorkerId(worker), &epochs).map_err(|error| status_of(&error))?;
        Ok(Response::new(v1::HeartbeatReply { gone: gone.into_iter().map(|epoch| epoch.0).collect() }))
    }

    async fn deliver(
        &self,
        request: Request<Streaming<v1::DeliverRequest>>,
    ) -> Result<Response<v1::DeliverReply>, Status> {
        let meters = &**self.desk.meters();
        let mut messages = request.into_inner();
        let opening = match messages.message().await?.and_then(|message| message.part) {
            Some(v1::deliver_request::Part::Opening(opening)) => opening,
            _ => return Err(Status::invalid_argument("a delivery begins with its opening")),
        };
        let (desk, has_file) = (self.desk.clone(), opening.file.is_some());
        let open = move || {
            let file = opening.file.as_ref().map(|file| (&file.header[..], &file.tail[..], file.file_bytes));
            desk.open_delivery(&Opening {
                worker: WorkerId(opening.worker),
                task: TaskId(opening.task),
                epoch: Epoch(opening.epoch),
                findings: &opening.findings,
                file,
            })
        };
        // Without a file nothing is read or written until the clerk has it.
        let opened = if has_file { blocking(move || Ok(open())).await? } else { open() };
        let incoming = match opened {
            Ok(Opened::Decided(delivery)) => return Ok(Response::new(verdict(delivery, meters))),
            Ok(Opened::Receiving(incoming)) => incoming,
            Err(error) => return refused(&error, meters),
        };
        let received =
            if has_file { with_file(incoming, messages).await? } else { without_file(incoming, messages).await? };
        match received {
            Ok(Some(answer)) => match answer.await {
                Ok(Ok(delivery)) => Ok(Response::new(verdict(delivery, meters))),
                Ok(Err(error)) => refused(&error, meters),
                Err(_) => Err(Status::unavailable("the coordinator is stopping")),
            },
            Ok(None) => Err(Status::cancelled("the delivery broke off")),
            Err(error) => refused(&error, meters),
        }
    }

    async fn share(&self, request: Request<v1::ShareRequest>) -> Result<Response<v1::ShareReply>, Status> {
        let v1::ShareRequest { worker, job, salt, told, from, path } = request.into_inner();
        let said = Said { told: told.into(), path: path.into(), from };
        let heard = self.desk.share(WorkerId(worker), (JobId(job), salt), said);
        let Heard { told, next, more, least_nodes, busy } = heard.map_err(|error| status_of(&error))?;
        Ok(Response::new(v1::ShareReply { told: told.into(), next, more, least_nodes, busy: busy.into() }))
    }

    async fn release(&self, request: Request<v1::ReleaseRequest>) -> Result<Response<v1::ReleaseReply>, Status> {
        let v1::ReleaseRequest { worker, epochs, leaves } = request.into_inner();
        let epochs: Vec<Epoch> = epochs.into_iter().map(Epoch).collect();
        self.desk.release(WorkerId(worker), &epochs, leaves);
        Ok(Response::new(v1::ReleaseReply {}))
    }
}

/// The beginning of a host's name: it is remembered for as long as results are.
fn short(host: &str) -> &str {
    let ends = host.char_indices().map(|(start, c)| start + c.len_utf8());
    &host[..ends.take_while(|&end| end <= MOST_HOST_BYTES).last().unwrap_or(0)]
}

/// Where a worker can be reached: if it listens everywhere, then where it came from; over TLS if it says so.
fn reachable(listens: &str, from: Option<SocketAddr>) -> Option<String> {
    let (scheme, listens) = match listens.strip_prefix(PEER_TLS) {
        Some(listens) => (PEER_TLS, listens),
        None => ("", listens),
    };
    let address: SocketAddr = listens.parse().ok()?;
    let ip = if address.ip().is_unspecified() { from?.ip() } else { address.ip() };
    Some(format!("{scheme}{}", SocketAddr::new(ip, address.port())))
}

/// What a worker is told of a result that was not taken: that it is corrupt, or to try again.
fn refused(error: &WorkError, meters: &Meters) -> Result<Response<v1::DeliverReply>, Status> {
    match error {
        WorkError::Corrupt(reason) => {
            meters.results(Verdict::Corrupt).count();
            let verdict = v1::Verdict::Corrupt.into();
            Ok(Response::new(v1::DeliverReply { verdict, reason: reason.clone() }))
        }
        other => {
            if matches!(other, WorkError::NoRoom(_)) {
                meters.results(Verdict::NoRoom).count();
            }
            Err(status_of(other))
        }
    }
}

/// The answer of the clerk to a delivery, once it comes; `None` if the delivery broke off.
type Received = Result<Option<oneshot::Receiver<Result<Delivery, WorkError>>>, WorkError>;

/// Takes the blocks of a delivery, and hands it to the clerk.
async fn with_file(incoming: Box<Incoming>, mut messages: Streaming<v1::DeliverRequest>) -> Result<Received, Status> {
    let (sender, mut blocks) = mpsc::channel::<Bytes>(WAITING);
    let receiving = tokio::task::spawn_blocking(move || {
        while let Some(stored) = blocks.blocking_recv() {
            // An empty message ends what has come whole; a stream that breaks off ends without one.
            if stored.is_empty() {
                return incoming.finish().map(Some);
            }
            incoming.push(&stored)?;
        }
        Ok(None)
    });
    let mut broken = None;
    loop {
        match messages.message().await {
            Ok(Some(v1::DeliverRequest { part: Some(v1::deliver_request::Part::Blocks(stored)) })) => {
                if !stored.is_empty() && sender.send(stored).await.is_err() {
                    break;
                }
            }
            Ok(Some(_)) => {
                broken = Some(Status::invalid_argument("blocks were expected"));
                break;
            }
            Ok(None) => {
                // If nobody takes it, the other side has an error to tell.
                let _ = sender.send(Bytes::new()).await;
                break;
            }
            Err(status) => {
                broken = Some(status);
                break;
            }
        }
    }
    drop(sender);
    let received = receiving.await.map_err(|_| Status::internal("a fault of the coordinator"))?;
    match broken {
        Some(status) => Err(status),
        None => Ok(received),
    }
}

/// Hands a delivery to the clerk after which nothing may come.
async fn without_file(
    incoming: Box<Incoming>,
    mut messages: Streaming<v1::DeliverRequest>,
) -> Result<Received, Status> {
    while let Some(message) = messages.message().await? {
        let Some(v1::deliver_request::Part::Blocks(stored)) = message.part else {
            return Err(Status::invalid_argument("blocks were expected"));
        };
        if !stored.is_empty()
            && let Err(error) = incoming.push(&stored)
        {
            return Ok(Err(error));
        }
    }
    Ok(incoming.finish().map(Some))
}
