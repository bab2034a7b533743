//! Arguments about the search for the outcome of one position.

use std::path::PathBuf;
use std::time::Duration;

use crate::sizes::parse_duration;

/// One position instead of all.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SearchArgs {
    /// With outcome: search this position only, where a table of all is out of reach
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true, conflicts_with_all = ["max_elements", "min_elements"])]
    pub position: Option<String>,
    /// With --position: begin even if the plan says that nobody could do it
    #[arg(long, requires = "position")]
    pub force: bool,
}

/// How long to search.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct BudgetArgs {
    /// With --position: stop searching after this time, such as 30m or 2h; the next run goes on [default: when it is
    /// settled]. A proof that is being made then is finished
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "position")]
    pub budget: Option<Duration>,
}

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Data directories of other machines, or copies of them
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,
}
