//! Here or there: whether a command works on a data directory or asks a coordinator, and which.
//!
//! `--data` means here and `--coordinator` there. Without either, a command that can do both works here, unless there is an
//! access file and `./antichain-data` is not there or in use: then a coordinator of this user runs, and it has the jobs.

use std::ffi::OsString;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use antichain_common::store::is_in_use;
use antichain_proto::access::{self, Access, AccessError};
use antichain_proto::connect::{Identity, Target};
use antichain_proto::secret::{self, SecretError};
use antichain_proto::token::{Token, TokenError};
use antichain_proto::url::CoordinatorUrl;

use crate::args::Global;

/// The data directory, if nothing else is said.
pub const DEFAULT_DATA: &str = "./antichain-data";

/// Characters of a token that nobody guesses, at least.
const LEAST_TOKEN: usize = 16;

/// Variable that holds the token.
const TOKEN_VARIABLE: &str = "ANTICHAIN_TOKEN";

/// Where a command works.
#[derive(Debug)]
pub enum Place {
    /// On a data directory.
    Here(PathBuf),
    /// At a coordinator.
    There(Target),
}

/// The options do not say where a command is to work.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// Two places at once.
    #[error("--data is a place here and --coordinator one elsewhere")]
    Both,
    /// A coordinator for a command that does its work here.
    #[error("this command works here and asks no coordinator")]
    OnlyHere,
    /// A data directory for a command that has a coordinator do its work.
    #[error("this command asks a coordinator; a data directory has none")]
    OnlyThere,
    /// The access file.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A certificate.
    #[error("the certificate {} cannot be read: {source}", file.display())]
    Certificate {
        /// Its file.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A coordinator with a certificate, called without TLS.
    #[error("{0} is without TLS, though there is a certificate that vouches for the coordinator")]
    Plain(CoordinatorUrl),
    /// The variable.
    #[error("{TOKEN_VARIABLE} is no token: {0}")]
    Token(#[from] TokenError),
    /// A token or a key.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// Somebody would guess it.
    #[error("the token in {} is too short: it has less than {LEAST_TOKEN} characters", file.display())]
    ShortToken {
        /// The file.
        file: PathBuf,
    },
    /// What a file holds is no token.
    #[error("{} holds no token: {source}", file.display())]
    TokenFile {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: TokenError,
    },
}

/// Where a command works that can do both.
///
/// # Errors
/// See [`PlaceError`].
pub fn either(global: &Global) -> Result<Place, PlaceError> {
    match (&global.data, &global.coordinator) {
        (Some(_), Some(_)) => Err(PlaceError::Both),
        (Some(data), None) => Ok(Place::Here(data.clone())),
        (None, Some(_)) => target(global).map(Place::There),
        (None, None)
            if is_out_of_question(Path::new(DEFAULT_DATA))
                && (global.access_file.is_some() || access_file(global).is_ok_and(|file| file.exists())) =>
        {
            target(global).map(Place::There)
        }
        (None, None) => Ok(Place::Here(DEFAULT_DATA.into())),
    }
}

/// Whether a data directory is not there, or another process, a coordinator most likely, has it.
fn is_out_of_question(directory: &Path) -> bool {
    !directory.exists() || is_in_use(directory)
}

/// The data directory of a command that works here.
///
/// # Errors
/// [`PlaceError::OnlyHere`].
pub fn here(global: &Global) -> Result<PathBuf, PlaceError> {
    match &global.coordinator {
        Some(_) => Err(PlaceError::OnlyHere),
        None => Ok(global.data.clone().unwrap_or_else(|| DEFAULT_DATA.into())),
    }
}

/// The coordinator of a command that needs one.
///
/// # Errors
/// See [`PlaceError`].
pub fn there(global: &Global) -> Result<Target, PlaceError> {
    match (&global.data, &global.coordinator) {
        (Some(_), Some(_)) => Err(PlaceError::Both),
        (Some(_), None) => Err(PlaceError::OnlyThere),
        (None, _) => target(global),
    }
}

/// The coordinator that the options, the access file and the variable name. Whether a data directory is named too does not
/// matter: a worker has both.
///
/// # Errors
/// See [`PlaceError`].
pub fn target(global: &Global) -> Result<Target, PlaceError> {
    let token = match std::env::var_os(TOKEN_VARIABLE).filter(|token| !token.is_empty()) {
        Some(token) => Some(token_of(token)?),
        None => global.token_file.as_deref().map(token_in).transpose()?,
    };
    let authority = global.tls_ca.as_deref().map(certificate).transpose()?;
    let identity = identity(global)?;
    let found = match &global.coordinator {
        None => Target::from(Access::read(&access_file(global)?)?),
        Some(url) => known(global, url, token.is_some())?,
    };
    let target = Target { token: token.or(found.token), tls_ca: authority.or(found.tls_ca), identity, ..found };
    // Whoever knows who vouches for it wants TLS, and a token that was sent without is not secret any more.
    if target.tls_ca.is_some() && !target.url.is_tls() {
        return Err(PlaceError::Plain(target.url));
    }
    Ok(target)
}

/// What this side shows over TLS, if anything.
///
/// # Errors
/// [`PlaceError::Certificate`], [`PlaceError::Secret`].
pub fn identity(global: &Global) -> Result<Option<Identity>, PlaceError> {
    let (Some(file), Some(key)) = (&global.tls_cert, &global.tls_key) else { return Ok(None) };
    Ok(Some(Identity { certificate: certificate(file)?, key: secret::read(key)? }))
}

/// The token in a file.
///
/// # Errors
/// [`PlaceError::Secret`], [`PlaceError::TokenFile`].
pub fn token_in(file: &Path) -> Result<Token, PlaceError> {
    let token = Token::new(&secret::read(file)?);
    let token = token.map_err(|source| PlaceError::TokenFile { file: file.to_owned(), source })?;
    if token.secret().len() < LEAST_TOKEN {
        return Err(PlaceError::ShortToken { file: file.to_owned() });
    }
    Ok(token)
}

/// What an access file says about a coordinator that was named.
fn known(global: &Global, url: &CoordinatorUrl, has_token: bool) -> Result<Target, PlaceError> {
    let unknown = || Target::new(url.clone());
    let access = match &global.access_file {
        // A token that is given besides makes the file one that need not be there.
        Some(file) if !has_token => Access::read(file)?,
        Some(file) => return Ok(Access::read(file).map_or_else(|_| unknown(), |access| described(url, access))),
        // The file of another coordinator is none of this one's business: it must not learn that token.
        None => match access::default_file().and_then(|file| Access::read(&file)) {
            Ok(access) if is_about(url, &access) => access,
            Ok(_) | Err(AccessError::Missing { .. } | AccessError::NoHome) => return Ok(unknown()),
            Err(_) if has_token => return Ok(unknown()),
            Err(error) => return Err(error.into()),
        },
    };
    Ok(described(url, access))
}

fn described(url: &CoordinatorUrl, access: Access) -> Target {
    Target { token: Some(access.token), tls_ca: access.tls_ca, ..Target::new(url.clone()) }
}

/// Whether an access file speaks of the coordinator at this address.
fn is_about(url: &CoordinatorUrl, access: &Access) -> bool {
    let theirs = access.url();
    let listens_everywhere = access.host.parse().is_ok_and(|address: IpAddr| address.is_unspecified());
    let same_host = theirs.host() == url.host() || (theirs.is_loopback() && url.is_loopback()) || listens_everywhere;
    same_host && theirs.port() == url.port()
}

pub fn access_file(global: &Global) -> Result<PathBuf, AccessError> {
    global.access_file.clone().map_or_else(access::default_file, Ok)
}

fn token_of(text: OsString) -> Result<Token, TokenError> {
    Token::new(text.to_str().ok_or(TokenError)?)
}

/// A certificate, or several, in PEM.
///
/// # Errors
/// [`PlaceError::Certificate`].
pub fn certificate(file: &Path) -> Result<String, PlaceError> {
    fs::read_to_string(file).map_err(|source| PlaceError::Certificate { file: file.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_goes_to_its_own_coordinator_only() {
        let access = |host: &str| Access {
            host: host.into(),
            port: 7461,
            token: Token::new("secret").expect("a token"),
            version: "0.1.0".into(),
            tls_ca: None,
        };
        let about = |url: &str, host: &str| is_about(&url.parse().expect("an address"), &access(host));
        assert!(about("127.0.0.1", "127.0.0.1"));
        assert!(about("localhost:7461", "127.0.0.1"));
        assert!(about("host.example", "0.0.0.0"));
        assert!(!about("127.0.0.1:7462", "127.0.0.1"));
        assert!(!about("host.example", "127.0.0.1"));
    }
}
