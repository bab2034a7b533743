//! `antichain coordinator`: serves jobs until it is told to stop.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use antichain_coordinator::desk::Desk;
use antichain_coordinator::ledger::Settings;
use antichain_coordinator::server::{Bound, Listen, ServeError};
use antichain_proto::access::{Access, AccessError};
use antichain_proto::rights::{Right, Tokens};
use antichain_proto::token::Token;
use antichain_proto::url::CoordinatorUrl;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::args::{CoordinatorArgs, Global};
use crate::remote::place;
use crate::{build, data, interrupt};

/// In the data directory: the access file once more, for the token.
const KEPT: &str = "access.json";

/// File descriptors for other things than connections.
const OTHER_FILES: u64 = 512;

/// How long a look takes at whether another coordinator listens.
const LOOK: Duration = Duration::from_millis(500);

/// The coordinator was asked to do what it must not or cannot.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// An open port without TLS.
    #[error("{0} can be reached from other machines, and without TLS the token can be read on the way")]
    Open(SocketAddr),
    /// A token that would open more than somebody meant it to.
    #[error("the same token is given for different rights")]
    SameToken,
    /// The access file is another coordinator's.
    #[error("the access file {} is that of the coordinator at {url}, which is running", file.display())]
    Taken {
        /// The file.
        file: PathBuf,
        /// Where that one listens.
        url: CoordinatorUrl,
    },
    /// It cannot listen or serve.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Runs the command.
pub fn execute(global: &Global, args: &CoordinatorArgs) -> anyhow::Result<()> {
    let directory = place::here(global)?;
    let access_file = place::access_file(global)?;
    let identity = place::identity(global)?;
    let client_ca = args.tls_client_ca.as_deref().map(place::certificate).transpose()?;
    let beyond = [Some(args.listen), args.http].into_iter().flatten().find(|address| !address.ip().is_loopback());
    if let Some(address) = beyond.filter(|_| identity.is_none() && !args.insecure) {
        return Err(CoordinatorError::Open(address).into());
    }
    let others = [(&args.worker_token_file, Right::Worker), (&args.reader_token_file, Right::Reader)];
    let owners = global.token_file.as_deref().map(place::token_in).transpose()?;
    let mut others_tokens = Vec::new();
    for (file, right) in others {
        if let Some(file) = file {
            others_tokens.push((place::token_in(file)?, right));
        }
    }
    let kept = directory.join(KEPT);
    let token = owners.map_or_else(|| token(&kept), Ok)?;
    let mut all = vec![&token];
    all.extend(others_tokens.iter().map(|(other, _)| other));
    if (1..all.len()).any(|i| all[..i].contains(&all[i])) {
        return Err(CoordinatorError::SameToken.into());
    }
    let tokens = others_tokens
        .into_iter()
        .fold(Tokens::of_owner(token.clone()), |tokens, (token, right)| tokens.with(token, right));
    let store = data::open(&directory)?;
    refuse_taken(&access_file)?;
    let settings = Settings { lease: args.lease, ..Settings::default() };
    let most_connections = connections_that_fit(args.max_connections);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let stop = interrupt::asked_to_stop()?;
        let listen = Listen {
            identity: identity.clone(),
            client_ca,
            http: args.http,
            most_connections,
            commit: build::COMMIT,
            ..Listen::plain(args.listen, tokens)
        };
        let bound = Bound::new(listen).await.map_err(CoordinatorError::from)?;
        let address = bound.address();
        let http = bound.http_address();
        let desk =
            Desk::open(store, settings).map_err(|source| data::DataError { directory: directory.clone(), source })?;
        // Whoever made the certificate, or the certificate itself, if that needs nobody.
        let authority = global.tls_ca.as_deref().map(place::certificate).transpose()?;
        let access = Access {
            host: if address.ip().is_unspecified() { "127.0.0.1".to_owned() } else { address.ip().to_string() },
            port: address.port(),
            token,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            tls_ca: identity.map(|identity| authority.unwrap_or(identity.certificate)),
        };
        access.write(&kept).map_err(place::PlaceError::from)?;
        access.write(&access_file).map_err(place::PlaceError::from)?;
        let pages = http.map_or_else(|| "none".to_owned(), |address| address.to_string());
        tracing::info!(%address, http = pages, data = %directory.display(), access = %access_file.display(), "ready");
        let served = bound.serve(desk, stop).await;
        // Where both are one, the token stays for the next start.
        if std::path::absolute(&access_file)? != std::path::absolute(&kept)? {
            access.remove(&access_file).map_err(place::PlaceError::from)?;
        }
        served.map_err(CoordinatorError::from)?;
        tracing::info!("stopped; jobs go on at the next start");
        Ok::<(), anyhow::Error>(())
    })?;
    // What still blocks a thread is cut off: nothing that counts depends on it.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    Ok(())
}

/// Lets this process have as many files open as so many connections take, as far as the system allows: many shells allow a
/// thousand at first. Returns how many connections these are enough for.
fn connections_that_fit(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let files = wanted as u64 + OTHER_FILES;
    if limit.current.is_none_or(|current| current >= files) {
        return wanted;
    }
    let current = limit.maximum.map_or(files, |maximum| files.min(maximum));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(current), ..limit });
    let allowed = raised.map_or(limit.current.unwrap_or(current), |()| current);
    let fit = wanted.min(allowed.saturating_sub(OTHER_FILES).max(1) as usize);
    if fit < wanted {
        tracing::warn!(
            "{allowed} files may be open, so no more than {fit} connections are taken; `ulimit -n {files}`, or LimitNOFILE= in a unit, allows {wanted}"
        );
    }
    fit
}

/// The token of the coordinator that served this directory before: its workers, which show it, go on after a restart.
fn token(kept: &Path) -> anyhow::Result<Token> {
    match Access::read(kept) {
        Ok(access) => Ok(access.token),
        Err(AccessError::Missing { .. }) => Ok(Token::random()?),
        Err(error) => Err(place::PlaceError::from(error).into()),
    }
}

/// Refuses to take over the access file of a coordinator that still listens: its users would not find it any more.
fn refuse_taken(file: &Path) -> Result<(), CoordinatorError> {
    // What is no access file is written over.
    let Ok(access) = Access::read(file) else { return Ok(()) };
    let addresses = (access.host.as_str(), access.port).to_socket_addrs().into_iter().flatten();
    let listens = |address: SocketAddr| TcpStream::connect_timeout(&address, LOOK).is_ok();
    if addresses.take(2).any(listens) {
        return Err(CoordinatorError::Taken { file: file.to_owned(), url: access.url() });
    }
    Ok(())
}
