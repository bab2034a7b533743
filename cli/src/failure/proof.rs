//! What the user reads where a proof is not accepted.

use antichain_common::search::proof::ProofError;

use super::{Exit, Failure};
use crate::command::CheckProofError;

impl Failure {
    /// A file that is no proof is bad input; a proof that does not hold has failed.
    pub(super) fn of_proof(error: &CheckProofError) -> Self {
        let CheckProofError { file, source } = error;
        let hint = match source {
            ProofError::NotAProof => {
                "FORMATS.md says what a proof looks like; a compressed one is unpacked first, into `antichain check-proof -`"
                    .to_owned()
            }
            ProofError::OtherVersion(_) => "check it with the program that wrote it".to_owned(),
            ProofError::Poset(error) => error.hint(),
            ProofError::Position(error) => error.hint(),
            ProofError::LineTooLong { .. } | ProofError::Malformed { .. } => {
                "copy or write it again; FORMATS.md says what a proof looks like".to_owned()
            }
            ProofError::CutShort { .. } | ProofError::GoesOn { .. } | ProofError::Damaged => {
                "copy or write it again".to_owned()
            }
            ProofError::Refused { .. } | ProofError::Count { .. } => {
                "do not trust what it claims: the proof does not hold as it stands".to_owned()
            }
            ProofError::Io(_) => "name a file that can be read".to_owned(),
            ProofError::Stopped => {
                return Self { exit: Exit::Interrupted, ..Self::failed(source) }
                    .hint("nothing is stored of a check; start it again");
            }
        };
        let failure = if source.is_refusal() {
            Self::failed(source).about(file.display().to_string())
        } else {
            Self::bad_input(file.display().to_string(), source)
        };
        failure.hint(hint)
    }
}
