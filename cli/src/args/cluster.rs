//! Arguments of the commands that need a coordinator.

use super::{BudgetArgs, LimitArgs, SearchArgs};

/// Arguments of `submit`.
#[derive(Debug, clap::Args)]
pub struct SubmitArgs {
    /// The question; --help lists them
    pub question: String,
    /// The poset, such as boolean:6; --help lists them
    pub poset: String,
    /// Limits on sizes.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// One position instead of all.
    #[command(flatten)]
    pub search: SearchArgs,
    /// How long to search.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Keep the values of all ideals, for `query`
    #[arg(long)]
    pub keep_values: bool,
    /// Wait for the answer and write it as `run` does
    #[arg(long)]
    pub wait: bool,
}

/// Arguments of the commands about one job.
#[derive(Debug, clap::Args)]
pub struct JobArgs {
    /// The job, by the name `submit` and `jobs` give it
    pub job: String,
}
