//! What goes wrong between a command and a coordinator.

use std::time::Duration;

use antichain_proto::connect::{ConnectError, ConnectFault, Target};
use antichain_proto::url::CoordinatorUrl;
use tonic::{Code, Status};

/// What separates a reason from what to do, in the message of a status.
const HINT: &str = "\nhint: ";

/// A coordinator did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// It answered that it will not.
    #[error("{reason}")]
    Refused {
        /// Kind of the refusal.
        code: Code,
        /// The job it is about.
        about: Option<String>,
        /// Its words.
        reason: String,
        /// What it says can be done.
        hint: Option<String>,
    },
    /// It stopped in the middle of what it was telling.
    #[error("the coordinator at {url} broke off")]
    BrokeOff {
        /// Its address.
        url: CoordinatorUrl,
    },
    /// Its answer makes no sense here.
    #[error("the coordinator at {url} gave {what} that is not understood")]
    NotUnderstood {
        /// Its address.
        url: CoordinatorUrl,
        /// What it gave.
        what: &'static str,
    },
    /// The job ended without an answer.
    #[error("{job} {how}{}{reason}", if reason.is_empty() { "" } else { ": " })]
    Ended {
        /// The job.
        job: String,
        /// `failed` or `was cancelled`.
        how: &'static str,
        /// Why.
        reason: String,
    },
    /// The machinery for connections does not start.
    #[error("no connection can be made: {0}")]
    Runtime(#[from] std::io::Error),
}

impl RemoteError {
    /// What a status means that a call about `about` got after `waited`.
    pub fn of_status(target: &Target, about: Option<&str>, waited: Duration, status: &Status) -> Self {
        if let Some(error) = ConnectError::of_status(target, waited, status) {
            return error.into();
        }
        let (reason, hint) = match status.message().split_once(HINT) {
            Some((reason, hint)) => (reason, Some(hint.trim().to_owned())),
            None => (status.message(), None),
        };
        let reason = match reason.trim() {
            "" => format!("the coordinator refuses without a reason ({})", status.code().description()),
            reason => reason.to_owned(),
        };
        Self::Refused { code: status.code(), about: about.map(str::to_owned), reason, hint }
    }

    /// Whether the coordinator may merely be away for a while.
    pub fn is_away(&self) -> bool {
        match self {
            Self::Connect(error) => !matches!(
                error.fault,
                ConnectFault::Authority(_) | ConnectFault::Tls(_) | ConnectFault::Token { .. } | ConnectFault::Unfit(_)
            ),
            Self::Refused { code, .. } => matches!(code, Code::Unavailable | Code::Cancelled | Code::Aborted),
            Self::BrokeOff { .. } => true,
            Self::NotUnderstood { .. } | Self::Ended { .. } | Self::Runtime(_) => false,
        }
    }

    /// Whether the token is not the right one.
    pub fn is_about_the_token(&self) -> bool {
        matches!(self, Self::Connect(ConnectError { fault: ConnectFault::Token { .. }, .. }))
    }

    /// Whether the coordinator has no such thing, or has it not yet.
    pub fn is_not_there(&self) -> bool {
        matches!(self, Self::Refused { code: Code::NotFound | Code::FailedPrecondition, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: &Status) -> RemoteError {
        let target = Target::new("localhost".parse().expect("an address"));
        RemoteError::of_status(&target, Some("j"), Duration::ZERO, status)
    }

    #[test]
    fn a_hint_comes_behind_a_line_feed() {
        let RemoteError::Refused { reason, hint, .. } = of(&Status::not_found("no job `j`\nhint: did you mean k?"))
        else {
            panic!("refused")
        };
        assert_eq!((reason.as_str(), hint.as_deref()), ("no job `j`", Some("did you mean k?")));
        assert!(of(&Status::internal("")).to_string().contains("without a reason"));
    }

    #[test]
    fn what_may_pass_is_told_from_what_will_not() {
        assert!(of(&Status::unavailable("shutting down")).is_away());
        assert!(!of(&Status::not_found("no job")).is_away());
        let token = of(&Status::unauthenticated("no"));
        assert!(!token.is_away() && token.is_about_the_token());
    }
}
