//! This machine: processors, memory, file descriptors.

use std::thread::available_parallelism;

use rustix::process::{Resource, Rlimit};

use super::Finding;
use crate::memory;
use crate::sizes::Bytes;

/// Less memory than that is little for anything.
const LITTLE_MEMORY: Bytes = Bytes(1 << 30);
/// A coordinator with some hundred workers needs more file descriptors.
const FEW_FILES: u64 = 1024;

/// Looks at it.
pub fn look() -> Vec<Finding> {
    let cores = available_parallelism().map_or(1, usize::from);
    let budget = memory::default_budget();
    let memory = format!("a budget of {budget}, three quarters of what is free");
    let memory = if budget < LITTLE_MEMORY {
        Finding::doubtful("memory", memory, "end other programs, or give this one more in its control group")
    } else {
        Finding::well("memory", memory)
    };
    vec![Finding::well("processors", cores.to_string()), memory, files(rustix::process::getrlimit(Resource::Nofile))]
}

fn files(limit: Rlimit) -> Finding {
    let about = "open files";
    match limit.current {
        Some(most) if most < FEW_FILES => Finding::doubtful(
            about,
            format!("at most {most}"),
            "a coordinator of many workers needs more: `ulimit -n 65536`, or LimitNOFILE= in its unit",
        ),
        Some(most) => Finding::well(about, format!("at most {most}")),
        None => Finding::well(about, "as many as there are"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Health;

    #[test]
    fn few_files_are_doubtful() {
        let health = |current| files(Rlimit { current, maximum: None }).health;
        assert_eq!(health(Some(256)), Health::Doubtful);
        assert_eq!(health(Some(4096)), Health::Well);
        assert_eq!(health(None), Health::Well);
    }
}
