//! Whether an installation is well: looks at one thing each, and what follows from them.

pub mod certificates;
pub mod cluster;
pub mod directory;
pub mod machine;

use serde::Serialize;

use crate::failure::Failure;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// As it should be.
    Well,
    /// It works, and might not for long.
    Doubtful,
    /// It does not work, or what it gives cannot be trusted.
    Wrong,
}

/// What was looked at, and what was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub about: String,
    /// How it is.
    pub health: Health,
    /// What was seen.
    pub seen: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn well(about: impl Into<String>, seen: impl Into<String>) -> Self {
        Self { about: about.into(), health: Health::Well, seen: seen.into(), hint: None }
    }

    /// It works, and might not for long.
    pub fn doubtful(about: impl Into<String>, seen: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Doubtful, hint: Some(hint.into()), ..Self::well(about, seen) }
    }

    /// It does not work.
    pub fn wrong(about: impl Into<String>, seen: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { health: Health::Wrong, hint: Some(hint.into()), ..Self::well(about, seen) }
    }

    /// What keeps a command from working, in the words of that command.
    pub fn of_error(about: impl Into<String>, error: impl Into<anyhow::Error>) -> Self {
        let failure = Failure::of(&error.into());
        let (reason, hint) = failure.parts();
        Self { health: Health::Wrong, hint: hint.map(str::to_owned), ..Self::well(about, reason) }
    }
}
