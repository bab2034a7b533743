//! Block files: whatever happens to their bytes, the answer is the contents or an error.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::format::{BlockMeta, HEADER_BYTES, Trailer, file_digest};
use super::{BlockFile, BlockFileWriter, Codec, MAX_BLOCK_BYTES, Spec};
use crate::store::error::{Damage, StoreError, Unfit};
use crate::store::record::ShardKind;

const CODECS: [Codec; 5] = [Codec::Raw, Codec::Lz4, Codec::Delta, Codec::Packed, Codec::Bits];

fn spec(codec: Codec) -> Spec {
    // Words, but for the codec that takes nothing but bytes.
    let record_bytes = if codec == Codec::Bits { 1 } else { 8 };
    Spec { kind: ShardKind::Sample, codec, format: 3, record_bytes }
}

/// Three blocks of ascending words, which every codec can take.
fn blocks() -> Vec<Vec<u8>> {
    let words: Vec<u64> = (0..40).map(|i| i * i * 77 + i).collect();
    words.chunks(15).map(|chunk| chunk.iter().flat_map(|word| word.to_le_bytes()).collect()).collect()
}

fn write(directory: &Path, spec: Spec, blocks: &[Vec<u8>]) -> PathBuf {
    let mut writer = BlockFileWriter::create(directory, "shards/x/sample", spec).unwrap();
    for (i, block) in blocks.iter().enumerate() {
        writer.push(block, [i as u64, 100 + i as u64]).unwrap();
    }
    directory.join(writer.finish().unwrap().file)
}

/// Everything a reader can learn of a file.
fn read(path: &Path) -> Result<(Spec, Vec<BlockMeta>, Vec<u8>), StoreError> {
    let file = BlockFile::open(path)?;
    let payload = file.read_all()?;
    let mut joined: Vec<u8> = Vec::new();
    let mut block = Vec::new();
    for i in 0..file.len() {
        file.read(i, &mut block)?;
        joined.extend(&block);
    }
    assert_eq!(payload, joined);
    file.verify()?;
    Ok((file.spec(), file.metas().to_vec(), payload))
}

#[test]
fn blocks_come_back_with_their_words() {
    let directory = tempfile::tempdir().unwrap();
    for codec in CODECS {
        let path = write(directory.path(), spec(codec), &blocks());
        let (found, metas, payload) = read(&path).unwrap();
        assert_eq!(found, spec(codec));
        assert_eq!(payload, blocks().concat());
        assert_eq!(metas.iter().map(|meta| meta.words).collect::<Vec<_>>(), [[0, 100], [1, 101], [2, 102]]);
        assert_eq!(BlockFile::open(&path).unwrap().count(), 320 / u64::from(spec(codec).record_bytes));
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let directory = tempfile::tempdir().unwrap();
    for codec in CODECS {
        let path = write(directory.path(), spec(codec), &blocks());
        let sound = read(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        let damaged = |bytes: &[u8], what: &str| {
            fs::write(&path, bytes).unwrap();
            match read(&path) {
                Err(StoreError::Damaged { file, .. }) => assert_eq!(file, path),
                Err(other) => panic!("{codec:?}, {what}: {other}"),
                Ok(contents) => assert_eq!(contents, sound, "{codec:?}, {what}"),
            }
        };
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[at] ^= flip;
                damaged(&flipped, &format!("byte {at} with {flip:#x}"));
            }
            damaged(&bytes[..at], &format!("cut at {at}"));
        }
        damaged(&[&bytes[..], &[0]].concat(), "a byte more");
        damaged(&[&bytes[..], &bytes[..]].concat(), "twice");
        damaged(&[&bytes[..40], &bytes[48..]].concat(), "eight bytes less");
    }
}

#[test]
fn a_forged_index_cannot_ask_for_memory() {
    // The digests are right, as in a file made on purpose: the lengths must be refused by themselves.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("forged.shard");
    let entry =
        |offset, raw_bytes, stored_bytes| BlockMeta { offset, raw_bytes, stored_bytes, checksum: 0, words: [0; 2] };
    let header_end = HEADER_BYTES as u64;
    let forge = |codec, entries: &[BlockMeta], payload_bytes, blocks| {
        let header = spec(codec).encode();
        let mut index = Vec::new();
        entries.iter().for_each(|entry| entry.encode(&mut index));
        let trailer = Trailer { index_offset: header_end + 16, blocks, payload_bytes, payload_digest: [0; 32] };
        let digest = file_digest(&header, &index, &trailer);
        fs::write(&path, [&header[..], &[0; 16], &index, &trailer.encode(&digest)].concat()).unwrap();
        match BlockFile::open(&path) {
            Err(StoreError::Damaged { what, .. }) => what,
            other => panic!("{other:?}"),
        }
    };
    let huge = MAX_BLOCK_BYTES as u32 + 8;
    for codec in CODECS {
        assert_eq!(forge(codec, &[entry(header_end, huge, 16)], huge.into(), 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end, 1 << 20, 16)], 1 << 20, 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end, 0, 16)], 0, 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end, 12, 16)], 12, 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end + 8, 16, 16)], 16, 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end, 16, 16)], 24, 1), Damage::Inconsistent);
        assert_eq!(forge(codec, &[entry(header_end, 16, 16)], 16, u32::MAX), Damage::Length);
    }
}

#[test]
fn a_newer_container_is_named_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let path = write(directory.path(), spec(Codec::Raw), &blocks());
    let mut bytes = fs::read(&path).unwrap();
    bytes[8] = 2;
    fs::write(&path, bytes).unwrap();
    let error = BlockFile::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::Version(2), .. }), "{error}");
}

#[test]
fn a_writer_dropped_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BlockFileWriter::create(directory.path(), "shards/x/sample", spec(Codec::Raw)).unwrap();
    writer.push(&[0; 1 << 16], [0, 0]).unwrap();
    let files = || fs::read_dir(directory.path().join("shards/x")).unwrap().count();
    assert_eq!(files(), 1);
    drop(writer);
    assert_eq!(files(), 0);
}

#[test]
fn two_writers_of_one_shard_do_not_meet() {
    let directory = tempfile::tempdir().unwrap();
    let mut writers: Vec<_> = (0..2)
        .map(|_| BlockFileWriter::create(directory.path(), "shards/x/sample", spec(Codec::Raw)).unwrap())
        .collect();
    writers.iter_mut().for_each(|writer| writer.push(&[7; 64], [0, 0]).unwrap());
    let written: Vec<_> = writers.into_iter().map(|writer| writer.finish().unwrap()).collect();
    assert_eq!(written[0], written[1]);
    assert_eq!(read(&directory.path().join(&written[0].file)).unwrap().2, [7; 64]);
}

#[test]
fn blocks_that_do_not_fit_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = BlockFileWriter::create(directory.path(), "shards/x/sample", spec(Codec::Raw)).unwrap();
    for length in [0, 7, MAX_BLOCK_BYTES + 8] {
        let error = writer.push(&vec![0; length], [0, 0]).unwrap_err();
        assert!(matches!(error, StoreError::Unfit { what: Unfit::BlockLength(l), .. } if l == length), "{error}");
    }
    writer.push(&vec![0; MAX_BLOCK_BYTES], [0, 0]).unwrap();
    let unfit = Spec { record_bytes: 24, ..spec(Codec::Delta) };
    let error = BlockFileWriter::create(directory.path(), "shards/x/sample", unfit).unwrap_err();
    assert!(matches!(error, StoreError::Unfit { what: Unfit::RecordLength(24), .. }), "{error}");
    let unfit = Spec { record_bytes: 2, ..spec(Codec::Bits) };
    let error = BlockFileWriter::create(directory.path(), "shards/x/sample", unfit).unwrap_err();
    assert!(matches!(error, StoreError::Unfit { what: Unfit::RecordLength(2), .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_come_back(
        blocks in prop::collection::vec(prop::collection::vec(prop::array::uniform8(0u8..3), 1..400), 0..5),
        lz4: bool,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let blocks: Vec<Vec<u8>> = blocks.into_iter().map(|block| block.concat()).collect();
        let codec = if lz4 { Codec::Lz4 } else { Codec::Raw };
        let path = write(directory.path(), spec(codec), &blocks);
        prop_assert_eq!(read(&path).unwrap().2, blocks.concat());
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(
        stored in prop::collection::vec(any::<u8>(), 0..300),
        raw in 0usize..40,
        record in prop::sample::select(vec![8u32, 16, 32]),
    ) {
        let mut block = vec![0; raw * record as usize];
        for codec in CODECS {
            if codec.decode(&stored, record, &mut block).is_some() && codec == Codec::Delta {
                let mut again = Vec::new();
                codec.encode(&block, record, &mut again).unwrap();
                prop_assert!(again.len() <= stored.len());
            }
        }
    }
}
