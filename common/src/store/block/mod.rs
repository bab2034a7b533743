//! Block files: the container of every shard. Immutable once named; every byte is under a checksum or a digest.
//!
//! A file is a header, blocks one after the other, an index with an entry a block, and a trailer (FORMATS.md has the
//! bytes). The payload is the blocks' contents joined; its digest knows nothing of where they were cut nor how they are
//! coded. A look-up costs the index, read when the file is opened, and one block.
//!
//! ```
//! use antichain_common::store::{BlockFile, BlockFileWriter, Codec, ShardKind, Spec};
//! let directory = tempfile::tempdir()?;
//! let spec = Spec { kind: ShardKind::Sample, codec: Codec::Lz4, format: 1, record_bytes: 1 };
//! let mut writer = BlockFileWriter::create(directory.path(), "shards/example/sample-0001-000000", spec)?;
//! writer.push(b"some bytes", [0, 0])?;
//! let written = writer.finish()?;
//! let file = BlockFile::open(directory.path().join(&written.file))?;
//! let mut block = Vec::new();
//! file.read(0, &mut block)?;
//! assert_eq!(block, b"some bytes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(super) mod bits;
mod codec;
mod encoder;
mod format;
mod head;
mod image;
mod packed;
mod pending;
mod reader;
mod sink;
mod writer;

#[cfg(test)]
mod tests;

pub use codec::Codec;
pub use format::{BlockMeta, MAX_BLOCK_BYTES, Spec};
pub use head::BlockHead;
pub use image::{BlockImage, ImageWriter};
pub use pending::Written;
pub use reader::{BlockFile, ClosedFile};
pub use sink::Sink;
pub use writer::BlockFileWriter;

pub(super) use pending::{FINISHED_SUFFIX, PARTIAL_SUFFIX, PendingFile};

use super::error::{StoreError, Unfit};

/// What takes blocks: a payload is cut into the same blocks for a file and for an image.
pub(super) trait BlockSink {
    /// Appends a block and the two numbers of its entry in the index.
    fn push(&mut self, block: &[u8], words: [u64; 2]) -> Result<(), StoreError>;

    /// The error that what was to be pushed does not fit.
    fn unfit(&self, what: Unfit) -> StoreError;
}
