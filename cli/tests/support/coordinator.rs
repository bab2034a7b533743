//! A coordinator that plays a part: it listens on loopback, wants a token, and gives the replies it was told to give.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex};

use antichain_proto::access::Access;
use antichain_proto::rights::Tokens;
use antichain_proto::token::Token;
use antichain_proto::v1::jobs_server::{Jobs, JobsServer};
use antichain_proto::v1::values_server::{Values, ValuesServer};
use antichain_proto::v1::*;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use crate::support::{Lab, Outcome};

type Stream<T> = std::pin::Pin<Box<dyn tokio_stream::Stream<Item = Result<T, Status>> + Send>>;

pub const JOB: &str = "extensions-boolean-4";

pub fn running() -> JobStatus {
    JobStatus {
        job: JOB.into(),
        spec: Some(JobSpec { question: "extensions".into(), poset: "boolean:4".into(), ..Default::default() }),
        state: JobState::Running.into(),
        progress: Some(Progress {
            layer: 3,
            last_layer: 16,
            done: 5,
            ready: 1,
            work_done: 1,
            work_total: 4,
            ..Default::default()
        }),
        workers: 2,
        ..Default::default()
    }
}

pub fn finished() -> JobStatus {
    JobStatus {
        state: JobState::Finished.into(),
        answer: Some(Answer {
            value: Some("1680384".into()),
            orbits: "30".into(),
            labelled: "168".into(),
            base_layers: 17,
            digest: "ab".repeat(32),
            elapsed_seconds: 1.5,
            resumed: false,
            heights: Vec::new(),
            proof: None,
        }),
        ..running()
    }
}

pub fn with_jobs(jobs: impl IntoIterator<Item = JobStatus>) -> Script {
    Script { jobs: jobs.into_iter().map(|status| (status.job.clone(), status)).collect(), ..Default::default() }
}

/// A command that asks this coordinator, with its token.
pub fn command(lab: &Lab, coordinator: &Coordinator, words: &[&str]) -> Command {
    let mut command = lab.bare_command(words);
    command.arg("--coordinator").arg(coordinator.url()).env("ANTICHAIN_TOKEN", coordinator.token.secret());
    command
}

pub fn ask(lab: &Lab, coordinator: &Coordinator, words: &[&str]) -> Outcome {
    outcome(&mut command(lab, coordinator, words))
}

pub fn outcome(command: &mut Command) -> Outcome {
    Outcome::of(command.output().expect("the program starts"))
}

/// Writes the access file of a coordinator where its user's commands look for it.
pub fn write_access(lab: &Lab, coordinator: &Coordinator) {
    let access = Access {
        host: coordinator.address.ip().to_string(),
        port: coordinator.address.port(),
        token: coordinator.token.clone(),
        version: "0.1.0".into(),
        tls_ca: None,
    };
    access.write(&lab.folder().join(".antichain/access.json")).expect("written");
}

/// What the coordinator knows, and what it was asked.
#[derive(Debug, Default)]
pub struct Script {
    /// Jobs by name.
    pub jobs: BTreeMap<String, JobStatus>,
    /// What watchers of a job are told, one list a call; a list that does not end the job is followed by silence, unless
    /// `breaks_off`.
    pub news: VecDeque<Vec<JobStatus>>,
    /// Whether a list of news is followed by the end of the stream.
    pub breaks_off: bool,
    /// Certificates of finished jobs.
    pub certificates: BTreeMap<String, Vec<u8>>,
    /// Certificates that are there as soon as any job was submitted.
    pub certificates_to_come: BTreeMap<String, Vec<u8>>,
    /// The reply to `plan`.
    pub plan: PlanReply,
    /// The reply to `query`.
    pub values: Vec<PositionValue>,
    /// The reply to `verify`.
    pub checks: Vec<VerifyReply>,
    /// The reply to `workers`.
    pub workers: Vec<WorkerStatus>,
    /// Jobs that were submitted.
    pub submitted: Vec<SubmitRequest>,
}

/// A coordinator, until it is dropped.
pub struct Coordinator {
    pub address: SocketAddr,
    pub token: Token,
    pub script: Arc<Mutex<Script>>,
    stop: Option<oneshot::Sender<()>>,
}

impl Coordinator {
    pub fn start(script: Script) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
        listener.set_nonblocking(true).expect("set");
        let address = listener.local_addr().expect("an address");
        let token = Token::random().expect("random");
        let script = Arc::new(Mutex::new(script));
        let (stop, stopped) = oneshot::channel();
        let (play, secret) = (Play(script.clone()), token.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                let tokens = Tokens::of_owner(secret);
                let check = move |request: Request<()>| {
                    if tokens.right_of(request.metadata()).is_some() {
                        Ok(request)
                    } else {
                        Err(Status::unauthenticated("the token is wrong"))
                    }
                };
                let server = Server::builder()
                    .add_service(JobsServer::with_interceptor(play.clone(), check.clone()))
                    .add_service(ValuesServer::with_interceptor(play, check))
                    .serve_with_incoming(TcpListenerStream::new(listener));
                tokio::select! {
                    served = server => served.expect("served"),
                    _ = stopped => {}
                }
            });
        });
        Self { address, token, script, stop: Some(stop) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Coordinator {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It may have stopped by itself.
            let _ = stop.send(());
        }
    }
}

#[derive(Clone)]
struct Play(Arc<Mutex<Script>>);

impl Play {
    fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.0.lock().expect("no panic")
    }

    fn find(&self, job: &str) -> Result<JobStatus, Status> {
        let script = self.script();
        script.jobs.get(job).cloned().ok_or_else(|| match script.jobs.keys().next() {
            Some(near) => Status::not_found(format!("there is no job `{job}`\nhint: did you mean {near}?")),
            None => Status::not_found(format!("there is no job `{job}`")),
        })
    }

    /// Puts a job into another state.
    fn put(&self, job: &str, state: JobState) -> Result<Response<JobStatus>, Status> {
        let mut status = self.find(job)?;
        status.set_state(state);
        self.script().jobs.insert(job.to_owned(), status.clone());
        Ok(Response::new(status))
    }
}

fn stream_of<T: Send + 'static>(items: Vec<T>) -> Stream<T> {
    Box::pin(tokio_stream::iter(items.into_iter().map(Ok)))
}

#[tonic::async_trait]
impl Jobs for Play {
    type WatchStream = Stream<JobStatus>;

    async fn plan(&self, _: Request<PlanRequest>) -> Result<Response<PlanReply>, Status> {
        Ok(Response::new(self.script().plan.clone()))
    }

    async fn submit(&self, request: Request<SubmitRequest>) -> Result<Response<SubmitReply>, Status> {
        let request = request.into_inner();
        let spec = request.spec.clone().expect("a specification");
        let job = format!("{}-{}", spec.question, spec.poset).replace(':', "-");
        let mut script = self.script();
        script.submitted.push(request);
        let come = std::mem::take(&mut script.certificates_to_come);
        script.certificates.extend(come);
        script.jobs.entry(job.clone()).or_insert_with(|| JobStatus { job: job.clone(), ..Default::default() });
        Ok(Response::new(SubmitReply { job, state: JobState::Running.into() }))
    }

    async fn get(&self, request: Request<JobRequest>) -> Result<Response<JobStatus>, Status> {
        self.find(&request.into_inner().job).map(Response::new)
    }

    async fn list(&self, _: Request<ListRequest>) -> Result<Response<ListReply>, Status> {
        Ok(Response::new(ListReply { jobs: self.script().jobs.values().cloned().collect() }))
    }

    async fn watch(&self, request: Request<JobRequest>) -> Result<Response<Self::WatchStream>, Status> {
        self.find(&request.into_inner().job)?;
        let mut script = self.script();
        let news = stream_of(script.news.pop_front().unwrap_or_default());
        let stream: Self::WatchStream =
            if script.breaks_off { news } else { Box::pin(news.chain(tokio_stream::pending())) };
        Ok(Response::new(stream))
    }

    async fn pause(&self, request: Request<JobRequest>) -> Result<Response<JobStatus>, Status> {
        self.put(&request.into_inner().job, JobState::Paused)
    }

    async fn resume(&self, request: Request<JobRequest>) -> Result<Response<JobStatus>, Status> {
        self.put(&request.into_inner().job, JobState::WaitingForWorkers)
    }

    async fn cancel(&self, request: Request<JobRequest>) -> Result<Response<JobStatus>, Status> {
        self.put(&request.into_inner().job, JobState::Cancelled)
    }

    async fn remove(&self, request: Request<JobRequest>) -> Result<Response<RemoveReply>, Status> {
        let job = request.into_inner().job;
        self.find(&job)?;
        self.script().jobs.remove(&job);
        Ok(Response::new(RemoveReply { bytes: 2048 }))
    }

    async fn workers(&self, _: Request<WorkersRequest>) -> Result<Response<WorkersReply>, Status> {
        Ok(Response::new(WorkersReply { workers: self.script().workers.clone(), ..WorkersReply::default() }))
    }
}

#[tonic::async_trait]
impl Values for Play {
    type CertificateStream = Stream<DocumentPart>;
    type VerifyStream = Stream<VerifyReply>;

    async fn query(&self, _: Request<QueryRequest>) -> Result<Response<QueryReply>, Status> {
        Ok(Response::new(QueryReply { values: self.script().values.clone() }))
    }

    async fn moves(&self, _: Request<MovesRequest>) -> Result<Response<MovesReply>, Status> {
        Err(Status::failed_precondition("no moves are in the script"))
    }

    async fn certificate(
        &self,
        request: Request<StoredJobRequest>,
    ) -> Result<Response<Self::CertificateStream>, Status> {
        let job = request.into_inner().job;
        let text = self.script().certificates.get(&job).cloned();
        let text = text.ok_or_else(|| Status::not_found(format!("there is no job `{job}`")))?;
        let parts = text.chunks(100).map(|part| DocumentPart { text: part.to_vec().into() }).collect();
        Ok(Response::new(stream_of(parts)))
    }

    async fn verify(&self, _: Request<StoredJobRequest>) -> Result<Response<Self::VerifyStream>, Status> {
        Ok(Response::new(stream_of(self.script().checks.clone())))
    }
}
