//! Files of values that this worker made itself, as long as they may be of use to it or to others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use antichain_common::huge;
use antichain_common::store::BlockImage;

use crate::fetch::Place;

/// Files of values made here, until they are too many.
#[derive(Default)]
pub struct Made {
    inner: Mutex<MadeFiles>,
}

#[derive(Default)]
struct MadeFiles {
    /// Whether others fetch from here.
    is_shared: bool,
    images: HashMap<Place, Arc<BlockImage>>,
    /// Oldest first.
    order: VecDeque<Place>,
    bytes: u64,
    most: u64,
}

impl Made {
    /// As many bytes as that, at most; for others too, if they can fetch from here.
    pub fn new(most: u64, is_shared: bool) -> Self {
        Self { inner: Mutex::new(MadeFiles { most, is_shared, ..MadeFiles::default() }) }
    }

    /// All of a file is in the table of its layer now.
    pub fn is_in_table(&self, place: &Place) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.is_shared {
            return;
        }
        if let Some(image) = inner.images.remove(place) {
            inner.bytes -= image.bytes.len() as u64;
            inner.order.retain(|other| other != place);
            let_go(image);
        }
    }

    /// The file of a shard with that digest, if it was made here: it may have been made before its layer became wider.
    pub fn get(&self, place: &Place, digest: &[u8]) -> Option<Arc<BlockImage>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.images.get(place).filter(|image| image.head.file_digest()[..] == digest[..]).cloned()
    }

    /// A file was made.
    pub fn put(&self, place: Place, image: Arc<BlockImage>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.bytes += image.bytes.len() as u64;
        if let Some(before) = inner.images.insert(place.clone(), image) {
            inner.bytes -= before.bytes.len() as u64;
        } else {
            inner.order.push_back(place);
        }
        while inner.bytes > inner.most {
            let Some(oldest) = inner.order.pop_front() else { break };
            if let Some(image) = inner.images.remove(&oldest) {
                inner.bytes -= image.bytes.len() as u64;
                let_go(image);
            }
        }
    }

    /// Layers below this one are not read any more.
    pub fn forget_below(&self, job: &str, layer: usize) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *inner;
        inner.order.retain(|place| {
            let keep = place.job != job || place.layer >= layer;
            if !keep && let Some(image) = inner.images.remove(place) {
                inner.bytes -= image.bytes.len() as u64;
                let_go(image);
            }
            keep
        });
    }
}

/// An image is not needed here any more; whoever still sends it keeps it.
fn let_go(image: Arc<BlockImage>) {
    if let Some(image) = Arc::into_inner(image) {
        huge::give_back(image.bytes);
    }
}
