//! Bases and values: what is written comes back, whole and in parts.

use proptest::prelude::*;

use super::{fresh, key, values};
use crate::ideal::Ideal;
use crate::store::{
    Codec, Commit, Damage, ShardKey, ShardKind, Spec, Store, StoreError, Unfit, Written, states_in_block,
};

pub(super) fn record(store: &Store, key: &ShardKey, written: Written) {
    let mut commit = Commit::new();
    commit.put_shard(key.clone(), written.record());
    store.commit(commit).unwrap();
}

/// Numbers that look random, and the same every time.
fn noise(count: usize) -> Vec<u64> {
    let mut state = 1u64;
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        *state ^ *state >> 29
    };
    (0..count).map(|_| next(&mut state)).collect()
}

#[test]
fn values_come_back_whole_and_in_ranges() {
    let (_directory, store) = fresh();
    for width in [1, 3, 4, 7, 32, 10_000] {
        // Limbs that are none for most widths: those blocks are stored as they are.
        let bits = if width == 4 { 57 } else { 64 };
        let limbs: Vec<u64> =
            noise(width * (65536 / 8 / width * 2 + 5)).iter().map(|limb| limb >> (64 - bits)).collect();
        let states = (limbs.len() / width) as u64;
        let written = store.write_values(&values(width as u16), width, &limbs).unwrap();
        assert_eq!(written.count, states);
        record(&store, &values(width as u16), written);
        let all = store.read_values(&values(width as u16)).unwrap();
        assert_eq!((all.width, &all.limbs), (width, &limbs));
        let block = states_in_block(width);
        for (first, count) in
            [(0, 1), (0, states), (states - 1, 1), (block - 1, 2), (block, 1), (1, block + 1), (3, 0), (states, 0)]
        {
            if first + count > states {
                continue;
            }
            let part = store.read_value_range(&values(width as u16), first, count).unwrap();
            assert_eq!(part.limbs, limbs[first as usize * width..(first + count) as usize * width]);
        }
        for (first, count) in [(states, 1), (0, states + 1), (u64::MAX, 2)] {
            let error = store.read_value_range(&values(width as u16), first, count).unwrap_err();
            assert!(matches!(error, StoreError::OutOfRange { .. }), "{error}");
        }
    }
}

#[test]
fn values_in_pieces_are_the_same_file() {
    let (_directory, store) = fresh();
    let limbs = noise(30_000);
    let whole = store.write_values(&values(1), 3, &limbs).unwrap();
    for piece in [1, 17, 8190, 8191, 20_000] {
        let mut writer = store.create_values(&values(1), 3).unwrap();
        for limbs in limbs.chunks(piece) {
            writer.extend(limbs).unwrap();
        }
        assert_eq!(writer.finish().unwrap(), whole);
    }
}

#[test]
fn no_values_and_no_bases_are_shards_too() {
    let (_directory, store) = fresh();
    let written = store.write_values(&values(1), 2, &[]).unwrap();
    record(&store, &values(1), written);
    assert_eq!(store.read_values(&values(1)).unwrap().limbs, [0; 0]);
    let bases = key(ShardKind::Bases, 1, 0);
    let written = store.write_bases::<2>(&bases, &[], |_| 0).unwrap();
    record(&store, &bases, written);
    assert_eq!(store.read_bases::<2>(&bases).unwrap(), []);
    assert!(store.open_shard(&bases).unwrap().is_empty());
}

#[test]
fn values_are_stored_without_the_room_above_them() {
    let (_directory, store) = fresh();
    let limbs: Vec<u64> = noise(40_000).chunks(4).flat_map(|value| [value[0] >> 7, value[1] >> 20, 0, 0]).collect();
    let written = store.write_values(&values(1), 4, &limbs).unwrap();
    // 101 bits are 13 bytes, and four values have a byte more. Each of 5 blocks has its entry in the index.
    assert_eq!(written.bytes, 32 + 10_000 * 13 + 2_500 + 5 * 40 + 96);
    record(&store, &values(1), written);
    assert_eq!(store.read_values(&values(1)).unwrap().limbs, limbs);
}

#[test]
fn candidates_are_bases() {
    let (_directory, store) = fresh();
    let candidates = key(ShardKind::Candidates, 1, 0);
    let bases = [Ideal([5u64, 1]), Ideal([1, 2])];
    let written = store.write_bases(&candidates, &bases, |_| 0).unwrap();
    record(&store, &candidates, written);
    assert_eq!(store.read_bases(&candidates).unwrap(), bases);
    assert_eq!(store.open_shard(&candidates).unwrap().spec().kind, ShardKind::Candidates);
    assert!(store.shard(&key(ShardKind::Bases, 1, 0)).unwrap().is_none());
}

#[test]
fn values_of_no_width_and_half_a_state_are_refused() {
    let (_directory, store) = fresh();
    for width in [0, usize::MAX] {
        let error = store.write_values(&values(1), width, &[1]).unwrap_err();
        assert!(matches!(error, StoreError::Unfit { what: Unfit::RecordLength(_), .. }), "{error}");
    }
    let error = store.write_values(&values(1), 2, &[1, 2, 3]).unwrap_err();
    assert!(matches!(error, StoreError::Unfit { what: Unfit::BlockLength(24), .. }), "{error}");
    assert!(super::shard_files(&store).is_empty());
}

#[test]
fn bases_must_ascend() {
    let (_directory, store) = fresh();
    for bases in [[2, 1], [1, 1]] {
        let error = store.write_bases(&key(ShardKind::Bases, 1, 0), &bases.map(|b| Ideal([b])), |_| 0).unwrap_err();
        assert!(matches!(error, StoreError::Unfit { what: Unfit::NotAscending, .. }), "{error}");
    }
    // Where one block ends and the next begins, too.
    let mut bases: Vec<_> = (0..4096).map(|b| Ideal([b])).collect();
    bases.swap(2047, 2048);
    let error = store.write_bases(&key(ShardKind::Bases, 1, 0), &bases, |_| 0).unwrap_err();
    assert!(matches!(error, StoreError::Unfit { what: Unfit::NotAscending, .. }), "{error}");
    assert!(super::shard_files(&store).is_empty());
}

#[test]
fn what_is_asked_for_must_be_what_is_stored() {
    let (_directory, store) = fresh();
    let bases = key(ShardKind::Bases, 1, 0);
    let written = store.write_bases(&bases, &[Ideal([1u64])], |_| 0).unwrap();
    record(&store, &bases, written);
    assert!(matches!(store.read_bases::<2>(&bases), Err(StoreError::Damaged { what: Damage::Kind, .. })));
    assert!(matches!(store.read_values(&bases), Err(StoreError::Damaged { what: Damage::Kind, .. })));
}

#[test]
fn the_payload_digest_knows_nothing_of_cuts_and_codecs() {
    let (_directory, store) = fresh();
    let words: Vec<u64> = (0..5000).map(|i| i * i).collect();
    let bases: Vec<_> = words.iter().map(|&word| Ideal([word])).collect();
    let expected = *blake3::hash(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>()).as_bytes();
    assert_eq!(store.write_bases(&values(1), &bases, |_| 0).unwrap().payload_digest, expected);
    assert_eq!(store.write_values(&values(2), 1, &words).unwrap().payload_digest, expected);
    for codec in [Codec::Raw, Codec::Lz4, Codec::Delta, Codec::Packed] {
        let spec = Spec { kind: ShardKind::Sample, codec, format: 9, record_bytes: 8 };
        let mut writer = store.create_shard(&values(3), spec).unwrap();
        for chunk in words.chunks(321) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|w| w.to_le_bytes()).collect();
            writer.push(&bytes, [0, 0]).unwrap();
        }
        assert_eq!(writer.finish().unwrap().payload_digest, expected);
    }
}

fn bases_come_back<const W: usize>(mut sets: Vec<[u64; W]>) {
    let (_directory, store) = fresh();
    sets.sort_by(|a, b| a.iter().rev().cmp(b.iter().rev()));
    sets.dedup();
    let bases: Vec<_> = sets.into_iter().map(Ideal).collect();
    let key = key(ShardKind::Bases, 3, 1);
    let written = store.write_bases(&key, &bases, |i| 10 * i as u64).unwrap();
    record(&store, &key, written);
    assert_eq!(store.read_bases::<W>(&key).unwrap(), bases);
    let file = store.open_shard(&key).unwrap();
    let reopened = store.open_shard(&key).unwrap().close();
    for (i, expected) in bases.chunks(crate::store::bases_in_block::<W>()).enumerate() {
        let first = i * crate::store::bases_in_block::<W>();
        assert_eq!(file.read_bases_block::<W>(i).unwrap(), expected);
        assert_eq!(reopened.open().unwrap().read_bases_block::<W>(i).unwrap(), expected);
        assert_eq!(reopened.head().meta(i).words, [expected[0].0[W - 1], 10 * first as u64]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn bases_of_one_word_come_back(
        sparse in prop::collection::vec(any::<u64>(), 0..3000),
        dense in prop::collection::vec(0u64..9000, 0..6000),
    ) {
        bases_come_back(sparse.into_iter().chain(dense).map(|word| [word]).collect());
    }

    #[test]
    fn bases_of_more_words_come_back(
        words in prop::collection::vec((any::<u64>(), any::<u64>(), 0u32..256), 1..4000),
    ) {
        // Few top words, so that several blocks begin with the same one.
        let shifted = |(a, b, shift): (u64, u64, u32)| (a >> (shift % 64), b >> (shift / 4 % 64));
        bases_come_back(words.iter().map(|&w| shifted(w)).map(|(a, b)| [a, b & 1]).collect());
        bases_come_back(words.iter().map(|&w| shifted(w)).map(|(a, b)| [a, b, b & 7, a & 1]).collect());
    }
}
