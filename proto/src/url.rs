//! Where a coordinator is: `http://HOST:PORT`, or `https://` with TLS.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use tonic::transport::Uri;

/// Port of a coordinator, if nothing else is said.
pub const DEFAULT_PORT: u16 = 7461;

/// Address of a coordinator.
///
/// ```
/// use antichain_proto::url::CoordinatorUrl;
/// let url: CoordinatorUrl = "localhost".parse()?;
/// assert_eq!(url.to_string(), "http://localhost:7461");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoordinatorUrl {
    tls: bool,
    /// Without the brackets round an IPv6 address.
    host: String,
    port: u16,
}

/// Text that is no address of a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Neither `http` nor `https`.
    #[error("`{0}` is not spoken here; write http://HOST:PORT or https://HOST:PORT")]
    Scheme(String),
    /// Something behind the port, or a user's name.
    #[error("a coordinator has a host and a port only; write http://HOST:PORT")]
    Superfluous,
    /// No host, no number for a port, or stray characters.
    #[error("it is no address; write http://HOST:PORT, such as http://127.0.0.1:7461")]
    Malformed,
}

impl CoordinatorUrl {
    /// The address of that host and port.
    pub fn new(tls: bool, host: impl Into<String>, port: u16) -> Self {
        Self { tls, host: host.into(), port }
    }

    /// Whether it is spoken to over TLS.
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// Name or address of the host; an IPv6 address without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the host is this machine, as far as its name tells.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl fmt::Display for CoordinatorUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        if self.host.contains(':') {
            write!(f, "{scheme}://[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{scheme}://{}:{}", self.host, self.port)
        }
    }
}

impl FromStr for CoordinatorUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.trim().split_once("://").unwrap_or(("http", text.trim()));
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::Scheme(scheme.to_owned())),
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        if authority.contains(['/', '?', '#', '@']) {
            return Err(UrlError::Superfluous);
        }
        let uri: Uri = format!("http://{authority}").parse().map_err(|_| UrlError::Malformed)?;
        let host = uri.host().unwrap_or_default();
        let after = authority.get(host.len()..).unwrap_or_default();
        let port = match after.strip_prefix(':') {
            Some(digits) => digits.parse().map_err(|_| UrlError::Malformed)?,
            None if after.is_empty() => DEFAULT_PORT,
            None => return Err(UrlError::Malformed),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() || port == 0 {
            return Err(UrlError::Malformed);
        }
        Ok(Self { tls, host: host.to_owned(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_filled_in() {
        for (text, url) in [
            ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("host.example", "http://host.example:7461"),
            ("https://host.example/", "https://host.example:7461"),
            ("HTTPS://host", "https://host:7461"),
            ("[::1]:80", "http://[::1]:80"),
            ("http://[::1]", "http://[::1]:7461"),
        ] {
            assert_eq!(text.parse::<CoordinatorUrl>().map(|url| url.to_string()), Ok(url.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_address() {
        for (text, error) in [
            ("ftp://host", UrlError::Scheme("ftp".to_owned())),
            ("http://host/jobs", UrlError::Superfluous),
            ("http://me@host", UrlError::Superfluous),
            ("", UrlError::Malformed),
            ("http://", UrlError::Malformed),
            ("host:", UrlError::Malformed),
            ("host:0", UrlError::Malformed),
            ("host:99999", UrlError::Malformed),
            ("two words", UrlError::Malformed),
            ("::1", UrlError::Malformed),
        ] {
            assert_eq!(text.parse::<CoordinatorUrl>(), Err(error), "{text}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (text, loopback) in [("localhost", true), ("127.0.0.2:1", true), ("[::1]", true), ("10.0.0.1", false)] {
            assert_eq!(text.parse::<CoordinatorUrl>().map(|url| url.is_loopback()), Ok(loopback), "{text}");
        }
    }
}
