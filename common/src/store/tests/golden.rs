//! The bytes on disk, as FORMATS.md describes them. A change here is a change of format, and takes a new version.

use super::{fresh, hex, key};
use crate::ideal::Ideal;
use crate::store::document;
use crate::store::{ShardKey, ShardKind, ShardRecord, Store, Written};

#[test]
fn the_key_and_record_of_a_shard() {
    let key = ShardKey { owner: "boolean-7".into(), kind: ShardKind::Values, layer: 300, shard: 65538 };
    assert_eq!(key.encode(), b"sboolean-7\0\x02\x01\x2c\x00\x01\x00\x02");
    assert_eq!(ShardKey::decode(&key.encode()), Some(key.clone()));
    assert_eq!(key.file_stem(), "shards/boolean-7/values-0300-065538");
    let candidates = ShardKey { kind: ShardKind::Candidates, ..key.clone() };
    assert_eq!(candidates.encode(), b"sboolean-7\0\x04\x01\x2c\x00\x01\x00\x02");
    assert_eq!(ShardKey::decode(&candidates.encode()), Some(candidates.clone()));
    assert_eq!(candidates.file_stem(), "shards/boolean-7/candidates-0300-065538");
    let duals = ShardKey { kind: ShardKind::Duals, ..key.clone() };
    assert_eq!(duals.encode(), b"sboolean-7\0\x05\x01\x2c\x00\x01\x00\x02");
    assert_eq!(ShardKey::decode(&duals.encode()), Some(duals.clone()));
    assert_eq!(duals.file_stem(), "shards/boolean-7/duals-0300-065538");
    let record = ShardRecord {
        file: "shards/boolean-7/values-0300-065538-0a0b0c0d.shard".into(),
        count: 258,
        bytes: 3,
        digest: [0xdd; 32],
        file_digest: [0xff; 32],
        format: 1,
    };
    let expected = [
        &[1, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0][..],
        &[0xdd; 32],
        &[0xff; 32],
        record.file.as_bytes(),
    ];
    assert_eq!(record.encode(), expected.concat());
    assert_eq!(ShardRecord::decode(&record.encode()), Some(record.clone()));
    for file in ["", "shards", "etc/passwd", "shards/../x", "shards//x", "/shards/x"] {
        let outside = ShardRecord { file: file.into(), ..record.clone() };
        let decoded = ShardRecord::decode(&outside.encode());
        assert!(decoded.is_none() || file == "shards", "{file}");
    }
}

#[test]
fn the_chunks_of_a_document() {
    let chunks = document::encode("job", "doc", br#"{"a":1}"#);
    let value = b"\x07\0\0\0\0\0\0\0\x6a\xd5\xf7\xcf{\"a\":1}";
    assert_eq!(chunks, [(b"djob\0doc\0\0\0\0\0".to_vec(), value.to_vec())]);
    assert_eq!(document::decode(value), Some(&br#"{"a":1}"#[..]));
    assert_eq!(document::decode(&value[..10]), None);
    let long = document::encode("job", "doc", &[b'x'; 4096]);
    assert_eq!(long[1], (b"djob\0doc\0\0\0\0\x01".to_vec(), vec![b'x'; 12]));
    let name = document::first_chunk_of(&long[0].0).unwrap();
    assert_eq!((&*name.owner, &*name.name), ("job", "doc"));
    assert_eq!(document::first_chunk_of(&long[1].0), None);
}

/// The parts of a file, in hexadecimal, against its bytes and its name.
fn assert_file(store: &Store, written: &Written, parts: &[&str]) {
    let bytes = std::fs::read(store.directory().join(&written.file)).unwrap();
    assert_eq!(hex(&bytes), parts.concat());
    assert_eq!(hex(&written.payload_digest), parts[parts.len() - 3]);
    assert_eq!(hex(&written.file_digest), parts[parts.len() - 2]);
    assert!(written.file.ends_with(&format!("-{}.shard", &parts[parts.len() - 2][..8])));
}

#[test]
fn a_file_of_values() {
    let (_directory, store) = fresh();
    let limbs = [1, 0, (1 << 57) - 1, 0x0102u64];
    let written = store.write_values(&key(ShardKind::Values, 3, 0), 2, &limbs).unwrap();
    let parts = [
        "4143424c4f434b53010002030200000010000000000000000000000000000000",
        // Bytes of a value; 1; bits 0 to 56, 58 and 65.
        "09",
        "010000000000000000",
        "ffffffffffffff0502",
        // Index: offset, lengths, checksum, zero, words.
        "20000000000000002000000013000000d558213900000000",
        "00000000000000000000000000000000",
        // Trailer: index offset, blocks, zero, payload length, digests, magic.
        "3300000000000000",
        "0100000000000000",
        "2000000000000000",
        "6075a677276d5e7f88cbf05f22893a6aa2dfede4380468eb68e317458cc9d5f8",
        "68eaba337b2b63af259dc71127b7a78db850b05b48cb3f5f4a362aa09d315700",
        "4143424c4b454e44",
    ];
    assert_file(&store, &written, &parts);
    assert_eq!(hex(blake3::hash(&limbs.map(u64::to_le_bytes).concat()).as_bytes()), parts[9]);
}

#[test]
fn a_file_of_bytes() {
    let (_directory, store) = fresh();
    let bytes = [1, 2, 3, 4, 5, 6, 7, 63, 0, 21];
    let written = store.write_bytes(&key(ShardKind::Duals, 3, 0), &bytes).unwrap();
    let parts = [
        "4143424c4f434b53010005040100000001000000000000000000000000000000",
        // Bits of a byte; eight bytes; two more and four bits of zero.
        "06",
        "8130108571fc",
        "4005",
        // Index: offset, lengths, checksum, zero, words.
        "20000000000000000a00000009000000fdbf13db00000000",
        "00000000000000000000000000000000",
        "2900000000000000",
        "0100000000000000",
        "0a00000000000000",
        "a774e723c01d9128000a6f11c108af029b1b17c560611e0290ab769a1d263097",
        "c8947a455809f1a0ae0cf0f98f086f4e6e1048519c0ebe24baccbe7a3cc417c5",
        "4143424c4b454e44",
    ];
    assert_file(&store, &written, &parts);
    assert_eq!(hex(blake3::hash(&bytes).as_bytes()), parts[9]);
}

#[test]
fn a_file_of_bases() {
    let (_directory, store) = fresh();
    let bases = [Ideal([1u64]), Ideal([0x81]), Ideal([1 << 63])];
    let written = store.write_bases(&key(ShardKind::Bases, 3, 0), &bases, |_| 7).unwrap();
    let parts = [
        "4143424c4f434b53010001020200000008000000000000000000000000000000",
        // 1; 128 more; 2^63 - 129 more.
        "01",
        "8001",
        "fffeffffffffffff7f",
        "2000000000000000180000000c000000fa173aae00000000",
        "01000000000000000700000000000000",
        "2c00000000000000",
        "0100000000000000",
        "1800000000000000",
        "1feb61c5fc0ff52393f90bbbc17793db94cade6e2b38bde2fac00bec19e0b6cc",
        "f70891c79ab4337c407f4f81c29053fe5c4df3799bc1d3673f9263cde875849b",
        "4143424c4b454e44",
    ];
    assert_file(&store, &written, &parts);
    assert_eq!(hex(blake3::hash(&bases.map(|base| base.0[0].to_le_bytes()).concat()).as_bytes()), parts[9]);
}
