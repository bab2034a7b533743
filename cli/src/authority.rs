//! A small authority for the machines of one cluster: it vouches for the coordinator and, where that is wanted, for those who
//! connect to it.

use std::net::IpAddr;

use antichain_proto::connect::WORKER_NAME;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use time::{Duration, OffsetDateTime};

/// Years that the authority is good for.
const YEARS: i64 = 10;

/// Clocks of a cluster differ: certificates are good from before they were made.
const BEFORE: Duration = Duration::hours(1);

/// Names that the coordinator's machine has for itself.
const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A certificate and its key, in PEM.
pub struct Pair {
    /// The certificate.
    pub certificate: String,
    /// The key.
    pub key: String,
}

/// Whose a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder<'a> {
    /// A coordinator, on a machine that is so called.
    Coordinator(&'a [String]),
    /// A worker: it connects to the coordinator, and to other workers.
    Worker,
    /// Who asks.
    User,
}

/// What cannot be certified.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// A name that no machine has.
    #[error("`{0}` is no name or address of a machine")]
    Host(String),
    /// What is there is no authority.
    #[error("the authority that is there cannot be used: {0}")]
    Unfit(rcgen::Error),
    /// The cryptography fails.
    #[error("no certificate can be made: {0}")]
    Failed(#[from] rcgen::Error),
}

/// See the [module](self).
pub struct Authority {
    /// Its certificate, in PEM.
    pub certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// A new one, with its key in PEM.
    ///
    /// # Errors
    /// [`AuthorityError::Failed`].
    pub fn new() -> Result<(Self, String), AuthorityError> {
        let key = KeyPair::generate()?;
        let mut about = CertificateParams::new(Vec::new())?;
        about.distinguished_name.push(DnType::CommonName, "antichain authority");
        about.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        about.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let now = OffsetDateTime::now_utc();
        (about.not_before, about.not_after) = (now - BEFORE, now + Duration::days(365 * YEARS));
        let certificate = about.self_signed(&key)?.pem();
        let secret = key.serialize_pem();
        Ok((Self { certificate, issuer: Issuer::new(about, key) }, secret))
    }

    /// The one that was made before.
    ///
    /// # Errors
    /// [`AuthorityError::Unfit`].
    pub fn of(certificate: String, key: &str) -> Result<Self, AuthorityError> {
        let key = KeyPair::from_pem(key).map_err(AuthorityError::Unfit)?;
        let issuer = Issuer::from_ca_cert_pem(&certificate, key).map_err(AuthorityError::Unfit)?;
        Ok(Self { certificate, issuer })
    }

    /// A certificate for so many days. That of a coordinator comes with the authority's, so that whoever is on its machine need
    /// not be told.
    ///
    /// # Errors
    /// [`AuthorityError::Host`], [`AuthorityError::Failed`].
    pub fn certify(&self, holder: Holder<'_>, days: u16) -> Result<Pair, AuthorityError> {
        use ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
        let (name, hosts, purposes) = match holder {
            Holder::Coordinator(hosts) => ("coordinator", named(hosts)?, vec![ServerAuth]),
            Holder::Worker => ("worker", vec![WORKER_NAME.to_owned()], vec![ServerAuth, ClientAuth]),
            Holder::User => ("user", Vec::new(), vec![ClientAuth]),
        };
        let mut about = CertificateParams::new(hosts)?;
        about.distinguished_name.push(DnType::CommonName, format!("antichain {name}"));
        about.is_ca = IsCa::ExplicitNoCa;
        about.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        about.extended_key_usages = purposes;
        about.use_authority_key_identifier_extension = true;
        let now = OffsetDateTime::now_utc();
        (about.not_before, about.not_after) = (now - BEFORE, now + Duration::days(i64::from(days)));
        let key = KeyPair::generate()?;
        let mut certificate = about.signed_by(&key, &self.issuer)?.pem();
        if matches!(holder, Holder::Coordinator(_)) {
            certificate += &self.certificate;
        }
        Ok(Pair { certificate, key: key.serialize_pem() })
    }
}

/// The names of a machine, each once, with those that every machine has.
fn named(hosts: &[String]) -> Result<Vec<String>, AuthorityError> {
    let mut names: Vec<String> = LOCAL.map(str::to_owned).to_vec();
    for host in hosts {
        if host.parse::<IpAddr>().is_err() && !is_name(host) {
            return Err(AuthorityError::Host(host.clone()));
        }
        if !names.contains(host) {
            names.push(host.clone());
        }
    }
    Ok(names)
}

/// Labels of letters, digits and hyphens with dots between them; the first may be a star.
fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len()) && label.bytes().all(fits) && !label.starts_with('-') && !label.ends_with('-')
    };
    let host = host.strip_prefix("*.").unwrap_or(host);
    // The last label of a name is not a number: that would be an address that is written wrong.
    let is_number = host.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    host.len() <= 253 && host.split('.').all(is_label) && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_names_or_addresses() {
        for host in ["cluster", "cluster.example", "10.0.0.1", "fe80::1", "*.example", "a-b.c1"] {
            assert!(named(&[host.to_owned()]).is_ok(), "{host}");
        }
        for host in ["", "a b", "https://cluster", "cluster:7461", "-a", "a..b", "10.0.0", "10.0.0.256", "ü"] {
            assert!(matches!(named(&[host.to_owned()]), Err(AuthorityError::Host(_))), "{host}");
        }
        assert_eq!(named(&["localhost".to_owned()]).expect("names").len(), LOCAL.len());
    }

    #[test]
    fn an_authority_is_the_same_when_it_is_read_again() {
        let (authority, key) = Authority::new().expect("made");
        let again = Authority::of(authority.certificate.clone(), &key).expect("read");
        let pair = again.certify(Holder::Coordinator(&["cluster.example".to_owned()]), 3).expect("certified");
        assert!(pair.certificate.ends_with(&authority.certificate));
        assert!(pair.key.contains("PRIVATE KEY"));
        assert!(matches!(Authority::of(pair.key.clone(), &key), Err(AuthorityError::Unfit(_))));
        assert!(matches!(Authority::of(authority.certificate, "no key"), Err(AuthorityError::Unfit(_))));
    }
}
