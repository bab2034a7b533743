//! What the user reads where a coordinator is involved.

use antichain_proto::access::AccessError;
use antichain_proto::connect::{ConnectError, ConnectFault};
use tonic::Code;

use super::{Exit, Failure};
use crate::remote::{PlaceError, RemoteError};

/// The hint where the token is not the right one.
const TOKEN_HINT: &str = "name the access file that the coordinator wrote with --access-file, or its token with --token-file or ANTICHAIN_TOKEN";

impl Failure {
    /// A command ends that only watched a job.
    pub fn left_running(job: &str) -> Self {
        Self { exit: Exit::Interrupted, ..Self::failed(format!("interrupted; {job} goes on")) }
            .about(job)
            .hint(format!("`antichain watch {job}` shows it again, `antichain cancel {job}` ends it"))
    }

    /// No place to work at.
    pub(super) fn of_place(error: &PlaceError) -> Self {
        match error {
            PlaceError::Both => Self::bad_input("--coordinator", error).hint("leave one of them out"),
            PlaceError::OnlyHere => Self::bad_input("--coordinator", error)
                .hint("leave --coordinator out; `antichain submit` hands a question to a coordinator"),
            PlaceError::OnlyThere => Self::bad_input("--data", error)
                .hint("leave --data out; `antichain run` answers a question on a data directory"),
            PlaceError::Certificate { file, .. } => Self::bad_input(file.display().to_string(), error)
                .hint("name the file, in PEM, of the certificate that vouches for the coordinator"),
            PlaceError::Plain(url) => {
                Self::bad_input(url.to_string(), error).hint(format!("call it https://{}:{}", url.host(), url.port()))
            }
            PlaceError::Token(_) => {
                Self::bad_input("ANTICHAIN_TOKEN", error).hint("take it from the coordinator's access file")
            }
            PlaceError::Access(error) => Self::of_access(error),
            PlaceError::Secret(error) => Self::of_secret(error),
            PlaceError::ShortToken { file } => Self::bad_input(file.display().to_string(), error)
                .hint("let `antichain certs` make one, or write `openssl rand -hex 32` into it"),
            PlaceError::TokenFile { file, .. } => Self::bad_input(file.display().to_string(), error)
                .hint("name a file that holds the token and nothing else, as `antichain certs` makes it"),
        }
    }

    fn of_access(error: &AccessError) -> Self {
        match error {
            AccessError::NoHome => {
                Self::failed(error).hint("name a coordinator with --coordinator, or its access file with --access-file")
            }
            AccessError::Missing { file } => Self::failed(format!("no coordinator is known: {error}"))
                .about(file.display().to_string())
                .hint("start one with `antichain coordinator`, or name one with --coordinator URL"),
            AccessError::Open { file, .. } => {
                let file = file.display().to_string();
                let hint =
                    format!("its token may be known to others: start the coordinator anew, or `chmod 600 {file}`");
                Self::failed(error).about(file).hint(hint)
            }
            AccessError::NotUnderstood { file, .. }
            | AccessError::Read { file, .. }
            | AccessError::Write { file, .. } => Self::bad_input(file.display().to_string(), error)
                .hint("name the access file that a coordinator wrote with --access-file"),
        }
    }

    /// A coordinator that is not there, or does not do what it is asked.
    pub(super) fn of_remote(error: &RemoteError) -> Self {
        match error {
            RemoteError::Connect(error) => Self::of_connect(error),
            RemoteError::Refused { code, about, reason, hint } => {
                let failure = match code {
                    Code::InvalidArgument | Code::OutOfRange | Code::NotFound => {
                        Self { exit: Exit::BadInput, ..Self::failed(reason) }
                    }
                    _ => Self::failed(reason),
                };
                let failure = Self { input: about.clone(), ..failure };
                let own = match code {
                    Code::NotFound => Some("`antichain jobs` lists all jobs"),
                    Code::Unimplemented => Some("the coordinator may be of another version; `antichain --version`"),
                    Code::Unavailable => Some("try again in a moment; the coordinator may be starting or ending"),
                    Code::DeadlineExceeded => Some("try again; the coordinator may be very busy"),
                    Code::PermissionDenied => Some(TOKEN_HINT),
                    _ => None,
                };
                Self { hint: hint.clone().or(own.map(str::to_owned)), ..failure }
            }
            RemoteError::BrokeOff { url } => Self::failed(error)
                .about(url.to_string())
                .hint("try again; if it happens again, see what the coordinator says in its log"),
            RemoteError::NotUnderstood { url, .. } => Self::failed(error)
                .about(url.to_string())
                .hint("the coordinator may be of another version; `antichain --version` says this one's"),
            RemoteError::Ended { job, how, .. } => Self::failed(error).about(job).hint(match *how {
                "failed" => {
                    format!("`antichain status {job}` says more; submitted again it goes on from what is stored")
                }
                _ => "submitted again it goes on from what is stored".to_owned(),
            }),
            RemoteError::Runtime(_) => Self::failed(error).hint("see that this process may open sockets"),
        }
    }

    pub(super) fn of_connect(error: &ConnectError) -> Self {
        let hint = match &error.fault {
            ConnectFault::Refused | ConnectFault::TimedOut => {
                "start one with `antichain coordinator`, name another with --coordinator, or work here with --data"
            }
            ConnectFault::NoSuchHost => "name another with --coordinator",
            ConnectFault::Unreachable => "see that the network of this machine is up, and that the address is right",
            ConnectFault::Authority(_) => "name a file in PEM with --tls-ca, or an access file with --access-file",
            ConnectFault::Tls(reason) if reason.contains("CaUsedAsEndEntity") => {
                "the coordinator's certificate says that it is an authority's: make it with basicConstraints=critical,CA:FALSE"
            }
            ConnectFault::Tls(reason) if reason.contains("not valid for name") => {
                "call it by a name that its certificate has, or make one with this name: `antichain certs --renew --host NAME`"
            }
            ConnectFault::Tls(reason) if reason.contains("CertificateRequired") => {
                "it wants to know who connects: show a certificate with --tls-cert and --tls-key"
            }
            ConnectFault::Tls(reason) if reason.contains("Expired") || reason.contains("expired") => {
                "make a new certificate (`antichain certs --renew`), unless the clock of this machine is wrong"
            }
            ConnectFault::Tls(reason) if reason.contains("NotValidYet") || reason.contains("not valid yet") => {
                "the clock of this machine, or of the one that made the certificate, is wrong"
            }
            ConnectFault::Tls(_) => "does it speak TLS (https://), and does --tls-ca name its own certificate?",
            ConnectFault::NotAntichain if error.url.is_tls() => "is the port the right one?",
            ConnectFault::HungUp if !error.url.is_tls() => "try again; does it perhaps want https://?",
            // Which of both it was is not always told in time.
            ConnectFault::HungUp => {
                "try again; if it wants to know who connects, show a certificate with --tls-cert and --tls-key"
            }
            ConnectFault::NotAntichain => "is the port the right one, and does it perhaps want https://?",
            ConnectFault::Token { .. } | ConnectFault::Unfit(_) => TOKEN_HINT,
            ConnectFault::Other(_) => "see that the address is right and the network is up",
        };
        Self::failed(error).about(error.url.to_string()).hint(hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: Code, hint: Option<&str>) -> Failure {
        Failure::of_remote(&RemoteError::Refused {
            code,
            about: Some("some-job".into()),
            reason: "there is no job `some-job`".into(),
            hint: hint.map(str::to_owned),
        })
    }

    #[test]
    fn the_kind_of_a_refusal_decides_the_exit_code() {
        for (code, exit) in [
            (Code::InvalidArgument, 2),
            (Code::NotFound, 2),
            (Code::FailedPrecondition, 1),
            (Code::ResourceExhausted, 1),
            (Code::Unavailable, 1),
        ] {
            assert_eq!(refused(code, None).exit.code(), exit, "{code}");
        }
    }

    #[test]
    fn the_hint_of_the_coordinator_comes_first() {
        assert_eq!(refused(Code::NotFound, Some("did you mean this?")).hint.as_deref(), Some("did you mean this?"));
        assert_eq!(refused(Code::NotFound, None).hint.as_deref(), Some("`antichain jobs` lists all jobs"));
    }

    #[test]
    fn a_job_that_is_left_goes_on() {
        let failure = Failure::left_running("ideals-boolean-6");
        assert_eq!(failure.exit.code(), 130);
        assert!(failure.as_text().contains("`antichain watch ideals-boolean-6`"), "{failure:?}");
    }
}
