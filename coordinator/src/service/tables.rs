//! Tables: how layers are cut, and blocks of the files of their shards.

use std::ops::Range;
use std::pin::Pin;

use antichain_common::job::{JobId, Side};
use antichain_common::store::{BlockFile, ShardKind, StoreError};
use antichain_proto::limits::CHUNK_BYTES;
use antichain_proto::v1;
use antichain_proto::v1::tables_server::Tables;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::{Services, blocking};

/// Messages that wait for the network, each of about a mebibyte.
const WAITING: usize = 4;

fn status_of(error: &StoreError) -> Status {
    match error.damaged_file() {
        Some(_) => Status::data_loss(error.to_string()),
        None => Status::internal(error.to_string()),
    }
}

/// Sends the head of a file and the blocks that were asked for.
fn send(
    file: &BlockFile,
    head: bool,
    ranges: &[Range<usize>],
    mut send: impl FnMut(v1::fetch_reply::Part) -> bool,
) -> Result<(), StoreError> {
    if head {
        let (header, tail) = file.head_bytes()?;
        let file_bytes = file.head().file_bytes();
        let message = v1::FileHead { header: header.into(), tail: tail.into(), file_bytes };
        if !send(v1::fetch_reply::Part::Head(message)) {
            return Ok(());
        }
    }
    for range in ranges {
        let mut first = range.start;
        while first < range.end {
            let mut bytes = 0;
            let metas = file.metas()[first..range.end].iter();
            let fitting = metas.take_while(|meta| {
                bytes += meta.stored_bytes as usize;
                bytes <= CHUNK_BYTES
            });
            let count = fitting.count().max(1);
            let mut stored = Vec::new();
            file.read_stored(first..first + count, &mut stored)?;
            let message = v1::Blocks { first: first as u32, count: count as u32, stored: stored.into() };
            if !send(v1::fetch_reply::Part::Blocks(message)) {
                return Ok(());
            }
            first += count;
        }
    }
    Ok(())
}

/// The ranges of blocks, if the file has them all.
fn ranges(blocks: &[v1::BlockRange], len: usize) -> Result<Vec<Range<usize>>, Status> {
    let range = |range: &v1::BlockRange| {
        let (first, count) = (range.first as usize, range.count as usize);
        let end = first.checked_add(count).filter(|&end| end <= len);
        end.map(|end| first..end).ok_or_else(|| Status::out_of_range(format!("the file has {len} blocks")))
    };
    blocks.iter().map(range).collect()
}

#[tonic::async_trait]
impl Tables for Services {
    async fn layer(&self, request: Request<v1::LayerRequest>) -> Result<Response<v1::LayerReply>, Status> {
        let request = request.into_inner();
        let side = match request.values() {
            v1::FileKind::Duals => Side::Upper,
            _ => Side::Lower,
        };
        let is_search = request.values() == v1::FileKind::Settled;
        let v1::LayerRequest { job, layer, .. } = request;
        let desk = self.desk.clone();
        if is_search {
            let files = blocking(move || desk.settled_files(&JobId(job)).map_err(|error| status_of(&error))).await?;
            let shard = |digest: Option<[u8; 32]>| v1::LayerShard {
                values_digest: digest.map(|digest| digest.to_vec()).unwrap_or_default().into(),
                ..Default::default()
            };
            return Ok(Response::new(v1::LayerReply { shards: files.into_iter().map(shard).collect() }));
        }
        let found = blocking(move || {
            let found = desk.layer(&JobId(job), side, layer as usize).map_err(|error| status_of(&error))?;
            found.ok_or_else(|| Status::not_found("there is no such layer, or no such job any more"))
        });
        let shard = |shard: crate::desk::ShardFiles| v1::LayerShard {
            bases: shard.bases,
            slots: shard.slots,
            bases_digest: shard.bases_digest.to_vec().into(),
            values_digest: shard.values_digest.map(|digest| digest.to_vec()).unwrap_or_default().into(),
            width: shard.width as u32,
            peers: shard.peer.into_iter().collect(),
        };
        Ok(Response::new(v1::LayerReply { shards: found.await?.shards.into_iter().map(shard).collect() }))
    }

    type FetchStream = Pin<Box<dyn Stream<Item = Result<v1::FetchReply, Status>> + Send>>;

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<Self::FetchStream>, Status> {
        let request = request.into_inner();
        let kind = match request.kind() {
            v1::FileKind::Bases => ShardKind::Bases,
            v1::FileKind::Values => ShardKind::Values,
            v1::FileKind::Duals => ShardKind::Duals,
            v1::FileKind::Settled => ShardKind::Settled,
            v1::FileKind::Unspecified => return Err(Status::invalid_argument("a file of what?")),
        };
        let (desk, job) = (self.desk.clone(), JobId(request.job));
        let of = job.clone();
        let (file, ranges) = blocking(move || {
            let file = desk.file(&of, kind, request.layer as usize, request.shard as usize);
            let file = file.map_err(|error| {
                desk.stop_if_damaged(&of, &error);
                status_of(&error)
            })?;
            let file = file.ok_or_else(|| Status::not_found("there is no such shard, or no such job any more"))?;
            let ranges = ranges(&request.blocks, file.len())?;
            Ok((file, (request.head, ranges)))
        })
        .await?;
        let (head, ranges) = ranges;
        let desk = self.desk.clone();
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::task::spawn_blocking(move || {
            let message = |part| sender.blocking_send(Ok(v1::FetchReply { part: Some(part) })).is_ok();
            if let Err(error) = send(&file, head, &ranges, message) {
                // A search goes on without what was settled there.
                if kind != ShardKind::Settled {
                    desk.stop_if_damaged(&job, &error);
                }
                // If nobody takes it, nobody is there to be told.
                let _ = sender.blocking_send(Err(status_of(&error)));
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

#[cfg(test)]
mod tests {
    use antichain_common::job::records::values_key;
    use antichain_common::store::{Commit, Store, decode_values};
    use antichain_proto::limits::MESSAGE_BYTES;
    use prost::Message;

    use super::*;

    #[test]
    fn a_shard_of_64_mebibytes_comes_in_messages_far_below_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        let key = values_key(&JobId("job".into()), 5, 0);
        let limbs: Vec<u64> = (0..8u64 << 20).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7).collect();
        let written = store.write_values(&key, 4, &limbs).expect("written");
        let mut commit = Commit::new();
        commit.put_shard(key.clone(), written.record());
        store.commit(commit).expect("committed");
        let file = store.open_shard(&key).expect("a file");
        let mut blocks = Vec::new();
        let mut next = 0;
        let mut largest = 0;
        let whole = std::iter::once(0..file.len()).collect::<Vec<_>>();
        send(&file, true, &whole, |part| {
            if let v1::fetch_reply::Part::Blocks(part) = &part {
                assert_eq!(part.first, next);
                next += part.count;
                blocks.extend_from_slice(&part.stored);
            }
            largest = largest.max(v1::FetchReply { part: Some(part) }.encoded_len());
            true
        })
        .expect("sent");
        assert!(largest > CHUNK_BYTES / 2 && largest < MESSAGE_BYTES / 2, "{largest}");
        assert_eq!(decode_values(file.head(), &blocks).expect("values").limbs, limbs);
    }

    #[test]
    fn blocks_that_are_not_there_are_refused() {
        let range = |first, count| v1::BlockRange { first, count };
        assert_eq!(ranges(&[range(0, 2), range(5, 1)], 6).expect("there"), [0..2, 5..6]);
        for wrong in [range(5, 2), range(7, 0), range(u32::MAX, u32::MAX)] {
            assert!(ranges(&[wrong], 6).is_err());
        }
    }
}
