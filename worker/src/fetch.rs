//! Fetching: how layers are cut, bases as images, blocks of values; checked as they come.

use std::ops::Range;
use std::sync::Arc;

use antichain_common::store::BlockHead;
use antichain_proto::v1;
use bytes::Bytes;
use tonic::{Code, Status};

use crate::calls::Calls;
use crate::error::{Undone, is_passing};
use crate::link::{Backoff, Link};
use crate::peers::Peers;

/// Where a shard is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The job.
    pub job: String,
    /// What the file holds.
    pub kind: v1::FileKind,
    /// The base layer.
    pub layer: usize,
    /// The shard.
    pub shard: usize,
}

/// Fetches for one worker.
pub struct Fetcher {
    link: Arc<Link>,
    peers: Peers,
    calls: Calls,
}

impl Fetcher {
    /// By this link, from threads that may block.
    pub fn new(link: Arc<Link>, calls: Calls) -> Self {
        let peers = Peers::new(link.target().clone(), link.session.clone());
        Self { link, peers, calls }
    }

    /// How a layer is cut, and what is known of its values: those of ideals, or of duals. `is_wanted` says whether to go on
    /// trying.
    ///
    /// # Errors
    /// [`Undone::Gone`], [`Undone::Unwanted`].
    pub fn layer(
        &self,
        job: &str,
        values: v1::FileKind,
        layer: usize,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<v1::LayerReply, Undone> {
        self.again(is_wanted, || {
            let request = v1::LayerRequest { job: job.to_owned(), layer: layer as u32, values: values.into() };
            let mut tables = self.link.tables();
            let call = async { Ok(tables.layer(request).await?.into_inner()) };
            self.calls.wait(call).unwrap_or_else(ended)
        })
    }

    /// A file without its blocks.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn frame(&self, place: &Place, is_wanted: &dyn Fn() -> bool) -> Result<v1::FileHead, Undone> {
        let mut frame = None;
        self.parts((place, &[]), &[], true, &[], is_wanted, |part| {
            if let v1::fetch_reply::Part::Head(message) = part {
                frame = Some(message);
            }
            Ok(())
        })?;
        frame.ok_or_else(|| Undone::Gone("the head of a file".to_owned()))
    }

    /// Blocks of a file, given to `take` one by one, each checked against its checksum. What has come is not asked for
    /// again, should a fetch break off.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn blocks(
        &self,
        place: &Place,
        head: &BlockHead,
        peers: &[String],
        ranges: &[Range<usize>],
        is_wanted: &dyn Fn() -> bool,
        mut take: impl FnMut(usize, &[u8]) -> Result<(), Undone>,
    ) -> Result<u64, Undone> {
        let mut bytes = 0;
        self.parts((place, &head.file_digest()), peers, false, ranges, is_wanted, |part| {
            let v1::fetch_reply::Part::Blocks(blocks) = part else { return Ok(()) };
            let mut rest = &blocks.stored[..];
            bytes += rest.len() as u64;
            let mut number = blocks.first as usize;
            while !rest.is_empty() {
                let missing = Undone::Damaged(antichain_common::store::Damage::Length);
                let meta = head.metas().get(number).ok_or(missing)?;
                let stored = rest.split_off(..meta.stored_bytes as usize);
                let stored = stored.ok_or(Undone::Damaged(antichain_common::store::Damage::Length))?;
                head.check(number, stored)?;
                take(number, stored)?;
                number += 1;
            }
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Fetches, from a peer first if there is one, and gives every part to `take`. A fetch that broke off goes on with the
    /// first block that has not come.
    fn parts(
        &self,
        (place, digest): (&Place, &[u8]),
        peers: &[String],
        head: bool,
        ranges: &[Range<usize>],
        is_wanted: &dyn Fn() -> bool,
        mut take: impl FnMut(v1::fetch_reply::Part) -> Result<(), Undone>,
    ) -> Result<(), Undone> {
        let mut peers = peers.iter();
        let mut done = 0;
        let mut head_is_there = !head;
        let mut fault = None;
        self.again(is_wanted, || {
            let rest = rest_of(ranges, done);
            let request = v1::FetchRequest {
                job: place.job.clone(),
                kind: place.kind.into(),
                layer: place.layer as u32,
                shard: place.shard as u32,
                head: !head_is_there,
                blocks: rest
                    .iter()
                    .map(|range| v1::BlockRange { first: range.start as u32, count: (range.end - range.start) as u32 })
                    .collect(),
                digest: Bytes::copy_from_slice(digest),
            };
            let peer = peers.next();
            let fetched: Option<Result<(), Status>> = self.calls.wait(async {
                let mut client = match peer {
                    Some(address) => self.peers.client(address).await?,
                    None => self.link.tables(),
                };
                let mut messages = client.fetch(request).await?.into_inner();
                while let Some(message) = messages.message().await? {
                    let Some(part) = message.part else { continue };
                    if !is_wanted() {
                        return Ok(());
                    }
                    let blocks = match &part {
                        v1::fetch_reply::Part::Head(_) => {
                            head_is_there = true;
                            0
                        }
                        v1::fetch_reply::Part::Blocks(blocks) => blocks.count as usize,
                    };
                    if let Err(error) = take(part) {
                        fault = Some(error);
                        return Ok(());
                    }
                    done += blocks;
                }
                Ok(())
            });
            // Whatever a peer does wrong, the coordinator does right.
            match (peer, fetched.unwrap_or_else(ended)) {
                (Some(address), Err(status)) => {
                    Err(Status::unavailable(format!("worker {address}: {}", status.message())))
                }
                (Some(address), Ok(())) if fault.take().is_some() => {
                    Err(Status::unavailable(format!("worker {address} sent what is damaged")))
                }
                (_, fetched) => fetched,
            }
        })?;
        match fault {
            Some(fault) => Err(fault),
            None if !is_wanted() => Err(Undone::Unwanted),
            None => Ok(()),
        }
    }

    /// Calls again as long as what fails may pass.
    fn again<T>(&self, is_wanted: &dyn Fn() -> bool, mut call: impl FnMut() -> Result<T, Status>) -> Result<T, Undone> {
        let mut backoff = Backoff::of(&self.link);
        loop {
            match call() {
                Ok(result) => return Ok(result),
                Err(status) if !is_wanted() || is_of_the_end(&status) => return Err(Undone::Unwanted),
                Err(status) if is_passing(&status) => {
                    tracing::debug!("a fetch failed: {}", status.message());
                    self.calls.wait(backoff.wait());
                }
                Err(status) if matches!(status.code(), Code::NotFound | Code::DataLoss) => {
                    return Err(Undone::Gone(status.message().to_owned()));
                }
                Err(status) => return Err(Undone::Gone(format!("{}: {}", status.code(), status.message()))),
            }
        }
    }
}

/// What the worker's end says.
const ENDED: &str = "this worker ends";

fn ended<T>() -> Result<T, Status> {
    Err(Status::cancelled(ENDED))
}

fn is_of_the_end(status: &Status) -> bool {
    status.code() == Code::Cancelled && status.message() == ENDED
}

/// What is left of ranges when their first blocks are done with.
fn rest_of(ranges: &[Range<usize>], mut done: usize) -> Vec<Range<usize>> {
    let mut rest = Vec::new();
    for range in ranges {
        let skipped = done.min(range.len());
        done -= skipped;
        if skipped < range.len() {
            rest.push(range.start + skipped..range.end);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fetch_that_broke_off_goes_on_with_the_rest() {
        let ranges = [0..3, 5..6, 8..10];
        assert_eq!(rest_of(&ranges, 0), ranges);
        assert_eq!(rest_of(&ranges, 2), [2..3, 5..6, 8..10]);
        assert_eq!(rest_of(&ranges, 4), ranges[2..]);
        assert!(rest_of(&ranges, 6).is_empty());
    }
}
