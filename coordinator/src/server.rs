//! Serving a desk on the network, until it is told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use antichain_proto::connect::{Identity, PING_EVERY, PING_TIMEOUT};
use antichain_proto::limits::{CONNECTION_WINDOW, FRAME_BYTES, MESSAGE_BYTES, STREAM_WINDOW};
use antichain_proto::rights::{Purpose, Tokens};
use antichain_proto::token::Token;
use antichain_proto::v1::jobs_server::JobsServer;
use antichain_proto::v1::tables_server::TablesServer;
use antichain_proto::v1::values_server::ValuesServer;
use antichain_proto::v1::work_server::WorkServer;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Server, ServerTlsConfig};

use crate::desk::Desk;
use crate::doorman::Doorman;
use crate::gate::{Counter, Gate};
use crate::http::{self, Pages, UnfitIdentity};
use crate::meters::{Port, Service};
use crate::service::Services;

/// Time between the wish to stop and the end, whatever connections are open.
const DRAIN: Duration = Duration::from_secs(5);
/// How long the other side may take until TLS is agreed on.
pub const HANDSHAKE: Duration = Duration::from_secs(5);
/// Streams of a connection at a time.
const MOST_STREAMS: u32 = 1024;
/// Connections at a time, where nothing else is said: a thousand workers on one host, a quarter of the whole, have two each.
pub const MOST_CONNECTIONS: usize = 8192;

/// How a coordinator listens.
pub struct Listen {
    /// Where.
    pub address: SocketAddr,
    /// What it wants to see, and what that opens.
    pub tokens: Tokens,
    /// For TLS: what it shows.
    pub identity: Option<Identity>,
    /// For mutual TLS: who vouches for those who connect, in PEM.
    pub client_ca: Option<String>,
    /// Where its pages are served, if anywhere.
    pub http: Option<SocketAddr>,
    /// Connections at a time.
    pub most_connections: usize,
    /// The commit that the program was made from, for its metrics.
    pub commit: &'static str,
}

impl Listen {
    /// Without TLS and without pages.
    pub fn plain(address: SocketAddr, tokens: Tokens) -> Self {
        Self {
            address,
            tokens,
            identity: None,
            client_ca: None,
            http: None,
            most_connections: MOST_CONNECTIONS,
            commit: "unknown",
        }
    }
}

/// A coordinator cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Certificate or key are none.
    #[error("TLS: {0}")]
    Tls(String),
    /// Nothing can be stored any more.
    #[error("the store takes nothing more: {0}")]
    Store(String),
    /// It ended by itself.
    #[error("the server failed: {0}")]
    Failed(String),
}

/// A server that shows a certificate, and may want to see one.
fn with_tls(server: Server, identity: &Identity, client_ca: Option<&str>) -> Result<Server, ServeError> {
    let mut config = ServerTlsConfig::new().identity(identity.into()).timeout(HANDSHAKE);
    if let Some(authority) = client_ca {
        config = config.client_ca_root(Certificate::from_pem(authority));
    }
    server.tls_config(config).map_err(|_| ServeError::Tls(UnfitIdentity.to_string()))
}

/// A coordinator that listens, and does not answer yet.
pub struct Bound {
    listener: TcpListener,
    pages: Option<TcpListener>,
    listen: Listen,
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })
}

impl Bound {
    /// Listens.
    ///
    /// # Errors
    /// [`ServeError::Bind`], [`ServeError::Tls`].
    pub async fn new(listen: Listen) -> Result<Self, ServeError> {
        if let Some(identity) = &listen.identity {
            with_tls(Server::builder(), identity, listen.client_ca.as_deref())?;
        }
        let listener = bind(listen.address).await?;
        let pages = match listen.http {
            Some(address) => Some(bind(address).await?),
            None => None,
        };
        Ok(Self { listener, pages, listen })
    }

    /// Where it listens: with the port that was given if none was asked for.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.listen.address)
    }

    /// Where its pages are, likewise.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.pages.as_ref()?.local_addr().ok()
    }

    /// Serves until `stop` comes, and then ends within some seconds: what is open by then is cut off, and goes on after the
    /// next start.
    ///
    /// # Errors
    /// [`ServeError::Tls`], [`ServeError::Failed`].
    pub async fn serve(
        self,
        desk: Arc<Desk>,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let Self { listener, pages, listen } = self;
        let Listen { tokens, identity, client_ca, most_connections, commit, .. } = listen;
        let mut server = Server::builder()
            .tcp_nodelay(true)
            .max_frame_size(FRAME_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_concurrent_streams(MOST_STREAMS)
            .http2_keepalive_interval(Some(PING_EVERY))
            .http2_keepalive_timeout(Some(PING_TIMEOUT));
        if let Some(identity) = &identity {
            server = with_tls(server, identity, client_ca.as_deref())?;
        }
        let meters = desk.meters().clone();
        let connections = Counter::new(most_connections);
        let (stopping, mut stopped) = watch::channel(false);
        if let Some(listener) = pages {
            let (tokens, connections) = (tokens.clone(), connections.clone());
            let pages = Pages { desk: desk.clone(), tokens, connections, commit };
            let mut stopped = stopped.clone();
            let wish = async move {
                // The server that would tell it is gone otherwise.
                let _ = stopped.wait_for(|&stopped| stopped).await;
            };
            let serving = http::serve(listener, identity.as_ref(), pages, wish);
            tokio::spawn(serving.map_err(|error| ServeError::Tls(error.to_string()))?);
        }
        let doorman = Doorman { tokens, connections: connections.clone(), meters: meters.clone() };
        let peer_token = Token::random().map_err(|error| ServeError::Failed(error.to_string()))?;
        let services = Services::new(desk.clone(), peer_token);
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_serving::<JobsServer<Services>>().await;
        reporter.set_serving::<WorkServer<Services>>().await;
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(antichain_proto::DESCRIPTORS)
            .build_v1()
            .map_err(|error| ServeError::Failed(error.to_string()))?;
        let jobs = JobsServer::new(services.clone()).max_decoding_message_size(MESSAGE_BYTES);
        let work = WorkServer::new(services.clone()).max_decoding_message_size(MESSAGE_BYTES);
        let tables = TablesServer::new(services.clone()).max_decoding_message_size(MESSAGE_BYTES);
        let values = ValuesServer::new(services).max_decoding_message_size(MESSAGE_BYTES);
        let watched = desk.clone();
        let wish = async move {
            stop.await;
            desk.drain();
            stopping.send_replace(true);
        };
        let serving = server
            .add_service(health)
            .add_service(InterceptedService::new(reflection, doorman.at(None)))
            .add_service(InterceptedService::new(jobs, doorman.at(Some((Service::Jobs, Purpose::Ask)))))
            .add_service(InterceptedService::new(work, doorman.at(Some((Service::Work, Purpose::Work)))))
            .add_service(InterceptedService::new(tables, doorman.at(Some((Service::Tables, Purpose::Work)))))
            .add_service(InterceptedService::new(values, doorman.at(Some((Service::Values, Purpose::Ask)))))
            .serve_with_incoming_shutdown(Gate::new(listener, connections, meters, Port::Services), wish);
        tokio::select! {
            result = serving => result.map_err(|error| ServeError::Failed(error.to_string())),
            reason = watched.broken() => Err(ServeError::Store(reason)),
            () = async {
                // A wish that was dropped never comes.
                if stopped.wait_for(|&stopped| stopped).await.is_err() { std::future::pending::<()>().await }
                tokio::time::sleep(DRAIN).await;
            } => Ok(()),
        }
    }
}
