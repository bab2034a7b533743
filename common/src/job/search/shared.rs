//! What machines that search a position together tell each other: what they have settled, and where they are.

use serde::{Deserialize, Serialize};

use crate::search::{Settled, Told};

/// Bytes of what is told of one position.
pub const TOLD_BYTES: usize = 10;
/// In the last byte of a record, beside the logarithm: somebody wins who moves.
const WON: u8 = 1 << 7;

/// A position that is to be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The position, in the notation of its poset.
    pub position: String,
    /// Positions that may be visited.
    pub nodes: u64,
    /// Salt of the hashes.
    pub salt: u64,
}

/// What a search that was handed out came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The position.
    pub position: String,
    /// Whether it is lost, if that was found.
    pub is_lost: Option<bool>,
    /// Positions visited.
    pub nodes: u64,
    /// Records in the file: positions that were settled with some work.
    pub settled: u64,
}

/// Records of what others are told: the hash, in little-endian order, the move that wins or 0, and the binary logarithm of the
/// number of positions visited, with 128 added if the position is won.
pub fn encode_told(told: &[Told]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(told.len() * TOLD_BYTES);
    for told in told {
        bytes.extend(told.hash.to_le_bytes());
        let log = told.nodes.max(1).ilog2() as u8;
        bytes.extend(match told.settled {
            Settled::Lost => [0, log],
            Settled::Won(taken) => [taken, WON | log],
        });
    }
    bytes
}

/// What such records say. Any bytes say something: what is not true is noticed when a proof is made.
pub fn decode_told(bytes: &[u8]) -> impl Iterator<Item = Told> + '_ {
    let (records, _) = bytes.as_chunks::<TOLD_BYTES>();
    records.iter().map(|&[a, b, c, d, e, f, g, h, taken, log]| Told {
        hash: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        settled: if log & WON == 0 { Settled::Lost } else { Settled::Won(taken) },
        nodes: 1 << (log & !WON).min(63),
    })
}

/// The hashes of positions, eight bytes each in little-endian order.
pub fn encode_path(path: &[u64]) -> Vec<u8> {
    path.iter().flat_map(|hash| hash.to_le_bytes()).collect()
}

/// The hashes that such bytes say, whatever they are.
pub fn decode_path(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (hashes, _) = bytes.as_chunks();
    hashes.iter().map(|&hash| u64::from_le_bytes(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_arrives() {
        let told = [
            Told { hash: u64::MAX - 5, settled: Settled::Lost, nodes: 64 },
            Told { hash: 7, settled: Settled::Won(255), nodes: 1 << 40 },
        ];
        let bytes = encode_told(&told);
        assert_eq!((bytes.len(), decode_told(&bytes).collect::<Vec<_>>()), (2 * TOLD_BYTES, told.to_vec()));
        assert_eq!(decode_told(&bytes[..TOLD_BYTES + 3]).count(), 1);
        let path = encode_path(&[5, u64::MAX]);
        assert_eq!(decode_path(&path).collect::<Vec<_>>(), [5, u64::MAX]);
        assert_eq!(decode_path(&path[..15]).collect::<Vec<_>>(), [5]);
        assert_eq!(decode_told(&[255; TOLD_BYTES]).next().map(|told| told.nodes), Some(1 << 63));
    }
}
