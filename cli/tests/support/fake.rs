//! A worker that does what the test wants, by the same calls as a real one.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::sync::Arc;

use antichain_common::job::task::{Effort, Engine, Findings, engine};
use antichain_common::job::{Interrupt, JobSpec, SizeLimits};
use antichain_common::store::BlockImage;
use antichain_proto::connect::{Connection, Target, connect};
use antichain_proto::v1::work_client::WorkClient;
use antichain_proto::v1::*;
use antichain_proto::{ENGINE, PROTOCOL};
use tokio::runtime::Runtime;
use tonic::Status;

/// See the head of this file.
pub struct Fake {
    runtime: Runtime,
    client: WorkClient<Connection>,
    /// Its number at the coordinator.
    pub number: u64,
}

/// A result as it is sent.
#[derive(Clone)]
pub struct Parcel {
    pub findings: Vec<u8>,
    pub head: Option<FileHead>,
    pub blocks: Vec<u8>,
}

/// Registers as a worker of this name, number 1, would.
pub fn registration(name: &str) -> RegisterRequest {
    RegisterRequest {
        protocol: PROTOCOL,
        engine: ENGINE.to_owned(),
        capabilities: Vec::new(),
        host: name.to_owned(),
        process: 1,
        threads: 1,
        memory: 1 << 30,
        instance: name.bytes().fold(7, |number, byte| number * 31 + u64::from(byte)),
        held: Vec::new(),
        peer_address: String::new(),
    }
}

/// Registers as told.
pub fn register(target: &Target, request: RegisterRequest) -> Result<Fake, Status> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (client, reply) = runtime.block_on(async {
        let mut client = WorkClient::new(connect(target).await.expect("a coordinator"));
        let reply = client.register(request).await?;
        Ok::<_, Status>((client, reply.into_inner()))
    })?;
    Ok(Fake { runtime, client, number: reply.worker })
}

impl Fake {
    /// A registered worker, `NAME/1` in what the coordinator says of it.
    pub fn new(target: &Target, name: &str) -> Self {
        register(target, registration(name)).expect("registered")
    }

    /// Registers once more.
    pub fn register_again(&mut self, request: RegisterRequest) -> RegisterReply {
        let reply = self.runtime.block_on(self.client.register(request)).expect("registered").into_inner();
        self.number = reply.worker;
        reply
    }

    /// At most so many tasks, waited for.
    pub fn acquire(&mut self, most: u32) -> Result<Vec<Lease>, Status> {
        let request = AcquireRequest { worker: self.number, most, wait_millis: 5000 };
        let reply = self.runtime.block_on(self.client.acquire(request))?;
        Ok(reply.into_inner().leases)
    }

    /// A sign of life with these leases; returns those that have ended.
    pub fn heartbeat(&mut self, epochs: Vec<u64>) -> Vec<u64> {
        let request = HeartbeatRequest { worker: self.number, epochs };
        self.runtime.block_on(self.client.heartbeat(request)).expect("registered").into_inner().gone
    }

    /// Delivers a result.
    pub fn deliver(&mut self, lease: &Lease, result: &Parcel) -> Result<DeliverReply, Status> {
        let message = |part| DeliverRequest { part: Some(part) };
        let opening = Opening {
            worker: self.number,
            task: lease.task,
            epoch: lease.epoch,
            findings: result.findings.clone().into(),
            file: result.head.clone(),
        };
        let mut messages = vec![message(deliver_request::Part::Opening(opening))];
        if !result.blocks.is_empty() {
            messages.push(message(deliver_request::Part::Blocks(result.blocks.clone().into())));
        }
        let call = self.client.deliver(tokio_stream::iter(messages));
        Ok(self.runtime.block_on(call)?.into_inner())
    }
}

impl Parcel {
    fn new(findings: &Findings, image: Option<&BlockImage>) -> Self {
        Self {
            findings: serde_json::to_vec(findings).expect("JSON"),
            head: image.map(|image| FileHead {
                header: image.header().to_vec().into(),
                tail: image.tail().to_vec().into(),
                file_bytes: image.head.file_bytes(),
            }),
            blocks: image.map(|image| image.blocks().to_vec()).unwrap_or_default(),
        }
    }

    /// The right result of a task that reads nothing but the layer of the empty base.
    pub fn of(lease: &Lease) -> Self {
        let engine = engine_of(lease);
        let interrupt = Interrupt::new();
        let scratch = tempfile::tempdir().expect("a folder");
        let effort = Effort { threads: 1, memory: 1 << 30, interrupt: &interrupt, scratch: scratch.path() };
        let first = engine.first_layer().expect("a layer");
        let bases = &first.shards[0].image;
        let (findings, image) = match (lease.kind(), lease.layer) {
            (TaskKind::Whole, _) => (engine.whole(&effort).expect("done"), None),
            (TaskKind::Enumerate, 1) => {
                let (findings, image) = engine.enumerate(bases, 1, &effort).expect("done");
                (findings, Some(image))
            }
            (TaskKind::Solve, 0) => {
                let task = engine.prepare_solve(bases, 0, None, &effort).expect("prepared");
                task.finish(&[], &effort).expect("done")
            }
            other => panic!("{other:?} reads more"),
        };
        Self::new(&findings, image.as_ref())
    }
}

fn engine_of(lease: &Lease) -> Arc<dyn Engine> {
    let spec = lease.spec.as_ref().expect("a specification");
    let limits = SizeLimits { min: spec.min_elements as usize, max: spec.max_elements.map(|max| max as usize) };
    let question = spec.question.parse().expect("a question");
    engine(&JobSpec { question, poset: spec.poset.clone(), limits, position: None, sampling: None }).expect("an engine")
}
