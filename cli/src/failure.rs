//! Every error of the program, mapped in one place to what the user reads and to the exit code.
//!
//! A failure says what happened and, where something can be done, what: as text (`error: ...`, `hint: ...`) or, under
//! `--json`, as `{"error": {"input", "reason", "hint"}}`. Bad input is what can never work as it was written; everything
//! else that goes wrong has merely failed.

mod flipping;
mod proof;
mod remote;
mod upkeep;

use std::process::ExitCode;

use antichain_common::game::flipping::{LineError, PatternError, SweepError};
use antichain_common::game::nimber::ExpressionError;
use antichain_common::job::{JobError, TablebaseError};
use antichain_common::poset::covers::ElementError;
use antichain_common::poset::{PosetError, PositionError};
use antichain_common::store::StoreError;
use antichain_coordinator::server::ServeError;
use antichain_worker::WorkerError;
use clap::error::{ContextKind, ErrorKind};
use serde::Serialize;

use crate::command::{CertsError, CheckProofError, CoordinatorError, FileError, LaunchError, Unwell, VerifyFailed};
use crate::data::{ALLOW_NETWORK, DataError};
use crate::inputs::InputError;
use crate::inputs::coins::CoinsInputError;
use crate::inputs::given::GivenInputError;
use crate::inputs::search::SearchError;
use crate::interrupt;
use crate::output::{self, StdoutError};
use crate::remote::{PlaceError, RemoteError};
use crate::sizes::Bytes;

/// The hint where the user can do nothing.
const FAULT_OF_PROGRAM: &str =
    "this is a fault of the program or of the machine; nothing wrong was stored, and a report is welcome";

/// How the program ends when it does not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Right input, no result.
    Failed,
    /// Input that can never work as it was written.
    BadInput,
    /// Stopped by the user.
    Interrupted,
    /// The reader of the result went away, which is the reader's business.
    Quiet,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::BadInput => 2,
            Self::Interrupted => interrupt::EXIT_CODE,
            Self::Quiet => 0,
        }
    }
}

/// What the user is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    exit: Exit,
    /// The words that were not understood, or what they named.
    input: Option<String>,
    /// What happened.
    reason: String,
    /// What to do.
    hint: Option<String>,
}

impl Failure {
    fn failed(reason: impl ToString) -> Self {
        Self { exit: Exit::Failed, input: None, reason: reason.to_string(), hint: None }
    }

    fn bad_input(input: impl Into<String>, reason: impl ToString) -> Self {
        Self { exit: Exit::BadInput, input: Some(input.into()), reason: reason.to_string(), hint: None }
    }

    fn about(self, input: impl Into<String>) -> Self {
        Self { input: Some(input.into()), ..self }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The failure that an error means.
    pub fn of(error: &anyhow::Error) -> Self {
        if let Some(error) = error.downcast_ref::<InputError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<CoinsInputError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<ElementError>() {
            Self::bad_input(error.input(), error.reason()).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<ExpressionError>() {
            Self::bad_input(error.input(), error.reason())
                .hint("write numbers with + and x between them, as in 5 x 9 + 3")
        } else if let Some(error) = error.downcast_ref::<GivenInputError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<PosetError>() {
            Self::bad_input(error.input(), error.reason()).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<PositionError>() {
            Self::of_position(error)
        } else if let Some(error) = error.downcast_ref::<SearchError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<LineError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<PatternError>() {
            Self::bad_input(error.input(), error).hint(error.hint())
        } else if let Some(error) = error.downcast_ref::<SweepError>() {
            Self::of_sweep(error)
        } else if let Some(error) = error.downcast_ref::<JobError>() {
            Self::of_job(error)
        } else if let Some(error) = error.downcast_ref::<DataError>() {
            Self::of_data(error)
        } else if let Some(error) = error.downcast_ref::<PlaceError>() {
            Self::of_place(error)
        } else if let Some(error) = error.downcast_ref::<RemoteError>() {
            Self::of_remote(error)
        } else if let Some(error) = error.downcast_ref::<VerifyFailed>() {
            Self::failed(error).about(&error.job).hint(
                "do not trust this result; `run` computes again what is damaged, at a coordinator `rm` and `submit` all of it",
            )
        } else if let Some(error) = error.downcast_ref::<CoordinatorError>() {
            Self::of_coordinator(error)
        } else if let Some(error) = error.downcast_ref::<CertsError>() {
            Self::of_certs(error)
        } else if let Some(error) = error.downcast_ref::<LaunchError>() {
            Self::of_launch(error)
        } else if let Some(error) = error.downcast_ref::<Unwell>() {
            Self::failed(error)
        } else if let Some(error) = error.downcast_ref::<WorkerError>() {
            Self::of_worker(error)
        } else if let Some(error) = error.downcast_ref::<TablebaseError>() {
            Self::of_tablebase(error)
        } else if let Some(error) = error.downcast_ref::<CheckProofError>() {
            Self::of_proof(error)
        } else if let Some(error) = error.downcast_ref::<FileError>() {
            Self::failed(error).about(error.file.display().to_string()).hint("choose another file")
        } else if let Some(error) = error.downcast_ref::<StdoutError>() {
            Self { exit: if error.is_closed() { Exit::Quiet } else { Exit::Failed }, ..Self::failed(error) }
        } else {
            Self::failed(format!("{error:#}"))
        }
    }

    fn of_position(error: &PositionError) -> Self {
        Self::bad_input(error.input(), error.reason()).hint(error.hint())
    }

    fn of_job(error: &JobError) -> Self {
        match error {
            JobError::Poset(error) => Self::bad_input(error.input(), error.reason()).hint(error.hint()),
            JobError::Position(error) => Self::of_position(error),
            JobError::Store(error) => Self::of_store(error),
            JobError::Interrupted => {
                Self { exit: Exit::Interrupted, ..Self::failed(error) }.hint("give the same command again")
            }
            JobError::Memory { job, needed, budget } => Self::failed(format!(
                "{job} needs about {} of memory, the budget is {}",
                Bytes(*needed),
                Bytes(*budget)
            ))
            .about(job.to_string())
            .hint(format!(
                "give it more with --memory {}MiB if this machine has it, or limit it with --max-elements",
                needed.div_ceil(1 << 20)
            )),
            JobError::Disk { job, needed, free } => {
                Self::failed(format!("{job} needs about {} of disk, {} are free", Bytes(*needed), Bytes(*free)))
                    .about(job.to_string())
                    .hint("free some, or choose a data directory on a larger disk with --data")
            }
            JobError::OutOfReach { poset, .. } => Self::bad_input(poset, error)
                .hint("limit the size of the ideals with --max-elements; `antichain plan` says what that takes"),
            JobError::FromAbove { poset, .. } => {
                Self::bad_input(poset, error).hint("take --max-elements instead, which counts from below")
            }
            JobError::TooPrecise { poset, .. } => Self::bad_input(poset, error)
                .hint("allow a larger --error, or give --samples or --budget and see how far it comes"),
            JobError::NoSuchJob { job, nearest, .. } => Self::bad_input(job, error).hint(match nearest.as_slice() {
                [] => "there are no jobs at all; is --data the right directory?".to_owned(),
                [first, ..] => format!("did you mean {first}? `antichain jobs` lists all"),
            }),
            JobError::Unfinished(job) => Self::failed(error)
                .about(job.to_string())
                .hint("run its question again; it goes on from where it stopped"),
            JobError::NotStored { position, hint } => Self::failed(error).about(position).hint(hint.clone()),
            JobError::OutOfBudget { job, .. } => Self::failed(error)
                .about(job.to_string())
                .hint("give the same command again: it goes on from what is settled"),
            JobError::Contradiction { directory, .. } => {
                Self::failed(error).about(directory.display().to_string()).hint(
                    "one of the two is wrong; settle the position again in a directory of its own and check its proof",
                )
            }
            JobError::NotSearched(question) => {
                Self::bad_input(question.name(), error).hint("ask for its outcome, or leave --position out")
            }
            JobError::NoProof(job) => Self::bad_input(job.to_string(), error)
                .hint("`antichain run outcome POSET --position POSITION` makes one"),
            JobError::NoTable(job) => Self::failed(error)
                .about(job.to_string())
                .hint("`antichain run` with --keep-values stores those of a small game too"),
            JobError::TooLarge(_) => Self { exit: Exit::BadInput, ..Self::failed(error) }
                .hint("values of games are bytes: take a smaller poset, or --max-elements"),
            JobError::NotAboutIdeals(question) => {
                Self::bad_input(question.name(), error).hint("`antichain run` answers it, and `antichain coins value`")
            }
            JobError::NoEstimate(_) => Self { exit: Exit::BadInput, ..Self::failed(error) }
                .hint("`antichain estimate extensions POSET` asks for estimates that are made"),
            JobError::NoGame(question) => {
                Self::bad_input(question.name(), error).hint("questions about the game are outcome, grundy, remoteness")
            }
            JobError::SelfCheck(_) => Self::failed(error).hint(FAULT_OF_PROGRAM),
        }
    }

    fn of_tablebase(error: &TablebaseError) -> Self {
        let hint = match error {
            TablebaseError::Job(error) => return Self::of_job(error),
            TablebaseError::Header(_) => "give a file that `antichain export --format table` has written",
            TablebaseError::Version(_) => "use the program that wrote it, or export it again with this one",
            TablebaseError::Damaged(_) => "copy or export it again; nothing was stored",
            TablebaseError::Different(_) => "one of the two is wrong: `antichain verify` checks the one that is here",
            TablebaseError::Io(_) => "see that the file is there and that there is room on the disk",
        };
        match error {
            TablebaseError::Header(_) | TablebaseError::Version(_) => {
                Self { exit: Exit::BadInput, ..Self::failed(error) }.hint(hint)
            }
            _ => Self::failed(error).hint(hint),
        }
    }

    fn of_coordinator(error: &CoordinatorError) -> Self {
        match error {
            CoordinatorError::Open(address) => Self::bad_input(address.to_string(), error)
                .hint("give --tls-cert and --tls-key, or --insecure if nobody can listen in"),
            CoordinatorError::Taken { file, .. } => Self::failed(error)
                .about(file.display().to_string())
                .hint("stop that one, or name another file with --access-file"),
            CoordinatorError::SameToken => Self { exit: Exit::BadInput, ..Self::failed(error) }
                .hint("give workers and readers tokens of their own; `antichain certs` makes some"),
            CoordinatorError::Serve(ServeError::Bind { address, .. }) => Self::failed(error)
                .about(address.to_string())
                .hint("another program listens there, or the address is not this machine's: choose another --listen"),
            CoordinatorError::Serve(ServeError::Store(_)) => Self::failed(error)
                .hint("see that there is room on the disk, and start it again; everything it said yes to is stored"),
            CoordinatorError::Serve(_) => {
                Self::failed(error).hint("see that certificate and key are PEM and belong together")
            }
        }
    }

    fn of_worker(error: &WorkerError) -> Self {
        let hint = match error {
            WorkerError::Connect(error) => return Self::of_connect(error),
            WorkerError::Refused(reason) => {
                let (reason, hint) =
                    reason.split_once("\nhint: ").unwrap_or((reason, "the log of the coordinator says more"));
                return Self::failed(format!("the coordinator refuses this worker: {reason}")).hint(hint);
            }
            WorkerError::Folder { .. } => "name a folder with --data that you may write",
            WorkerError::Cache(_) => "each worker needs a folder of its own: name another one with --data",
            WorkerError::Listen { .. } => "choose another --peer-listen",
            WorkerError::Identity => "name files of `antichain certs` with --tls-cert and --tls-key",
            WorkerError::Panicked(_) => "start it again; a report is welcome",
            WorkerError::System { .. } => "free some of what the system has little of, and start it again",
        };
        Self::failed(error).hint(hint)
    }

    /// The data directory cannot be opened: a wrong one is bad input, one that is busy or broken is not.
    fn of_data(error: &DataError) -> Self {
        let directory = error.directory.display().to_string();
        let hint = match &error.source {
            StoreError::Missing { .. } => "`run` makes one; is --data the right directory?",
            StoreError::NotOurs { .. } => {
                "name an empty or a new directory with --data; nothing was changed in this one"
            }
            StoreError::OtherVersion { .. } => {
                "name another directory with --data, or use the program that made this one; nothing was changed in it"
            }
            StoreError::NotWritable { .. } | StoreError::Io { .. } => "name a directory with --data that you may write",
            StoreError::Network { .. } => {
                return Self::bad_input(directory, error).hint(format!(
                    "name a directory on a disk of this machine with --data; if you know better, set {ALLOW_NETWORK}=1"
                ));
            }
            source => return Self::of_store(source).about(directory),
        };
        Self::bad_input(directory, error).hint(hint)
    }

    fn of_store(error: &StoreError) -> Self {
        let hint = match error {
            StoreError::InUse { .. } => "wait until that process ends, or name another directory with --data",
            StoreError::NoRoom { .. } => "free some room and run the same command again",
            StoreError::Damaged { .. } => "`run` sets the file aside and computes it again",
            StoreError::Catalogue { .. } | StoreError::Document { .. } => {
                "move the data directory aside, or name another one with --data, and run again"
            }
            StoreError::Missing { .. }
            | StoreError::NotOurs { .. }
            | StoreError::OtherVersion { .. }
            | StoreError::Network { .. }
            | StoreError::NotWritable { .. }
            | StoreError::Io { .. } => {
                "see that the data directory is there and writable, and run the same command again"
            }
            StoreError::NoShard(_)
            | StoreError::Unfit { .. }
            | StoreError::OutOfRange { .. }
            | StoreError::Name { .. } => FAULT_OF_PROGRAM,
        };
        Self::failed(error).hint(hint)
    }

    /// What the parser of the command line refused.
    fn of_arguments(error: &clap::Error) -> Self {
        let text = error.to_string();
        let reason = text.strip_prefix("error: ").unwrap_or(&text);
        let reason = reason.split("\n\n").next().unwrap_or(reason);
        let context = |kinds: &[ContextKind]| kinds.iter().find_map(|&kind| error.get(kind)).map(ToString::to_string);
        let suggestion =
            context(&[ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue]);
        let usage = context(&[ContextKind::Usage]);
        let hint = match (suggestion, usage) {
            (Some(word), _) => {
                format!("did you mean `{word}`? `antichain --help` and `antichain <COMMAND> --help` say more")
            }
            (None, Some(usage)) => format!("{}; --help says more", usage.trim().replace("Usage:", "the usage is")),
            (None, None) => "`antichain --help` and `antichain <COMMAND> --help` say more".to_owned(),
        };
        let missing = matches!(error.kind(), ErrorKind::MissingSubcommand | ErrorKind::MissingRequiredArgument);
        let words = [ContextKind::InvalidValue, ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
        Self {
            exit: Exit::BadInput,
            input: if missing { None } else { context(&words) },
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
            hint: Some(hint),
        }
    }

    /// What happened, and what to do.
    pub fn parts(&self) -> (&str, Option<&str>) {
        (&self.reason, self.hint.as_deref())
    }

    /// Tells the user, and gives the exit code.
    pub fn report(&self, json: bool) -> ExitCode {
        if self.exit != Exit::Quiet {
            output::note(&if json { self.as_json() } else { self.as_text() });
        }
        ExitCode::from(self.exit.code())
    }

    fn as_json(&self) -> String {
        let Self { input, reason, hint, .. } = self;
        let document = ErrorDocument { error: ErrorBody { input: input.as_deref(), reason, hint: hint.as_deref() } };
        // A document of strings can always be written.
        serde_json::to_string(&document).unwrap_or_default()
    }

    fn as_text(&self) -> String {
        let mut text = "error: ".to_owned();
        // Many reasons name what they are about themselves.
        if let Some(input) = self.input.as_ref().filter(|input| !names(&self.reason, input)) {
            text += &format!("`{input}`: ");
        }
        text += &self.reason;
        if let Some(hint) = &self.hint {
            text += &format!("\nhint: {hint}");
        }
        text
    }
}

/// Whether a reason names an input: as a word of its own, and a short one, which might be anything, as it was quoted.
fn names(reason: &str, input: &str) -> bool {
    const SHORT: usize = 4;
    if reason.contains(&format!("`{input}`")) {
        return true;
    }
    let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    input.chars().count() > SHORT
        && reason.match_indices(input).any(|(at, _)| {
            is_border(reason[..at].chars().next_back()) && is_border(reason[at + input.len()..].chars().next())
        })
}

/// A failure as a JSON document.
#[derive(Debug, Serialize)]
struct ErrorDocument<'a> {
    error: ErrorBody<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    input: Option<&'a str>,
    reason: &'a str,
    hint: Option<&'a str>,
}

/// Ends the program for what the parser did not turn into arguments: a request for help, or a mistake.
pub fn of_arguments(error: &clap::Error, json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // The reader of a help text may go away halfway.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !json => {
            let _ = error.print();
            ExitCode::from(Exit::BadInput.code())
        }
        _ => Failure::of_arguments(error).report(json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use antichain_common::job::JobId;
    use clap::Parser;

    fn of_words(words: &[&str]) -> Failure {
        let words = std::iter::once(&"antichain").chain(words);
        Failure::of_arguments(&Args::try_parse_from(words).expect_err("a mistake"))
    }

    #[test]
    fn mistakes_of_the_command_line_are_bad_input() {
        let failure = of_words(&["rum", "extensions", "boolean:3"]);
        assert_eq!(failure.exit.code(), 2);
        assert_eq!(failure.input.as_deref(), Some("rum"));
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("run")), "{failure:?}");

        let failure = of_words(&["run", "extensions", "boolean:3", "--memory", "8Gx"]);
        assert_eq!(failure.input.as_deref(), Some("8Gx"));
        assert!(failure.reason.contains("`Gx` is no unit"), "{failure:?}");

        let failure = of_words(&["run", "extensions"]);
        assert!(failure.reason.contains("<POSET>"), "{failure:?}");
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("antichain run")), "{failure:?}");
    }

    #[test]
    fn a_budget_that_is_too_small_names_one_that_is_not() {
        let job = JobId("extensions-boolean-7".into());
        let failure = Failure::of(&JobError::Memory { job, needed: 2 << 30, budget: 1 << 20 }.into());
        assert_eq!(failure.exit.code(), 1);
        assert!(failure.reason.contains("2.0 GiB"), "{failure:?}");
        assert!(failure.hint.is_some_and(|hint| hint.contains("--memory 2048MiB")));
    }

    #[test]
    fn what_can_never_work_is_bad_input() {
        let job = JobId("extensions-boolean-8".into());
        let error = JobError::OutOfReach { job, poset: "boolean:8".into(), ideals: 1.4e18 };
        let failure = Failure::of(&error.into());
        assert_eq!(failure.exit.code(), 2);
        assert!(failure.hint.is_some_and(|hint| hint.contains("--max-elements")));
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure() {
        let closed = StdoutError(std::io::ErrorKind::BrokenPipe.into());
        assert_eq!(Failure::of(&closed.into()).exit.code(), 0);
        let full = StdoutError(std::io::ErrorKind::StorageFull.into());
        assert_eq!(Failure::of(&full.into()).exit.code(), 1);
    }

    #[test]
    fn an_input_that_a_reason_only_happens_to_contain_is_named() {
        assert!(names("`x` is not a number", "x") && names("boolean:9 is too large", "boolean:9"));
        assert!(!names("it is not an element of divisors:360", "0") && !names("there are 12345 of them", "2345"));
    }

    #[test]
    fn text_and_document_say_the_same() {
        let failure = Failure::bad_input("boolean:x", "`x` is not a number").hint("write boolean:n");
        assert_eq!(failure.as_text(), "error: `boolean:x`: `x` is not a number\nhint: write boolean:n");
        let json: serde_json::Value = serde_json::from_str(&failure.as_json()).expect("JSON");
        assert_eq!(json["error"]["input"], "boolean:x");
        assert_eq!(json["error"]["reason"], "`x` is not a number");
        assert_eq!(json["error"]["hint"], "write boolean:n");
    }
}
