//! Delivering a result: its opening, then the blocks of its file, until the coordinator has stored it or does not want it.

use std::sync::Arc;

use antichain_common::store::BlockImage;
use antichain_proto::limits::CHUNK_BYTES;
use antichain_proto::v1;
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::error::{WorkerError, is_passing};
use crate::link::{Backoff, Link};

/// Messages that wait for the network, each of about a mebibyte.
const WAITING: usize = 4;

/// A result.
pub struct Outcome {
    /// The task.
    pub task: u64,
    /// What was found, as a JSON document.
    pub findings: Bytes,
    /// The file, if there is one: header, blocks as they are stored, end.
    pub file: Option<File>,
}

/// A file to be sent.
pub struct File {
    image: Bytes,
    head: v1::FileHead,
    /// Blocks by the mebibyte.
    chunks: Vec<std::ops::Range<usize>>,
}

/// The bytes of an image, for as long as somebody sends them.
struct Shared(Arc<BlockImage>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl File {
    /// The file of an image, which is not copied.
    pub fn new(image: Arc<BlockImage>) -> Self {
        let bytes = Bytes::from_owner(Shared(image.clone()));
        let head = v1::FileHead {
            header: Bytes::copy_from_slice(image.header()),
            tail: Bytes::copy_from_slice(image.tail()),
            file_bytes: image.head.file_bytes(),
        };
        let mut chunks: Vec<std::ops::Range<usize>> = Vec::new();
        for meta in image.head.metas() {
            let (start, end) = (meta.offset as usize, (meta.offset + u64::from(meta.stored_bytes)) as usize);
            match chunks.last_mut() {
                Some(chunk) if end - chunk.start <= CHUNK_BYTES => chunk.end = end,
                _ => chunks.push(start..end),
            }
        }
        Self { image: bytes, head, chunks }
    }
}

/// Delivers, again and again if need be. Returns when the result is stored, or not wanted any more.
///
/// # Errors
/// As [`Link::register`].
pub async fn deliver(link: &Link, outcome: &Outcome) -> Result<(), WorkerError> {
    let mut backoff = Backoff::of(link);
    // The lease may end meanwhile, and after a restart it is another one.
    while let Some((worker, epoch)) = link.session.lease(outcome.task) {
        match attempt(link, outcome, worker, epoch).await {
            Ok(reply) => {
                match reply.verdict() {
                    v1::Verdict::Accepted | v1::Verdict::Identical => {
                        tracing::debug!(number = outcome.task, "acknowledged");
                    }
                    v1::Verdict::Stale => tracing::debug!("a result came too late: {}", reply.reason),
                    _ => tracing::error!("a result was refused: {}", reply.reason),
                }
                return Ok(());
            }
            Err(status) => {
                let again = link.register_if_unknown(worker, &status).await? || is_passing(&status);
                if !again {
                    tracing::error!("a result cannot be delivered: {}", status.message());
                    return Ok(());
                }
                tracing::debug!("not delivered yet: {}", status.message());
                backoff.wait().await;
            }
        }
    }
    Ok(())
}

async fn attempt(link: &Link, outcome: &Outcome, worker: u64, epoch: u64) -> Result<v1::DeliverReply, tonic::Status> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let opening = v1::Opening {
        worker,
        task: outcome.task,
        epoch,
        findings: outcome.findings.clone(),
        file: outcome.file.as_ref().map(|file| file.head.clone()),
    };
    let send = async move {
        let message = |part| v1::DeliverRequest { part: Some(part) };
        if sender.send(message(v1::deliver_request::Part::Opening(opening))).await.is_err() {
            return;
        }
        let Some(file) = &outcome.file else { return };
        for chunk in &file.chunks {
            let blocks = v1::deliver_request::Part::Blocks(file.image.slice(chunk.clone()));
            // Nobody takes it: what it is worth is decided already.
            if sender.send(message(blocks)).await.is_err() {
                return;
            }
        }
    };
    let mut client = link.work();
    let call = client.deliver(ReceiverStream::new(receiver));
    let (reply, ()) = tokio::join!(call, send);
    Ok(reply?.into_inner())
}

#[cfg(test)]
mod tests {
    use antichain_common::store::{ShardKind, values_image};
    use antichain_proto::limits::MESSAGE_BYTES;

    use super::*;

    #[test]
    fn a_shard_of_64_mebibytes_goes_in_messages_far_below_the_limit() {
        let limbs: Vec<u64> = (0..8u64 << 20).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7).collect();
        let image = Arc::new(values_image(ShardKind::Values, 4, &limbs).expect("an image"));
        let file = File::new(image.clone());
        assert!(file.head.tail.len() + file.head.header.len() < MESSAGE_BYTES / 2);
        assert!(file.chunks.iter().all(|chunk| chunk.len() <= CHUNK_BYTES));
        assert!(file.chunks.windows(2).all(|pair| pair[0].end == pair[1].start));
        let sent: Vec<u8> = file.chunks.iter().flat_map(|chunk| file.image.slice(chunk.clone())).collect();
        assert_eq!(sent, image.blocks());
    }
}
