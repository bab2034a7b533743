//! Filling in a table: from what was made here, from the cache on the disk, and for the rest from others.

use antichain_common::space::needed::Needed;
use antichain_common::store::{BlockHead, BlockImage, Damage};
use antichain_proto::v1;

use crate::error::Undone;
use crate::fetch::Place;
use crate::shop::{Shop, cached};
use crate::table::LayerTable;

/// What is filled in: the table of a layer of a job.
pub struct Fill<'a> {
    /// What is at hand.
    pub shop: &'a Shop,
    /// The job.
    pub job: &'a str,
    /// The base layer.
    pub layer: usize,
    /// How it is cut.
    pub reply: &'a v1::LayerReply,
    /// The table.
    pub table: &'a LayerTable,
    /// Whether to go on.
    pub is_wanted: &'a dyn Fn() -> bool,
}

impl Fill<'_> {
    /// Fills in what is needed and not there yet.
    ///
    /// # Errors
    /// [`Undone`].
    pub fn fill(&self, needed: &Needed) -> Result<(), Undone> {
        let _turn = self.table.turn();
        for (shard, cut) in self.reply.shards.iter().enumerate() {
            let missing = self.table.read().missing(shard, needed);
            if missing.is_empty() {
                continue;
            }
            let place = Place { job: self.job.to_owned(), kind: v1::FileKind::Values, layer: self.layer, shard };
            if let Some(image) = self.shop.made.get(&place, &cut.values_digest) {
                self.take_made(shard, &image)?;
                drop(image);
                self.shop.made.is_in_table(&place);
                continue;
            }
            let head = self.head(&place, &cut.values_digest)?;
            let missing = match &self.shop.cache {
                Some(cache) => {
                    cached(cache, &head, missing, |block, stored| self.table.write().fill(shard, block, stored))?
                }
                None => missing,
            };
            if missing.is_empty() {
                continue;
            }
            let digest = head.file_digest();
            let fetcher = &self.shop.fetcher;
            let bytes = fetcher.blocks(&place, &head, &cut.peers, &missing, self.is_wanted, |block, stored| {
                self.table.write().fill(shard, block, stored)?;
                if let Some(cache) = &self.shop.cache {
                    cache.put(&digest, block as u32, stored);
                }
                Ok(())
            })?;
            tracing::debug!(layer = self.layer, shard, bytes, "fetched");
        }
        Ok(())
    }

    /// Takes all of a file made here, needed or not: then the file itself is not needed any more.
    fn take_made(&self, shard: usize, image: &BlockImage) -> Result<(), Undone> {
        let mut filling = self.table.write();
        filling.set_head(shard, image.head.clone())?;
        for (block, meta) in image.head.metas().iter().enumerate() {
            filling.fill(shard, block, &image.bytes[meta.offset as usize..][..meta.stored_bytes as usize])?;
        }
        Ok(())
    }

    fn head(&self, place: &Place, digest: &[u8]) -> Result<BlockHead, Undone> {
        let known = self.table.read().head(place.shard).cloned();
        if let Some(head) = known {
            return Ok(head);
        }
        let frame = self.shop.fetcher.frame(place, self.is_wanted)?;
        let head = BlockHead::parse(&frame.header, &frame.tail, frame.file_bytes)?;
        if head.file_digest()[..] != digest[..] {
            return Err(Damage::NotRecorded.into());
        }
        self.table.write().set_head(place.shard, head.clone())?;
        Ok(head)
    }
}
