//! How much memory this process may use: what the system has available, or less where a control group says so.

use std::path::{Path, PathBuf};

use crate::sizes::Bytes;

/// Taken where the system does not say what is available.
const UNKNOWN: Bytes = Bytes(4 << 30);

/// Three quarters of the memory that is free for this process.
pub fn default_budget() -> Bytes {
    let available = available_in_system(Path::new("/proc/meminfo"));
    let allowed = allowed_by_group(Path::new("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    available.into_iter().chain(allowed).min().map_or(UNKNOWN, |free| Bytes(free / 4 * 3))
}

/// `MemAvailable` in bytes.
fn available_in_system(meminfo: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(meminfo).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// What the tightest control group round this process leaves, in bytes: version 2, and version 1's memory controller.
fn allowed_by_group(membership: &Path, root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(membership).ok()?;
    text.lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, group) = (fields.next()?, fields.next()?.trim_start_matches('/'));
            match controllers {
                "" => least_left(root, group, "memory.max", "memory.current"),
                "memory" => least_left(&root.join("memory"), group, "memory.limit_in_bytes", "memory.usage_in_bytes"),
                _ => None,
            }
        })
        .min()
}

/// The least of limit minus use over the group and all groups round it; `None` where none sets a limit.
fn least_left(root: &Path, group: &str, limit: &str, used: &str) -> Option<u64> {
    let number = |file: PathBuf| std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    root.join(group)
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .filter_map(|folder| {
            let limit = number(folder.join(limit))?;
            Some(limit.saturating_sub(number(folder.join(used)).unwrap_or(0)))
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn reads_what_the_system_has() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("meminfo");
        fs::write(&file, "MemTotal:       100 kB\nMemFree:         10 kB\nMemAvailable:    64 kB\n").expect("written");
        assert_eq!(available_in_system(&file), Some(65536));
        assert_eq!(available_in_system(&dir.path().join("none")), None);
    }

    #[test]
    fn the_tightest_group_counts() {
        let dir = tempfile::tempdir().expect("a folder");
        let inner = dir.path().join("outer/inner");
        fs::create_dir_all(&inner).expect("made");
        fs::write(inner.join("memory.max"), "max\n").expect("written");
        fs::write(inner.join("memory.current"), "7\n").expect("written");
        fs::write(dir.path().join("outer/memory.max"), "1000\n").expect("written");
        fs::write(dir.path().join("outer/memory.current"), "400\n").expect("written");
        let membership = dir.path().join("cgroup");
        fs::write(&membership, "0::/outer/inner\n").expect("written");
        assert_eq!(allowed_by_group(&membership, dir.path()), Some(600));
    }

    #[test]
    fn the_older_controller_counts_too() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(dir.path().join("memory/job")).expect("made");
        fs::write(dir.path().join("memory/job/memory.limit_in_bytes"), "5000\n").expect("written");
        fs::write(dir.path().join("memory/job/memory.usage_in_bytes"), "1000\n").expect("written");
        let membership = dir.path().join("cgroup");
        fs::write(&membership, "3:cpu,cpuacct:/\n2:memory:/job\n").expect("written");
        assert_eq!(allowed_by_group(&membership, dir.path()), Some(4000));
    }

    #[test]
    fn a_budget_is_always_found() {
        assert!(default_budget() > Bytes(0));
    }
}
