//! The names and records of shards, and their bytes in the catalogue.
//!
//! A key is big-endian throughout, so all shards of an owner, of a kind and of a layer are each one range, in order.

use std::fmt;

use super::error::StoreError;

/// What the file of a shard holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ShardKind {
    /// The canonical bases.
    Bases,
    /// The values of the states of every base.
    Values,
    /// Blocks kept for `verify`, with all they were computed from.
    Sample,
    /// Canonical bases that one piece of an enumeration found, before they are merged with those of the others.
    Candidates,
    /// The values of the duals of a layer's states: the upper side of a game.
    Duals,
    /// Positions that a search has settled.
    Settled,
    /// The proof of what a search has found.
    Proof,
}

impl ShardKind {
    /// All kinds there are.
    pub const ALL: [Self; 7] =
        [Self::Bases, Self::Values, Self::Sample, Self::Candidates, Self::Duals, Self::Settled, Self::Proof];

    /// The number that stands for the kind in keys and files.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Bases => 1,
            Self::Values => 2,
            Self::Sample => 3,
            Self::Candidates => 4,
            Self::Duals => 5,
            Self::Settled => 6,
            Self::Proof => 7,
        }
    }

    /// The kind of that number.
    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The word in file names and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bases => "bases",
            Self::Values => "values",
            Self::Sample => "sample",
            Self::Candidates => "candidates",
            Self::Duals => "duals",
            Self::Settled => "settled",
            Self::Proof => "proof",
        }
    }
}

/// Names a shard in a data directory. Keys order by owner, kind, layer, shard.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardKey {
    /// The space (`boolean-7`) or the job (`extensions-boolean-7`) it belongs to.
    pub owner: String,
    /// What it holds.
    pub kind: ShardKind,
    /// The base layer.
    pub layer: u16,
    /// The number of the shard in its layer.
    pub shard: u32,
}

impl fmt::Display for ShardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of the {} of layer {} of {}", self.shard, self.kind.name(), self.layer, self.owner)
    }
}

/// What the catalogue knows of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardRecord {
    /// The file, relative to the data directory, with `/` between folder and file.
    pub file: String,
    /// Number of records: bases, or states.
    pub count: u64,
    /// Length of the file.
    pub bytes: u64,
    /// BLAKE3 of the payload: of the contents alone, however they are cut and coded.
    pub digest: [u8; 32],
    /// BLAKE3 that fixes every byte of the file (see FORMATS.md).
    pub file_digest: [u8; 32],
    /// Version of the payload's format.
    pub format: u32,
}

const RECORD_VERSION: u8 = 1;
/// Bytes of a record before the file name.
const RECORD_FIXED: usize = 1 + 4 + 8 + 8 + 32 + 32;
/// First byte of the keys of shards.
const SHARDS: u8 = b's';

impl ShardKey {
    /// The key's bytes in the catalogue.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut key = Self::layer_prefix(&self.owner, self.kind, self.layer);
        key.extend(self.shard.to_be_bytes());
        key
    }

    pub(super) fn decode(key: &[u8]) -> Option<Self> {
        let (&SHARDS, rest) = key.split_first()? else { return None };
        let end = rest.iter().position(|&byte| byte == 0)?;
        let owner = std::str::from_utf8(&rest[..end]).ok()?.to_owned();
        let [kind, l0, l1, s0, s1, s2, s3] = *<&[u8; 7]>::try_from(&rest[end + 1..]).ok()?;
        Some(Self {
            owner,
            kind: ShardKind::from_code(kind)?,
            layer: u16::from_be_bytes([l0, l1]),
            shard: u32::from_be_bytes([s0, s1, s2, s3]),
        })
    }

    /// What the keys of all shards begin with.
    pub(super) fn all_prefix() -> Vec<u8> {
        vec![SHARDS]
    }

    pub(super) fn owner_prefix(owner: &str) -> Vec<u8> {
        let mut prefix = vec![SHARDS];
        prefix.extend(owner.as_bytes());
        prefix.push(0);
        prefix
    }

    pub(super) fn kind_prefix(owner: &str, kind: ShardKind) -> Vec<u8> {
        let mut prefix = Self::owner_prefix(owner);
        prefix.push(kind.code());
        prefix
    }

    pub(super) fn layer_prefix(owner: &str, kind: ShardKind, layer: u16) -> Vec<u8> {
        let mut prefix = Self::kind_prefix(owner, kind);
        prefix.extend(layer.to_be_bytes());
        prefix
    }

    /// The file's name without what depends on its contents, relative to the data directory.
    pub(super) fn file_stem(&self) -> String {
        format!("{}/{}/{}-{:04}-{:06}", super::SHARDS_FOLDER, self.owner, self.kind.name(), self.layer, self.shard)
    }
}

impl ShardRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut value = Vec::with_capacity(RECORD_FIXED + self.file.len());
        value.push(RECORD_VERSION);
        value.extend(self.format.to_le_bytes());
        value.extend(self.count.to_le_bytes());
        value.extend(self.bytes.to_le_bytes());
        value.extend(self.digest);
        value.extend(self.file_digest);
        value.extend(self.file.as_bytes());
        value
    }

    /// The record with these bytes. A file outside the folder of shards is refused: the store deletes files by their
    /// records.
    pub(super) fn decode(value: &[u8]) -> Option<Self> {
        let (fixed, file) = value.split_at_checked(RECORD_FIXED)?;
        let (&RECORD_VERSION, mut fixed) = fixed.split_first()? else { return None };
        let file = std::str::from_utf8(file).ok()?;
        let mut parts = file.split('/');
        let inside = parts.next() == Some(super::SHARDS_FOLDER) && parts.all(|part| check_name(part).is_ok());
        if !inside {
            return None;
        }
        Some(Self {
            format: u32::from_le_bytes(take(&mut fixed)?),
            count: u64::from_le_bytes(take(&mut fixed)?),
            bytes: u64::from_le_bytes(take(&mut fixed)?),
            digest: take(&mut fixed)?,
            file_digest: take(&mut fixed)?,
            file: file.to_owned(),
        })
    }
}

/// Takes `N` bytes off the front.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = bytes.split_first_chunk::<N>()?;
    *bytes = tail;
    Some(*head)
}

/// Checks that `name` can be the name of an owner: a folder's name and part of a key.
///
/// # Errors
/// [`StoreError::Name`].
pub(super) fn check_name(name: &str) -> Result<(), StoreError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.len() > 200 || name.starts_with('.') || !name.bytes().all(plain) {
        return Err(StoreError::Name { name: name.to_owned() });
    }
    Ok(())
}
