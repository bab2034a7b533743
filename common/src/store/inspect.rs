//! A look at everything in a data directory: which files are whole, which are not, and what lies about.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::block::{FINISHED_SUFFIX, PARTIAL_SUFFIX};
use super::{DAMAGED_SUFFIX, SHARDS_FOLDER, ShardKey, Store, StoreError};

/// What a look finds.
#[derive(Debug, Default)]
pub struct Inspection {
    /// Files that the catalogue names.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that are damaged or missing, and what is wrong with them.
    pub damaged: Vec<(ShardKey, StoreError)>,
    /// Files that killed processes left: the next one that changes something removes them.
    pub leftovers: Vec<PathBuf>,
    /// Files that were set aside.
    pub set_aside: Vec<PathBuf>,
}

impl Store {
    /// Looks at all files: at the ends of each, or, if that is to be thorough, at every byte. `goes_on` is asked before each file.
    ///
    /// # Errors
    /// [`StoreError::Catalogue`]; errors of reading that are not about one file.
    pub fn inspect(&self, is_thorough: bool, goes_on: &mut dyn FnMut() -> bool) -> Result<Inspection, StoreError> {
        let mut found = Inspection::default();
        let mut named = HashSet::new();
        for (key, record) in self.scan_shards(&ShardKey::all_prefix())? {
            if !goes_on() {
                break;
            }
            named.insert(record.file.clone());
            found.files += 1;
            found.bytes += record.bytes;
            let read = if is_thorough { self.verify_file(&record) } else { self.open_file(&record).map(drop) };
            match read {
                Ok(()) => {}
                Err(error) if error.damaged_file().is_some() => found.damaged.push((key, error)),
                Err(error) => return Err(error),
            }
        }
        for file in files_below(&self.directory.join(SHARDS_FOLDER))? {
            let name = file.strip_prefix(&self.directory).unwrap_or(&file).to_string_lossy().into_owned();
            if name.ends_with(DAMAGED_SUFFIX) {
                found.set_aside.push(file);
            } else if name.ends_with(PARTIAL_SUFFIX) || name.ends_with(FINISHED_SUFFIX) && !named.contains(&name) {
                found.leftovers.push(file);
            }
        }
        Ok(found)
    }
}

/// The files in the folders of a folder.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let list = |path: &Path| {
        let entries = fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>());
        entries.map_err(|source| StoreError::io(path, source))
    };
    let mut files = Vec::new();
    for owner in list(folder)?.iter().filter(|path| path.is_dir()) {
        files.extend(list(owner)?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Commit, ShardKind};

    #[test]
    fn everything_is_seen() {
        let directory = tempfile::tempdir().expect("a folder");
        let store = Store::open(directory.path()).expect("opened");
        let key = |shard| ShardKey { owner: "job".into(), kind: ShardKind::Values, layer: 1, shard };
        let mut commit = Commit::new();
        for shard in 0..3 {
            let written = store.write_values(&key(shard), 1, &vec![7; 5000]).expect("written");
            commit.put_shard(key(shard), written.record());
        }
        store.commit(commit).expect("stored");
        let look = |is_thorough| store.inspect(is_thorough, &mut || true).expect("a look");
        let found = look(true);
        assert_eq!((found.files, found.damaged.len(), found.leftovers.len(), found.set_aside.len()), (3, 0, 0, 0));

        let path = |shard| directory.path().join(store.shard(&key(shard)).expect("read").expect("there").file);
        // In the middle, where only a thorough look sees it.
        let mut bytes = fs::read(path(0)).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path(0), bytes).expect("written");
        fs::remove_file(path(1)).expect("removed");
        fs::write(directory.path().join(format!("shards/job/x{PARTIAL_SUFFIX}")), "x").expect("written");
        fs::write(directory.path().join(format!("shards/job/y{FINISHED_SUFFIX}")), "y").expect("written");
        let damaged = |found: &Inspection| found.damaged.iter().map(|(key, _)| key.shard).collect::<Vec<_>>();
        assert_eq!(damaged(&look(false)), [1]);
        let found = look(true);
        assert_eq!((damaged(&found), found.leftovers.len()), (vec![0, 1], 2));
        store.set_aside(&key(0)).expect("set aside");
        let found = look(true);
        assert_eq!((damaged(&found), found.set_aside.len(), found.files), (vec![1], 1, 2));
    }
}
