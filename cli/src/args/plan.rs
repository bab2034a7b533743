//! Arguments of `plan`.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::{LimitArgs, SearchArgs};
use crate::sizes::{Bytes, parse_duration};

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
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
    /// What there is to work with.
    #[command(flatten)]
    pub resources: ResourceArgs,
}

/// What there is to work with: with any of these, a plan names the largest limit on sizes that it allows.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Name the largest K of --max-elements that these allow")]
pub struct ResourceArgs {
    /// Cores, taken to be busy all the time and as fast as those of the README [default: those of this machine]
    #[arg(long, value_name = "N", conflicts_with_all = OTHER_PLANS)]
    pub cores: Option<NonZeroUsize>,
    /// Time, such as 2h or 2w [default: any]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with_all = OTHER_PLANS)]
    pub within: Option<Duration>,
    /// Memory of one machine, such as 16GiB, and not of several together: each worker on a game has all values [default: three
    /// quarters of what is free on this one]
    #[arg(long, value_name = "SIZE", conflicts_with_all = OTHER_PLANS)]
    pub memory: Option<Bytes>,
    /// Disk, such as 1TB, of a coordinator if there is one [default: any]
    #[arg(long, value_name = "SIZE", conflicts_with_all = OTHER_PLANS)]
    pub disk: Option<Bytes>,
}

/// Arguments that say already what is planned.
const OTHER_PLANS: [&str; 3] = ["max_elements", "min_elements", "position"];

impl ResourceArgs {
    /// Whether any of them was given.
    pub fn is_given(&self) -> bool {
        self.cores.is_some() || self.within.is_some() || self.memory.is_some() || self.disk.is_some()
    }
}
