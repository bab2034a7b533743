//! Connecting to a coordinator, and why that fails.
//!
//! A connection costs no call: that the token is wrong, or that something else listens there, shows at the first call,
//! whose status [`ConnectError::of_status`] explains.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};

use crate::access::Access;
use crate::limits::{CONNECTION_WINDOW, FRAME_BYTES, STREAM_WINDOW};
use crate::token::{Bearer, Token};
use crate::url::CoordinatorUrl;

/// How long a connection may take.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time between signs of life of a connection.
pub const PING_EVERY: Duration = Duration::from_secs(10);

/// How long the answer to one may take.
pub const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// Stands before the address of a worker that gives others what it made over TLS.
pub const PEER_TLS: &str = "https://";

/// The name that certificates of workers have besides others: workers reach one another by addresses.
pub const WORKER_NAME: &str = "worker.antichain";

/// Name of this program in requests.
pub const USER_AGENT: &str = concat!("antichain/", env!("CARGO_PKG_VERSION"));

/// A connection that shows the token with every request. Cheap to clone; it reconnects by itself, at the next call.
pub type Connection = InterceptedService<Channel, Bearer>;

/// Where to connect to, and what to show there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Address of the coordinator.
    pub url: CoordinatorUrl,
    /// Its token; without one only a coordinator that wants none answers.
    pub token: Option<Token>,
    /// For TLS: who vouches for it, in PEM.
    pub tls_ca: Option<String>,
    /// For TLS: the name that its certificate must have, if that is not the host's.
    pub server_name: Option<&'static str>,
    /// For TLS: what is shown to a coordinator that wants to know who connects.
    pub identity: Option<Identity>,
}

/// A certificate and its key, in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// The key, which is not shown.
    pub key: String,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity(..)")
    }
}

impl From<&Identity> for tonic::transport::Identity {
    fn from(identity: &Identity) -> Self {
        Self::from_pem(&identity.certificate, &identity.key)
    }
}

impl Target {
    /// A coordinator that wants to see nothing.
    pub fn new(url: CoordinatorUrl) -> Self {
        Self { url, token: None, tls_ca: None, server_name: None, identity: None }
    }
}

impl From<Access> for Target {
    fn from(access: Access) -> Self {
        let url = access.url();
        Self { token: Some(access.token), tls_ca: access.tls_ca, ..Self::new(url) }
    }
}

/// There is no connection to a coordinator.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("no connection to {url}, after {:.1} s: {fault}", waited.as_secs_f64())]
pub struct ConnectError {
    /// What was tried.
    pub url: CoordinatorUrl,
    /// For how long.
    pub waited: Duration,
    /// What happened.
    pub fault: ConnectFault,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectFault {
    /// The host is there, but nothing listens on the port.
    #[error("nothing listens there (connection refused)")]
    Refused,
    /// No answer.
    #[error("nobody answers (timed out)")]
    TimedOut,
    /// It was there, and went: the coordinator ended, or it speaks TLS only.
    #[error("the other side hung up")]
    HungUp,
    /// No way leads there: this machine's network is not up, or something on the way says so.
    #[error("the network is unreachable from here")]
    Unreachable,
    /// A name that stands for no address.
    #[error("there is no such host")]
    NoSuchHost,
    /// `https` without anybody to vouch for the coordinator, or with what is no certificate.
    #[error("TLS needs a certificate that vouches for the coordinator, and {0}")]
    Authority(&'static str),
    /// The other side speaks no TLS, or shows a certificate that is not trusted.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// Something else listens there.
    #[error("what listens there is no coordinator of antichain")]
    NotAntichain,
    /// The coordinator wants another token, or one at all.
    #[error("{}", if *.shown { "the coordinator refuses the token" } else { "the coordinator wants a token" })]
    Token {
        /// Whether it saw one.
        shown: bool,
    },
    /// A token that cannot be shown.
    #[error(transparent)]
    Unfit(#[from] crate::token::TokenError),
    /// Anything else, as the system tells it.
    #[error("{0}")]
    Other(String),
}

/// Connects, within [`CONNECT_TIMEOUT`].
///
/// # Errors
/// [`ConnectError`]: everything but [`ConnectFault::Token`] and [`ConnectFault::NotAntichain`], which show later.
pub async fn connect(target: &Target) -> Result<Connection, ConnectError> {
    let start = Instant::now();
    let failed = |fault| ConnectError { url: target.url.clone(), waited: start.elapsed(), fault };
    let bearer = Bearer::new(target.token.as_ref()).map_err(|error| failed(error.into()))?;
    let endpoint = endpoint(target).map_err(failed)?;
    // The limit of the endpoint is on TCP alone; TLS has to be done in time too.
    match tokio::time::timeout(CONNECT_TIMEOUT, endpoint.connect()).await {
        Ok(Ok(channel)) => Ok(InterceptedService::new(channel, bearer)),
        Ok(Err(error)) => Err(failed(fault(&error, target.url.is_tls()))),
        Err(_) => Err(failed(ConnectFault::TimedOut)),
    }
}

/// The endpoint of a coordinator with windows, limits and signs of life as both sides want them.
///
/// # Errors
/// [`ConnectFault::Authority`] and, for what no coordinator is called, [`ConnectFault::Other`].
pub fn endpoint(target: &Target) -> Result<Endpoint, ConnectFault> {
    let other = |error: tonic::transport::Error| ConnectFault::Other(innermost(&error));
    let endpoint = Endpoint::from_shared(target.url.to_string())
        .and_then(|endpoint| endpoint.user_agent(USER_AGENT))
        .map_err(other)?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .max_frame_size(FRAME_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_TIMEOUT)
        .keep_alive_while_idle(true);
    if !target.url.is_tls() {
        return Ok(endpoint);
    }
    let authority = target.tls_ca.as_deref().ok_or(ConnectFault::Authority("none was given"))?;
    if !authority.contains("-----BEGIN CERTIFICATE-----") {
        return Err(ConnectFault::Authority("what was given is no certificate in PEM"));
    }
    let name = target.server_name.unwrap_or(target.url.host());
    let mut tls = ClientTlsConfig::new().domain_name(name).ca_certificate(Certificate::from_pem(authority));
    if let Some(identity) = &target.identity {
        tls = tls.identity(identity.into());
    }
    endpoint.tls_config(tls).map_err(|_| ConnectFault::Authority("what was given is no certificate in PEM"))
}

impl ConnectError {
    /// Why a call got no answer of a coordinator, if its status says that rather than something about the call itself.
    pub fn of_status(target: &Target, waited: Duration, status: &Status) -> Option<Self> {
        let fault = match status.code() {
            Code::Unauthenticated => ConnectFault::Token { shown: target.token.is_some() },
            // What a web server answers.
            Code::Unimplemented | Code::Unknown | Code::Internal | Code::Unavailable
                if status.message().contains("grpc-status header missing") =>
            {
                ConnectFault::NotAntichain
            }
            Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled => {
                // The status of a coordinator has no source.
                let source = status.source()?;
                match fault(source, target.url.is_tls()) {
                    ConnectFault::Other(_) if is_no_http2(source) => ConnectFault::NotAntichain,
                    fault => fault,
                }
            }
            _ => return None,
        };
        Some(Self { url: target.url.clone(), waited, fault })
    }
}

/// What happened, found among the causes of an error.
fn fault(error: &(dyn Error + 'static), tls: bool) -> ConnectFault {
    let kinds = || causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    if kinds().any(|kind| kind == io::ErrorKind::ConnectionRefused) {
        ConnectFault::Refused
    } else if kinds().any(|kind| NO_WAY.contains(&kind)) {
        ConnectFault::Unreachable
    } else if kinds().any(|kind| kind == io::ErrorKind::TimedOut)
        || ["Timeout expired", "timed out"].iter().any(|text| says(error, text))
    {
        ConnectFault::TimedOut
    } else if says(error, "dns error") {
        ConnectFault::NoSuchHost
    } else if tls && kinds().any(|kind| matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)) {
        ConnectFault::Tls(innermost(error))
    } else if HUNG_UP.iter().any(|text| says(error, text)) {
        ConnectFault::HungUp
    } else {
        ConnectFault::Other(innermost(error))
    }
}

/// Of a name that stands for several addresses, the error is that of the last one: an address of a kind that this machine does
/// not have says nothing of the others.
const NO_WAY: [io::ErrorKind; 3] =
    [io::ErrorKind::NetworkUnreachable, io::ErrorKind::HostUnreachable, io::ErrorKind::AddrNotAvailable];

/// How the layers below say that the other side is gone; their errors do not all tell it by their kind.
const HUNG_UP: [&str; 5] =
    ["broken pipe", "Broken pipe", "onnection reset", "connection closed", "connection was not ready"];

/// Whether the other side speaks something else than HTTP/2.
fn is_no_http2(error: &(dyn Error + 'static)) -> bool {
    ["http2 error", "frame with invalid size", "invalid HTTP"].iter().any(|text| says(error, text))
}

fn says(error: &(dyn Error + 'static), text: &str) -> bool {
    causes(error).any(|cause| cause.to_string().contains(text))
}

/// The error and what caused it, outermost first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The words of the first cause: those around it say no more than that the connection failed.
fn innermost(error: &(dyn Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

/// For log lines: where it leads to.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

#[cfg(test)]
mod tests;
