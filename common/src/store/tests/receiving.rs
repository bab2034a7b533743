//! A shard that is received is the file that was sent, or there is no file.

use std::fs;

use super::{duals, fresh, key, shard_files, some_bases, some_bytes, some_limbs, values};
use crate::store::{
    BlockImage, Codec, Commit, Damage, ImageWriter, ShardKey, ShardKind, Spec, Store, StoreError, Written, bases_image,
    bytes_image, values_image,
};

/// Receives what is sent in those pieces; `file_bytes` is what the sender says.
fn receive(
    store: &Store,
    key: &ShardKey,
    (header, pieces, tail): (&[u8], &[&[u8]], &[u8]),
    file_bytes: u64,
) -> Result<Written, StoreError> {
    let mut receiver = store.receive_shard(key, header, tail, file_bytes)?;
    for piece in pieces {
        receiver.push(piece)?;
    }
    receiver.finish()
}

/// Receives an image with other bytes, all blocks at once.
fn receive_bytes(store: &Store, key: &ShardKey, image: &BlockImage, bytes: &[u8]) -> Result<Written, StoreError> {
    let (header, blocks) = bytes.split_at(image.header().len());
    let (blocks, tail) = blocks.split_at(image.blocks().len());
    receive(store, key, (header, &[blocks], tail), bytes.len() as u64)
}

fn damage(store: &Store, received: Result<Written, StoreError>) -> Damage {
    assert_eq!(shard_files(store), [""; 0]);
    match received {
        Err(StoreError::Damaged { what, file }) => {
            assert!(file.starts_with(store.directory()), "{file:?}");
            what
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_received_is_what_was_sent() {
    let images = [
        (values(1), values_image(ShardKind::Values, 2, &some_limbs()).unwrap()),
        (values(2), values_image(ShardKind::Values, 3, &[u64::MAX; 30_000]).unwrap()),
        (values(3), values_image(ShardKind::Values, 4, &[]).unwrap()),
        (key(ShardKind::Bases, 1, 0), bases_image(ShardKind::Bases, &some_bases(), |i| i as u64).unwrap()),
        (values(4), bytes_image(ShardKind::Values, &some_bytes()).unwrap()),
        (duals(4), bytes_image(ShardKind::Duals, &some_bytes()).unwrap()),
        (duals(5), bytes_image(ShardKind::Duals, &[]).unwrap()),
        (key(ShardKind::Candidates, 1, 3), bases_image(ShardKind::Candidates, &some_bases(), |_| 0).unwrap()),
    ];
    for (key, image) in images {
        let (_directory, store) = fresh();
        let one_by_one: Vec<&[u8]> = image
            .head
            .metas()
            .iter()
            .map(|meta| &image.bytes[meta.offset as usize..][..meta.stored_bytes as usize])
            .collect();
        let file_bytes = image.bytes.len() as u64;
        let written = receive(&store, &key, (image.header(), &one_by_one, image.tail()), file_bytes).unwrap();
        assert_eq!(receive_bytes(&store, &key, &image, &image.bytes).unwrap(), written);
        assert_eq!(shard_files(&store), std::slice::from_ref(&written.file));
        assert_eq!(fs::read(store.directory().join(&written.file)).unwrap(), image.bytes);
        let record = written.record();
        assert_eq!(record, image.head.record(record.file.clone()));
        let mut commit = Commit::new();
        commit.put_shard(key.clone(), record.clone());
        store.commit(commit).unwrap();
        store.verify_file(&record).unwrap();
    }
}

#[test]
fn every_flipped_byte_is_refused() {
    let (_directory, store) = fresh();
    let bases = &some_bases()[..40];
    let images = [
        (values(1), values_image(ShardKind::Values, 2, &some_limbs()[..30]).unwrap()),
        (duals(1), bytes_image(ShardKind::Duals, &some_bytes()[..300]).unwrap()),
        (key(ShardKind::Candidates, 1, 0), bases_image(ShardKind::Candidates, bases, |_| 0).unwrap()),
    ];
    for (key, image) in images {
        for at in 0..image.bytes.len() {
            let mut bytes = image.bytes.clone();
            bytes[at] ^= 0x41;
            damage(&store, receive_bytes(&store, &key, &image, &bytes));
        }
    }
}

#[test]
fn missing_and_further_bytes_are_refused() {
    let (_directory, store) = fresh();
    let image = values_image(ShardKind::Values, 2, &some_limbs()).unwrap();
    let (header, blocks, tail) = (image.header(), image.blocks(), image.tail());
    let first = image.head.meta(0).stored_bytes as usize;
    let bytes = image.bytes.len() as u64;
    let refused = |header: &[u8], pieces: &[&[u8]], tail: &[u8], bytes: u64| {
        damage(&store, receive(&store, &values(1), (header, pieces, tail), bytes))
    };
    assert_eq!(refused(header, &[], tail, bytes), Damage::Length);
    assert_eq!(refused(header, &[&blocks[..first]], tail, bytes), Damage::Length);
    assert_eq!(refused(header, &[&blocks[..first + 1]], tail, bytes), Damage::Length);
    assert_eq!(refused(header, &[&blocks[first..]], tail, bytes), Damage::Block(0));
    assert_eq!(refused(header, &[blocks, &[0]], tail, bytes), Damage::Length);
    assert_eq!(refused(header, &[blocks, blocks], tail, bytes), Damage::Length);
    assert_eq!(refused(header, &[blocks], tail, bytes + 1), Damage::Length);
    assert_eq!(refused(header, &[blocks], tail, 0), Damage::Length);
    assert_eq!(refused(header, &[blocks], &tail[1..], bytes), Damage::Length);
    assert_eq!(refused(header, &[blocks], &tail[40..], bytes - 40), Damage::Length);
    assert_eq!(refused(header, &[blocks], &[], bytes), Damage::Length);
    assert_eq!(refused(&header[1..], &[blocks], tail, bytes), Damage::Length);
    assert_eq!(refused(&[], &[blocks], tail, bytes), Damage::Length);
}

#[test]
fn what_is_not_of_the_kind_is_refused() {
    let (_directory, store) = fresh();
    let bases = bases_image(ShardKind::Bases, &some_bases(), |_| 0).unwrap();
    for key in [values(1), duals(1), key(ShardKind::Candidates, 1, 0)] {
        assert_eq!(damage(&store, receive_bytes(&store, &key, &bases, &bases.bytes)), Damage::Kind);
    }
    let block = vec![0; 1 << 16];
    let image = |kind, codec, format, blocks: &[(&[u8], u64)]| {
        let mut image = ImageWriter::new(Spec { kind, codec, format, record_bytes: 16 }).unwrap();
        blocks.iter().for_each(|(block, first)| image.push(block, [0, *first]).unwrap());
        image.finish().unwrap()
    };
    let of_values = |codec, format, blocks: &[(&[u8], u64)]| {
        let image = image(ShardKind::Values, codec, format, blocks);
        receive_bytes(&store, &values(1), &image, &image.bytes)
    };
    assert_eq!(damage(&store, of_values(Codec::Raw, 2, &[])), Damage::Kind);
    assert_eq!(damage(&store, of_values(Codec::Packed, 1, &[])), Damage::Kind);
    // Blocks that are cut or numbered otherwise would be looked for in the wrong place.
    let short = &block[16..];
    assert_eq!(damage(&store, of_values(Codec::Packed, 2, &[(short, 0), (&block, 4095)])), Damage::Inconsistent);
    assert_eq!(damage(&store, of_values(Codec::Packed, 2, &[(&block, 0), (short, 4095)])), Damage::Inconsistent);
    let bases = image(ShardKind::Bases, Codec::Delta, 2, &[(&[1; 16], 0), (&[2; 16], 0)]);
    let received = receive_bytes(&store, &key(ShardKind::Bases, 1, 0), &bases, &bases.bytes);
    assert_eq!(damage(&store, received), Damage::Inconsistent);
    assert!(of_values(Codec::Packed, 2, &[(&block, 0), (short, 4096)]).is_ok());
}

#[test]
fn bytes_that_are_cut_or_coded_otherwise_are_refused() {
    let (_directory, store) = fresh();
    let block = vec![3; 1 << 16];
    let received = |key: ShardKey, codec, format, record_bytes, blocks: &[(&[u8], u64)]| {
        let mut image = ImageWriter::new(Spec { kind: key.kind, codec, format, record_bytes }).unwrap();
        blocks.iter().for_each(|(block, first)| image.push(block, [0, *first]).unwrap());
        let image = image.finish().unwrap();
        receive_bytes(&store, &key, &image, &image.bytes)
    };
    let refused = |key, codec, format, record_bytes, blocks: &[(&[u8], u64)]| {
        damage(&store, received(key, codec, format, record_bytes, blocks))
    };
    assert_eq!(refused(duals(1), Codec::Lz4, 1, 1, &[(&block, 0)]), Damage::Kind);
    // Duals are bytes, and never limbs.
    assert_eq!(refused(duals(1), Codec::Packed, 2, 8, &[(&block, 0)]), Damage::Kind);
    let short = &block[1..];
    for key in [values(1), duals(1)] {
        assert_eq!(refused(key.clone(), Codec::Bits, 2, 1, &[(&block, 0)]), Damage::Kind);
        for blocks in
            [[(short, 0), (&block[..], 65_535)], [(&block[..], 0), (short, 65_535)], [(&block[..], 1), (short, 65_536)]]
        {
            assert_eq!(refused(key.clone(), Codec::Bits, 1, 1, &blocks), Damage::Inconsistent);
        }
    }
    for key in [values(1), duals(1)] {
        assert!(received(key, Codec::Bits, 1, 1, &[(&block, 0), (short, 65_536)]).is_ok());
    }
    let image = bytes_image(ShardKind::Duals, &block).unwrap();
    let (_directory, store) = fresh();
    assert_eq!(damage(&store, receive_bytes(&store, &values(1), &image, &image.bytes)), Damage::Kind);
}

#[test]
fn a_payload_with_another_digest_is_refused() {
    let (_directory, store) = fresh();
    // Blocks that match a head in which only the payload's digest is wrong.
    let image = values_image(ShardKind::Values, 1, &[1, 2, 3]).unwrap();
    let mut bytes = image.bytes.clone();
    let trailer = bytes.len() - 96;
    bytes[trailer + 24] ^= 1;
    let digested = [image.header(), &bytes[bytes.len() - image.tail().len()..trailer + 56]].concat();
    bytes[trailer + 56..trailer + 88].copy_from_slice(blake3::hash(&digested).as_bytes());
    assert_eq!(damage(&store, receive_bytes(&store, &values(1), &image, &bytes)), Damage::Contents);
}

#[test]
fn a_receiver_dropped_leaves_nothing_behind() {
    let (_directory, store) = fresh();
    let image = values_image(ShardKind::Values, 2, &some_limbs()).unwrap();
    let file_bytes = image.bytes.len() as u64;
    let mut receiver = store.receive_shard(&values(1), image.header(), image.tail(), file_bytes).unwrap();
    receiver.push(image.blocks()).unwrap();
    assert_eq!(receiver.head(), &image.head);
    assert_eq!(shard_files(&store).len(), 1);
    drop(receiver);
    assert_eq!(shard_files(&store), [""; 0]);
    let outside = ShardKey { owner: "../x".into(), ..values(1) };
    let error = store.receive_shard(&outside, image.header(), image.tail(), file_bytes).unwrap_err();
    assert!(matches!(error, StoreError::Name { .. }), "{error}");
}
