//! Documents: anything serde can write, as JSON, named by owner and name.
//!
//! A document is cut into chunks of 4 KiB, each under its own key. sled keeps up to 17 values together in a page, and
//! writes pages above 128 KiB to files of their own without ever syncing them; pieces this small never get there.

use super::error::StoreError;
use super::record::take;

/// Bytes of a chunk.
const CHUNK_BYTES: usize = 4096;
/// First byte of the keys of documents.
const DOCUMENTS: u8 = b'd';
/// Bytes of the number of the chunk at the end of a key.
const CHUNK_NUMBER: usize = 4;

/// Names a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentName {
    /// The space or the job it belongs to.
    pub owner: String,
    /// Its name: letters, digits, `-`, `_` and `.`.
    pub name: String,
}

/// What the keys of all documents of owners that begin with `prefix` begin with.
pub(super) fn owners_prefix(prefix: &str) -> Vec<u8> {
    [&[DOCUMENTS], prefix.as_bytes()].concat()
}

/// What the keys of all documents of `owner` begin with.
pub(super) fn owner_prefix(owner: &str) -> Vec<u8> {
    [&[DOCUMENTS], owner.as_bytes(), &[0]].concat()
}

/// What the keys of the chunks of a document begin with.
pub(super) fn document_prefix(owner: &str, name: &str) -> Vec<u8> {
    [&[DOCUMENTS], owner.as_bytes(), &[0], name.as_bytes(), &[0]].concat()
}

/// The document whose first chunk has this key; `None` for other chunks.
pub(super) fn first_chunk_of(key: &[u8]) -> Option<DocumentName> {
    let (&DOCUMENTS, rest) = key.split_first()? else { return None };
    let names = rest.strip_suffix(&[0; CHUNK_NUMBER + 1])?;
    let end = names.iter().position(|&byte| byte == 0)?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    Some(DocumentName { owner: text(&names[..end])?, name: text(&names[end + 1..])? })
}

/// The chunks of a document, with their keys: the length and the CRC-32C of the text, then the text.
pub(super) fn encode(owner: &str, name: &str, json: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let length = (json.len() as u64).to_le_bytes();
    let bytes = [&length[..], &crc32c::crc32c(json).to_le_bytes(), json].concat();
    let key = |number: usize| [document_prefix(owner, name), (number as u32).to_be_bytes().to_vec()].concat();
    bytes.chunks(CHUNK_BYTES).enumerate().map(|(number, chunk)| (key(number), chunk.to_vec())).collect()
}

/// The text of the document whose chunks, joined, are `bytes`.
pub(super) fn decode(mut bytes: &[u8]) -> Option<&[u8]> {
    let length = u64::from_le_bytes(take(&mut bytes)?);
    let checksum = u32::from_le_bytes(take(&mut bytes)?);
    (bytes.len() as u64 == length && crc32c::crc32c(bytes) == checksum).then_some(bytes)
}

/// A document as JSON text.
pub(super) fn to_json<T: serde::Serialize>(owner: &str, name: &str, document: &T) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(document).map_err(|source| fault(owner, name, source))
}

/// A document from JSON text.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(owner: &str, name: &str, json: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(json).map_err(|source| fault(owner, name, source))
}

fn fault(owner: &str, name: &str, source: serde_json::Error) -> StoreError {
    StoreError::Document { owner: owner.to_owned(), name: name.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_cut_of_a_document_is_found() {
        let json = serde_json::to_vec(&"a document".repeat(800)).expect("JSON");
        let chunks = encode("owner", "name", &json);
        assert!(chunks.len() > 1);
        let bytes = chunks.into_iter().flat_map(|(_, chunk)| chunk).collect::<Vec<u8>>();
        assert_eq!(decode(&bytes), Some(&json[..]));
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end]), None, "cut at {end}");
        }
        for bit in 0..8 * bytes.len() {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&changed), None, "bit {bit}");
        }
    }
}
