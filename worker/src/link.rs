//! The link to the coordinator: registering, signs of life, asking for tasks; across cuts and restarts.

use std::sync::Arc;
use std::time::Duration;

use antichain_proto::connect::{ConnectError, ConnectFault, Connection, Target, connect};
use antichain_proto::limits::MESSAGE_BYTES;
use antichain_proto::v1;
use antichain_proto::v1::tables_client::TablesClient;
use antichain_proto::v1::work_client::WorkClient;
use antichain_proto::{ENGINE, PROTOCOL};
use tokio::sync::{Mutex, watch};
use tonic::{Code, Status};

use crate::error::{WorkerError, is_passing};
use crate::run::Settings;
use crate::session::Session;

/// Time between two attempts, at first and at most.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const MOST_WAIT: Duration = Duration::from_secs(5);
/// How long a coordinator that was never there is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same for one that hung up.
const PATIENCE_WHEN_HUNG_UP: Duration = Duration::from_secs(10);
/// A call that takes longer is given up, but for those that wait on purpose.
const CALL: Duration = Duration::from_secs(20);
/// How long the coordinator may wait for a task before it says that there is none.
const ACQUIRE_WAIT: Duration = Duration::from_secs(10);

/// Waits longer from one attempt to the next.
pub struct Backoff {
    next: Duration,
    /// Told when the worker has registered: whoever waits for the coordinator need not wait any more.
    registered: Option<watch::Receiver<Duration>>,
}

impl Backoff {
    /// Short at first.
    pub fn new() -> Self {
        Self { next: FIRST_WAIT, registered: None }
    }

    /// The same, but for no longer than until this link has registered.
    pub fn of(link: &Link) -> Self {
        Self { registered: Some(link.lease.subscribe()), ..Self::new() }
    }

    /// Waits.
    pub async fn wait(&mut self) {
        let registered = async {
            let told = match &mut self.registered {
                Some(news) => news.changed().await.is_ok(),
                None => false,
            };
            if !told {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = tokio::time::sleep(self.next) => self.next = (self.next * 2).min(MOST_WAIT),
            () = registered => self.next = FIRST_WAIT,
        }
    }
}

/// See the head of this file.
pub struct Link {
    connection: Connection,
    target: Target,
    request: v1::RegisterRequest,
    /// What it holds.
    pub session: Arc<Session>,
    /// Held while it registers: once is enough, however many calls find that they must.
    registering: Mutex<()>,
    lease: watch::Sender<Duration>,
}

impl Link {
    /// Connects and registers; a coordinator that is not there yet is waited for.
    ///
    /// # Errors
    /// [`WorkerError::Connect`], [`WorkerError::Refused`].
    pub async fn open(
        settings: &Settings,
        instance: u64,
        peer_address: String,
        session: Arc<Session>,
    ) -> Result<Arc<Self>, WorkerError> {
        let connection = patiently_connected(&settings.target).await?;
        let request = v1::RegisterRequest {
            protocol: PROTOCOL,
            engine: ENGINE.to_owned(),
            capabilities: ["enumerate", "solve", "join", "whole", "search"].map(str::to_owned).to_vec(),
            host: settings.host.clone(),
            process: std::process::id(),
            threads: settings.threads as u32,
            memory: settings.memory,
            instance,
            held: Vec::new(),
            peer_address,
        };
        let link = Arc::new(Self {
            connection,
            target: settings.target.clone(),
            request,
            session,
            registering: Mutex::new(()),
            lease: watch::Sender::new(Duration::from_secs(15)),
        });
        link.register(0).await?;
        Ok(link)
    }

    /// A client for work.
    pub fn work(&self) -> WorkClient<Connection> {
        WorkClient::new(self.connection.clone()).max_decoding_message_size(MESSAGE_BYTES)
    }

    /// A client for tables.
    pub fn tables(&self) -> TablesClient<Connection> {
        TablesClient::new(self.connection.clone()).max_decoding_message_size(MESSAGE_BYTES)
    }

    /// What it connects to.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Registers, unless that has happened since the worker had the number `before`.
    ///
    /// # Errors
    /// [`WorkerError::Refused`], [`WorkerError::Connect`] if the token is refused.
    pub async fn register(&self, before: u64) -> Result<(), WorkerError> {
        let _one = self.registering.lock().await;
        if self.session.worker() != before {
            return Ok(());
        }
        let start = tokio::time::Instant::now();
        let mut backoff = Backoff::new();
        loop {
            let request = v1::RegisterRequest { held: self.session.tasks(), ..self.request.clone() };
            match limited(self.work().register(request)).await {
                Ok(reply) => {
                    let reply = reply.into_inner();
                    self.session.register(&reply);
                    let lease = Duration::from_millis(reply.lease_millis.max(300));
                    self.lease.send_replace(lease);
                    tracing::info!(
                        worker = reply.worker,
                        coordinator = %self.target.url,
                        version = reply.software,
                        "registered"
                    );
                    return Ok(());
                }
                Err(status) if is_passing(&status) => {
                    tracing::debug!("not registered yet: {}", status.message());
                    backoff.wait().await;
                }
                Err(status) => {
                    let fault = ConnectError::of_status(&self.target, start.elapsed(), &status);
                    return Err(match fault {
                        Some(error) => error.into(),
                        None => WorkerError::Refused(status.message().to_owned()),
                    });
                }
            }
        }
    }

    /// Registers again if a call failed because the coordinator does not know this worker. A token that is refused is an
    /// error here, too: a coordinator that was restarted with another one will not change its mind.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub async fn register_if_unknown(&self, worker: u64, status: &Status) -> Result<bool, WorkerError> {
        match status.code() {
            Code::NotFound => self.register(worker).await.map(|()| true),
            Code::PermissionDenied => Err(WorkerError::Refused(status.message().to_owned())),
            Code::Unauthenticated => match ConnectError::of_status(&self.target, Duration::ZERO, status) {
                Some(error) => Err(error.into()),
                None => Ok(false),
            },
            _ => Ok(false),
        }
    }

    /// Gives signs of life, as long as it is awaited.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub async fn beat(&self) -> Result<(), WorkerError> {
        loop {
            let lease = *self.lease.borrow();
            tokio::time::sleep(lease / 3).await;
            let worker = self.session.worker();
            let request = v1::HeartbeatRequest { worker, epochs: self.session.epochs() };
            match tokio::time::timeout(lease, self.work().heartbeat(request)).await {
                Ok(Ok(reply)) => self.session.end(&reply.into_inner().gone),
                Ok(Err(status)) => {
                    self.register_if_unknown(worker, &status).await?;
                    tracing::debug!("no answer to a sign of life: {}", status.message());
                }
                Err(_) => tracing::debug!("no answer to a sign of life in {lease:?}"),
            }
        }
    }

    /// Asks for at most so many tasks, until there is one.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub async fn acquire(&self, most: u32) -> Result<Vec<v1::Lease>, WorkerError> {
        let mut backoff = Backoff::of(self);
        let mut told = false;
        loop {
            let worker = self.session.worker();
            let request = v1::AcquireRequest { worker, most, wait_millis: ACQUIRE_WAIT.as_millis() as u64 };
            match tokio::time::timeout(2 * CALL, self.work().acquire(request)).await {
                Ok(Ok(reply)) => {
                    let leases = reply.into_inner().leases;
                    if !leases.is_empty() {
                        return Ok(leases);
                    }
                    backoff = Backoff::of(self);
                    // A coordinator that stops answers at once.
                    tokio::time::sleep(FIRST_WAIT).await;
                }
                Ok(Err(status)) => {
                    if !self.register_if_unknown(worker, &status).await? {
                        if !std::mem::replace(&mut told, true) {
                            let (coordinator, reason) = (&self.target.url, status.message());
                            tracing::warn!(%coordinator, "no answer, trying again: {reason}");
                        }
                        backoff.wait().await;
                    }
                }
                Err(_) => backoff.wait().await,
            }
        }
    }

    /// Gives leases back.
    pub async fn release(&self, epochs: Vec<u64>, leaves: bool) {
        let request = v1::ReleaseRequest { worker: self.session.worker(), epochs, leaves };
        if let Err(status) = limited(self.work().release(request)).await {
            // They end by themselves.
            tracing::debug!("leases not given back: {}", status.message());
        }
    }
}

/// A call, or the status that it took too long.
async fn limited<T>(call: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    match tokio::time::timeout(CALL, call).await {
        Ok(result) => result,
        Err(_) => Err(Status::deadline_exceeded(format!("no answer in {} s", CALL.as_secs()))),
    }
}

/// Connects, and waits for a coordinator that is not there yet.
async fn patiently_connected(target: &Target) -> Result<Connection, WorkerError> {
    let start = tokio::time::Instant::now();
    let mut backoff = Backoff::new();
    let mut told = false;
    loop {
        let error = match connect(target).await {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        let patience = match error.fault {
            ConnectFault::Refused | ConnectFault::TimedOut | ConnectFault::Unreachable | ConnectFault::NoSuchHost => {
                PATIENCE
            }
            // It ends or begins at this moment; or it speaks TLS only, and that does not pass.
            ConnectFault::HungUp => PATIENCE_WHEN_HUNG_UP,
            _ => Duration::ZERO,
        };
        if start.elapsed() >= patience {
            return Err(ConnectError { waited: start.elapsed(), ..error }.into());
        }
        if !std::mem::replace(&mut told, true) {
            tracing::info!("{error}; trying again for {} s", patience.as_secs());
        }
        backoff.wait().await;
    }
}
