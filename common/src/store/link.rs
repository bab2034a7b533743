//! A file that two shards share: as long as a record of either names it, its disk is taken once.

use std::fs;
use std::io;
use std::path::Path;

use super::directory::sync_folder;
use super::error::StoreError;
use super::record::{ShardKey, ShardRecord, check_name};
use super::{SHARDS_FOLDER, Store};

impl Store {
    /// Gives the file of a recorded shard to another one, whose record is returned: a commit of it makes that shard. Where
    /// the file system has no second names for files, it is copied.
    ///
    /// # Errors
    /// [`StoreError::Name`]; errors of linking and copying, that the file is gone among them.
    pub fn share_file(&self, record: &ShardRecord, key: &ShardKey) -> Result<ShardRecord, StoreError> {
        check_name(&key.owner)?;
        let end = record.file.rsplit_once('-').map_or(record.file.as_str(), |(_, end)| end);
        let file = format!("{}-{end}", key.file_stem());
        let (from, to) = (self.directory.join(&record.file), self.directory.join(&file));
        self.link(&from, &to).map_err(|source| StoreError::io(to, source))?;
        Ok(ShardRecord { file, ..record.clone() })
    }

    /// Makes the names of shared files last: to be called before they are committed.
    ///
    /// # Errors
    /// Errors of syncing.
    pub fn sync_shared(&self, owner: &str) -> Result<(), StoreError> {
        let shards = self.directory.join(SHARDS_FOLDER);
        for folder in [shards.join(owner), shards] {
            sync_folder(&folder).map_err(|source| StoreError::io(folder, source))?;
        }
        Ok(())
    }

    /// Whether other shards share the file of a shard.
    pub fn is_shared(&self, record: &ShardRecord) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(self.directory.join(&record.file)).is_ok_and(|metadata| metadata.nlink() > 1)
        }
        #[cfg(not(unix))]
        {
            let _ = record;
            false
        }
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if fs::hard_link(from, to).is_ok() {
            return Ok(());
        }
        fs::copy(from, to)?;
        fs::File::open(to)?.sync_all()
    }
}
