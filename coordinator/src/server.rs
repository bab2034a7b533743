//! Serving a desk on the network, until it is told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use antichain_proto::connect::{PING_EVERY, PING_TIMEOUT};
use antichain_proto::limits::{CONNECTION_WINDOW, FRAME_BYTES, MESSAGE_BYTES, STREAM_WINDOW};
use antichain_proto::token::{Token, is_authorised};
use antichain_proto::v1::jobs_server::JobsServer;
use antichain_proto::v1::tables_server::TablesServer;
use antichain_proto::v1::values_server::ValuesServer;
use antichain_proto::v1::work_server::WorkServer;
use tokio::net::TcpListener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic::{Request, Status};

use crate::desk::Desk;
use crate::service::Services;

/// Time between the wish to stop and the end, whatever connections are open.
const DRAIN: Duration = Duration::from_secs(5);
/// Streams of a connection at a time.
const MOST_STREAMS: u32 = 1024;

/// How a coordinator listens.
pub struct Listen {
    /// Where.
    pub address: SocketAddr,
    /// What it wants to see; `None` where anybody is welcome.
    pub token: Option<Token>,
    /// For TLS: certificate and key, in PEM.
    pub tls: Option<(String, String)>,
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

/// A server that shows a certificate.
fn with_tls(server: Server, certificate: &str, key: &str) -> Result<Server, ServeError> {
    let config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    server.tls_config(config).map_err(|_| ServeError::Tls("certificate and key are not PEM, or not a pair".to_owned()))
}

/// A coordinator that listens, and does not answer yet.
pub struct Bound {
    listener: TcpListener,
    listen: Listen,
}

impl Bound {
    /// Listens.
    ///
    /// # Errors
    /// [`ServeError::Bind`], [`ServeError::Tls`].
    pub async fn new(listen: Listen) -> Result<Self, ServeError> {
        if let Some((certificate, key)) = &listen.tls {
            with_tls(Server::builder(), certificate, key)?;
        }
        let address = listen.address;
        let listener = TcpListener::bind(address).await.map_err(|source| ServeError::Bind { address, source })?;
        Ok(Self { listener, listen })
    }

    /// Where it listens: with the port that was given if none was asked for.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.listen.address)
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
        let Self { listener, listen } = self;
        let Listen { token, tls, .. } = listen;
        let mut server = Server::builder()
            .tcp_nodelay(true)
            .max_frame_size(FRAME_BYTES)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_concurrent_streams(MOST_STREAMS)
            .http2_keepalive_interval(Some(PING_EVERY))
            .http2_keepalive_timeout(Some(PING_TIMEOUT));
        if let Some((certificate, key)) = tls {
            server = with_tls(server, &certificate, &key)?;
        }
        let check = move |request: Request<()>| match &token {
            Some(token) if !is_authorised(request.metadata(), token) => {
                Err(Status::unauthenticated("the token is missing or wrong"))
            }
            _ => Ok(request),
        };
        let services = Services::new(desk.clone());
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
        let (stopping, stopped) = tokio::sync::oneshot::channel();
        let wish = async move {
            stop.await;
            desk.drain();
            // Whoever waits for it is gone only if everything has ended.
            let _ = stopping.send(());
        };
        let serving = server
            .add_service(health)
            .add_service(InterceptedService::new(reflection, check.clone()))
            .add_service(InterceptedService::new(jobs, check.clone()))
            .add_service(InterceptedService::new(work, check.clone()))
            .add_service(InterceptedService::new(tables, check.clone()))
            .add_service(InterceptedService::new(values, check))
            .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), wish);
        tokio::select! {
            result = serving => result.map_err(|error| ServeError::Failed(error.to_string())),
            reason = watched.broken() => Err(ServeError::Store(reason)),
            () = async {
                // A wish that was dropped never comes.
                if stopped.await.is_err() { std::future::pending::<()>().await }
                tokio::time::sleep(DRAIN).await;
            } => Ok(()),
        }
    }
}
