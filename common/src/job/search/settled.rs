//! Settled positions as they are stored: records of equal length in shards of a job, one shard a checkpoint.

use crate::ideal::Ideal;
use crate::job::{JobError, JobId, catalogue};
use crate::search::{Finding, Settled};
use crate::store::{
    BlockHead, BlockImage, Codec, Commit, Damage, ImageWriter, ShardKey, ShardKind, Spec, Store, StoreError,
};

/// Version of the format of these shards.
const SETTLED_FORMAT: u32 = 1;
/// Bytes of a record besides the words of the position: who wins, the winning move, positions visited.
const FIXED: usize = 1 + 1 + 4;
/// Records of a block, so that it has some tens of KiB.
const RECORDS_OF_A_BLOCK: usize = 1500;

/// Key of the shard of that number.
pub fn settled_key(job: &JobId, shard: usize) -> ShardKey {
    ShardKey { owner: job.0.clone(), kind: ShardKind::Settled, layer: 0, shard: shard as u32 }
}

/// Records of findings, one after the other: the words of the position, 0 if it is lost or 1, the winning move, and positions
/// visited, at most 2^32 - 1; everything in little-endian order.
pub fn encode<const W: usize>(findings: &[Finding<W>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(findings.len() * (8 * W + FIXED));
    for finding in findings {
        finding.position.0.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(match finding.settled {
            Settled::Lost => [0, 0],
            Settled::Won(taken) => [1, taken],
        });
        bytes.extend(u32::try_from(finding.nodes).unwrap_or(u32::MAX).to_le_bytes());
    }
    bytes
}

/// The findings of such records; none of those that are no findings.
pub fn decode<const W: usize>(bytes: &[u8]) -> impl Iterator<Item = Finding<W>> + '_ {
    bytes.chunks_exact(8 * W + FIXED).filter_map(|record| {
        let (words, rest) = record.split_at(8 * W);
        let (words, _) = words.as_chunks::<8>();
        let &[kind, taken, a, b, c, d] = rest else { return None };
        let mut position = Ideal::empty();
        position.0.iter_mut().zip(words).for_each(|(to, word)| *to = u64::from_le_bytes(*word));
        let settled = match kind {
            0 => Settled::Lost,
            1 => Settled::Won(taken),
            _ => return None,
        };
        Some(Finding { position, settled, nodes: u64::from(u32::from_le_bytes([a, b, c, d])) })
    })
}

/// What a file of such records says of itself.
fn file_spec(words: usize) -> Spec {
    let record = (8 * words + FIXED) as u32;
    Spec { kind: ShardKind::Settled, codec: Codec::Lz4, format: SETTLED_FORMAT, record_bytes: record }
}

/// Records of findings by the block.
fn blocks<const W: usize>(findings: &[Finding<W>]) -> impl Iterator<Item = Vec<u8>> + '_ {
    findings.chunks(RECORDS_OF_A_BLOCK).map(encode)
}

/// A file of findings, in memory.
///
/// # Errors
/// [`StoreError::Unfit`] if it has too many blocks.
pub fn image<const W: usize>(findings: &[Finding<W>]) -> Result<BlockImage, StoreError> {
    let mut image = ImageWriter::new(file_spec(W))?;
    blocks(findings).try_for_each(|block| image.push(&block, [0, 0]))?;
    image.finish()
}

/// Whether a file has records of positions of so many words.
///
/// # Errors
/// [`Damage::Kind`].
pub fn check_head(head: &BlockHead, words: usize) -> Result<(), Damage> {
    if head.spec() == file_spec(words) { Ok(()) } else { Err(Damage::Kind) }
}

/// The findings of a file.
///
/// # Errors
/// [`Damage::Kind`] if it has other records; what is wrong with its blocks.
pub fn decode_image<const W: usize>(image: &BlockImage, mut tell: impl FnMut(Finding<W>)) -> Result<(), Damage> {
    check_head(&image.head, W)?;
    image.each_block(|block| {
        decode::<W>(block).for_each(&mut tell);
        Ok(())
    })
}

/// Writes findings as the next shard of a job; it is recorded with the commit.
///
/// # Errors
/// Errors of the store.
pub fn write<const W: usize>(
    store: &Store,
    job: &JobId,
    findings: &[Finding<W>],
    commit: &mut Commit,
) -> Result<(), StoreError> {
    let next = store.shards_of(&job.0, ShardKind::Settled)?.map(|(key, _)| key.shard as usize + 1).max().unwrap_or(0);
    let key = settled_key(job, next);
    let mut writer = store.create_shard(&key, file_spec(W))?;
    blocks(findings).try_for_each(|block| writer.push(&block, [0, 0]))?;
    let written = writer.finish()?;
    commit.put_shard(key, written.record());
    Ok(())
}

/// Reads what any search of positions of the same poset has settled. What cannot be read is set aside.
///
/// # Errors
/// Errors of the store, but not damage.
pub fn read_all<const W: usize>(store: &Store, poset: &str, mut tell: impl FnMut(Finding<W>)) -> Result<(), JobError> {
    for job in catalogue::jobs(store)?.into_iter().filter(|job| job.spec.position.is_some() && job.spec.poset == poset)
    {
        for (key, _) in store.shards_of(&job.job.0, ShardKind::Settled)? {
            match read::<W>(store, &key) {
                Ok(bytes) => decode::<W>(&bytes).for_each(&mut tell),
                Err(error) if error.damaged_file().is_some() => {
                    tracing::warn!("{error}; it is set aside, and what it had is searched again");
                    store.set_aside(&key)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Reads what the searches of one job have settled.
///
/// # Errors
/// Errors of the store, damage among them.
pub fn read_job<const W: usize>(
    store: &Store,
    job: &JobId,
    tell: &mut impl FnMut(Finding<W>),
) -> Result<(), StoreError> {
    for (key, _) in store.shards_of(&job.0, ShardKind::Settled)? {
        decode::<W>(&read::<W>(store, &key)?).for_each(&mut *tell);
    }
    Ok(())
}

fn read<const W: usize>(store: &Store, key: &ShardKey) -> Result<Vec<u8>, StoreError> {
    let file = store.open_shard(key)?;
    if file.spec() != file_spec(W) {
        tracing::warn!("{key} is of another version, and is passed over");
        return Ok(Vec::new());
    }
    file.read_all()
}
