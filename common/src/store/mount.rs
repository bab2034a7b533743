//! What a folder is on: a data directory must be on a disk of its own machine, for its lock and its catalogue trust the system's
//! `flock` and `fsync`, which network file systems keep to in their own way or not at all.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// File systems that other machines have too.
const SHARED: [&str; 32] = [
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse.ceph",
    "fuse.ceph-fuse",
    "fuse.cvmfs2",
    "fuse.davfs2",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.vmhgfs-fuse",
    "gfs2",
    "gpfs",
    "lustre",
    "nfs",
    "nfs4",
    "ocfs2",
    "orangefs",
    "panfs",
    "prl_fs",
    "pvfs2",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "wekafs",
];

/// The type of the file system that a path is, or would be, on, if that is a network file system.
pub fn network_file_system(path: &Path) -> Option<String> {
    let absolute = std::path::absolute(path).ok()?;
    let existing = absolute.ancestors().find(|ancestor| ancestor.exists())?;
    // Through symbolic links.
    let existing = fs::canonicalize(existing).ok()?;
    let kind = kind_in(&fs::read_to_string("/proc/self/mountinfo").ok()?, &existing)?;
    SHARED.contains(&kind.as_str()).then_some(kind)
}

/// The type of the file system of a path, by the list of mounts that the kernel gives (proc(5)).
fn kind_in(mounts: &str, path: &Path) -> Option<String> {
    let mount = |line: &str| {
        let (place, kind) = line.split_once(" - ")?;
        let point = unescaped(place.split(' ').nth(4)?);
        Some((point, kind.split(' ').next()?.to_owned()))
    };
    // Of those at the same place the last one counts: it covers the others.
    let round = mounts.lines().filter_map(mount).filter(|(point, _)| path.starts_with(point));
    round.max_by_key(|(point, _)| point.as_os_str().len()).map(|(_, kind)| kind)
}

/// A path in which the kernel has written spaces and the like as octal numbers.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octal = after.first_chunk::<3>().filter(|_| *first == b'\\');
        let number = octal.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(number.unwrap_or(*first));
        rest = if number.is_some() { &after[3..] } else { after };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:25 / /home rw,relatime shared:1 - nfs4 server:/home rw
31 30 254:1 / /home/scratch rw - xfs /dev/vdb rw
32 22 0:26 / /mnt/a\\040b rw - fuse.sshfs host: rw
33 22 0:27 / /mnt/over rw - nfs old rw
34 22 0:28 / /mnt/over rw - ext4 new rw
";

    #[test]
    fn the_innermost_mount_counts() {
        let kind = |path: &str| kind_in(MOUNTS, Path::new(path)).expect("a mount");
        for (path, expected) in [
            ("/", "ext4"),
            ("/homeless", "ext4"),
            ("/home/user/data", "nfs4"),
            ("/home/scratch/data", "xfs"),
            ("/mnt/a b/c", "fuse.sshfs"),
            ("/mnt/over/x", "ext4"),
        ] {
            assert_eq!(kind(path), expected, "{path}");
        }
        assert_eq!(kind_in("nonsense\n", Path::new("/")), None);
    }

    #[test]
    fn the_disk_of_the_tests_is_local() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(network_file_system(&folder.path().join("not/there/yet")), None);
    }
}
