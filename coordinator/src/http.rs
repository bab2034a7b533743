//! What a coordinator says over HTTP: its metrics, and whether it is well.
//!
//! | path | says | wants |
//! |---|---|---|
//! | `/metrics` | numbers for Prometheus | a token that may ask |
//! | `/healthz` | that the coordinator is there | nothing |
//! | `/readyz` | whether it takes results: it has room, and is not about to stop | nothing |

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use antichain_proto::connect::Identity;
use antichain_proto::rights::{Purpose, Tokens};
use antichain_proto::token::shown_by;
use axum::Router;
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::{IncomingStream, Listener};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::desk::Desk;
use crate::gate::{Admitted, Caller, Counter, Gate};
use crate::meters::Port;
use crate::metrics;
use crate::server::HANDSHAKE;

/// Connections at a time: these pages are for few.
const MOST_CONNECTIONS: usize = 256;

/// What the pages are about.
#[derive(Clone)]
pub struct Pages {
    /// The desk.
    pub desk: Arc<Desk>,
    /// Who may see what.
    pub tokens: Tokens,
    /// The connections of the services.
    pub connections: Counter,
    /// The commit that the program was made from.
    pub commit: &'static str,
}

/// Certificate or key are none, or no pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("certificate and key are not PEM, or not a pair")]
pub struct UnfitIdentity;

/// Serves the pages until `stop` comes; over TLS if there is a certificate to show.
///
/// # Errors
/// [`UnfitIdentity`], before anything is served.
pub fn serve(
    listener: TcpListener,
    identity: Option<&Identity>,
    pages: Pages,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<impl Future<Output = ()> + Send + 'static, UnfitIdentity> {
    let acceptor = identity.map(acceptor).transpose()?;
    let meters = pages.desk.meters().clone();
    let gate = Gate::new(listener, Counter::new(MOST_CONNECTIONS), meters, Port::Pages);
    let router = Router::new()
        .route("/metrics", get(show_metrics))
        .route("/healthz", get(|| async { "alive\n" }))
        .route("/readyz", get(readiness))
        .with_state(pages);
    let router = router.into_make_service_with_connect_info::<Caller>();
    Ok(async move {
        // What goes wrong with a connection ends that one alone.
        let _ = match acceptor {
            None => axum::serve(gate, router).with_graceful_shutdown(stop).await,
            Some(acceptor) => axum::serve(Tls::new(gate, acceptor), router).with_graceful_shutdown(stop).await,
        };
    })
}

impl Connected<IncomingStream<'_, Gate>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Gate>) -> Self {
        stream.io().caller().clone()
    }
}

impl Connected<IncomingStream<'_, Tls>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Tls>) -> Self {
        stream.io().get_ref().0.caller().clone()
    }
}

async fn show_metrics(
    State(pages): State<Pages>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
) -> Response {
    let shown = headers.get(header::AUTHORIZATION).and_then(|header| shown_by(header.as_bytes()));
    let right = match shown {
        Some(token) => pages.tokens.right_of_token(token),
        None => pages.tokens.right_of(&tonic::metadata::MetadataMap::new()),
    };
    match right {
        None => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], "the token is missing or wrong\n")
            .into_response(),
        Some(right) if !right.covers(Purpose::Ask) => {
            (StatusCode::FORBIDDEN, "this token may work and not ask\n").into_response()
        }
        Some(_) => {
            caller.welcome();
            // It looks at the disk.
            let text = move || metrics::text(&pages.desk, &pages.connections, pages.commit);
            let accepts = headers.get(header::ACCEPT).and_then(|accepts| accepts.to_str().ok()).unwrap_or_default();
            let [open, plain] = metrics::CONTENT_TYPES;
            let content_type = if accepts.contains("openmetrics") { open } else { plain };
            match tokio::task::spawn_blocking(text).await {
                Ok(text) => ([(header::CONTENT_TYPE, content_type)], text).into_response(),
                Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            }
        }
    }
}

async fn readiness(State(pages): State<Pages>) -> Response {
    if pages.desk.is_draining() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response()
    } else if !pages.desk.has_room() {
        (StatusCode::SERVICE_UNAVAILABLE, "the disk is full\n").into_response()
    } else {
        "ready\n".into_response()
    }
}

fn acceptor(identity: &Identity) -> Result<TlsAcceptor, UnfitIdentity> {
    let chain = CertificateDer::pem_slice_iter(identity.certificate.as_bytes()).collect::<Result<Vec<_>, _>>();
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).map_err(|_| UnfitIdentity)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain.unwrap_or_default(), key));
    Ok(TlsAcceptor::from(Arc::new(config.map_err(|_| UnfitIdentity)?)))
}

/// Connections on which TLS is agreed. That is done beside one another: one who never says a word holds up nobody.
struct Tls {
    agreed: tokio::sync::mpsc::Receiver<(TlsStream<Admitted>, SocketAddr)>,
    address: std::io::Result<SocketAddr>,
}

impl Tls {
    fn new(mut gate: Gate, acceptor: TlsAcceptor) -> Self {
        let address = gate.local_address();
        let (sender, agreed) = tokio::sync::mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let (stream, from) = tokio::select! {
                    accepted = Listener::accept(&mut gate) => accepted,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                        // Nobody serves any more.
                        let _ = sender.send((stream, from)).await;
                    }
                });
            }
        });
        Self { agreed, address }
    }
}

impl Listener for Tls {
    type Io = TlsStream<Admitted>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.agreed.recv().await {
            Some(accepted) => accepted,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        match &self.address {
            Ok(address) => Ok(*address),
            Err(error) => Err(error.kind().into()),
        }
    }
}

impl Listener for Gate {
    type Io = Admitted;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        self.admit().await
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.local_address()
    }
}
