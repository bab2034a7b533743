//! Certificates: whether they are some, and for how long they are good.

use std::time::{Duration, SystemTime};

use x509_parser::pem::Pem;

use super::Finding;

/// Days before the end of a certificate from which on that is said.
const SOON: u64 = 30;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Looks at the certificates of a file, by its text.
pub fn look(about: &str, text: &str, now: SystemTime) -> Vec<Finding> {
    let mut found = Vec::new();
    for block in Pem::iter_from_buffer(text.as_bytes()) {
        let Ok(block) = block else { break };
        let Ok(certificate) = block.parse_x509() else { continue };
        let name = certificate.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
        let about = format!("{about} ({})", name.unwrap_or("without a name"));
        let validity = certificate.validity();
        let unix = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
        found.push(judge(about, validity.not_before.timestamp() - unix, validity.not_after.timestamp() - unix));
    }
    if found.is_empty() {
        found.push(Finding::wrong(about, "no certificate in PEM", "name a file of `antichain certs`"));
    }
    found
}

/// How a certificate is, by the seconds until it is good and until it is not good any more.
fn judge(about: String, until_good: i64, until_over: i64) -> Finding {
    let days = |seconds: i64| seconds.unsigned_abs() / DAY.as_secs();
    if until_good > 0 {
        let hint = "the clock of this machine, or of the one that made it, is wrong";
        Finding::wrong(about, format!("not good yet, in {} days", days(until_good)), hint)
    } else if until_over <= 0 {
        let hint = "make a new one: `antichain certs --renew`";
        Finding::wrong(about, format!("expired {} days ago", days(until_over)), hint)
    } else if days(until_over) < SOON {
        let hint = "make a new one in time: `antichain certs --renew`";
        Finding::doubtful(about, format!("good for {} days", days(until_over)), hint)
    } else {
        Finding::well(about, format!("good for {} days", days(until_over)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::{Authority, Holder};
    use crate::doctor::Health;

    #[test]
    fn a_certificate_is_good_for_its_days() {
        let (authority, _) = Authority::new().expect("made");
        let pair = authority.certify(Holder::Coordinator(&[]), 100).expect("certified");
        let now = SystemTime::now();
        let health = |now| look("x", &pair.certificate, now).iter().map(|found| found.health).collect::<Vec<_>>();
        // Its own, and the authority's.
        assert_eq!(health(now), [Health::Well, Health::Well]);
        assert_eq!(health(now + 80 * DAY), [Health::Doubtful, Health::Well]);
        assert_eq!(health(now + 101 * DAY), [Health::Wrong, Health::Well]);
        assert_eq!(health(now - DAY), [Health::Wrong, Health::Wrong]);
        let found = look("x", "nothing", now);
        assert_eq!(found[0].health, Health::Wrong);
    }
}
