//! Values of a byte: what is written comes back, whole and one by one.

use std::fs;

use proptest::prelude::*;

use super::payloads::record;
use super::{duals, fresh, some_bytes, values};
use crate::store::{Commit, Damage, STATES_IN_BLOCK_OF_BYTES, ShardKey, Store, StoreError, bytes_image, decode_bytes};

fn damage<T: std::fmt::Debug>(read: Result<T, StoreError>) -> Damage {
    match read {
        Err(StoreError::Damaged { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

/// Reads the value of one state.
fn read_byte(store: &Store, key: &ShardKey, number: u64) -> Result<u8, StoreError> {
    let block = store.open_shard(key)?.read_bytes_block(number)?;
    let within = (number % STATES_IN_BLOCK_OF_BYTES) as usize;
    assert!(block.get(STATES_IN_BLOCK_OF_BYTES as usize).is_none());
    Ok(block.get(within).expect("the block has it"))
}

#[test]
fn bytes_come_back_whole_and_one_by_one() {
    let (_directory, store) = fresh();
    for count in [0, 1, 65_535, 65_536, 65_537, 150_000] {
        let bytes = &some_bytes()[..count];
        for key in [values(count as u16), duals(count as u16)] {
            let written = store.write_bytes(&key, bytes).unwrap();
            assert_eq!((written.count, written.blocks), (count as u64, count.div_ceil(65_536) as u32));
            assert_eq!(written.payload_digest, *blake3::hash(bytes).as_bytes());
            record(&store, &key, written);
            assert_eq!(store.read_bytes(&key).unwrap(), bytes);
            for number in [0, 1, 65_534, 65_535, 65_536, 131_071, 131_072, 149_999] {
                match read_byte(&store, &key, number) {
                    Ok(byte) => assert_eq!(byte, bytes[number as usize]),
                    Err(error) => {
                        assert!(number >= count as u64 && matches!(error, StoreError::OutOfRange { .. }), "{error}");
                    }
                }
            }
            let error = read_byte(&store, &key, u64::MAX).unwrap_err();
            assert!(matches!(error, StoreError::OutOfRange { first: u64::MAX, count: 1, .. }), "{error}");
        }
    }
}

#[test]
fn bytes_take_as_many_bits_as_the_largest_of_their_block() {
    let (_directory, store) = fresh();
    let mut bytes = vec![0; 3 * STATES_IN_BLOCK_OF_BYTES as usize];
    bytes[65_536] = 63;
    bytes[131_072] = 1;
    let written = store.write_bytes(&duals(1), &bytes).unwrap();
    assert_eq!(written.bytes, 32 + 1 + (1 + 6 * 8192) + (1 + 8192) + 3 * 40 + 96);
    record(&store, &duals(1), written);
    assert_eq!(store.read_bytes(&duals(1)).unwrap(), bytes);
}

#[test]
fn values_and_duals_of_a_layer_are_two_shards() {
    let (_directory, store) = fresh();
    for (key, bytes) in [(values(1), [1, 2]), (duals(1), [3, 4])] {
        let written = store.write_bytes(&key, &bytes).unwrap();
        record(&store, &key, written);
    }
    assert_eq!(store.read_bytes(&values(1)).unwrap(), [1, 2]);
    assert_eq!(store.read_bytes(&duals(1)).unwrap(), [3, 4]);
    let found: Vec<_> = store.shards_of("boolean-5", duals(1).kind).unwrap().map(|(key, _)| key).collect();
    assert_eq!(found, [duals(1)]);
    let mut commit = Commit::new();
    commit.remove_owner("boolean-5");
    store.commit(commit).unwrap();
    assert_eq!(super::shard_files(&store), [""; 0]);
}

#[test]
fn limbs_are_not_bytes_and_bytes_are_not_limbs() {
    let (_directory, store) = fresh();
    let written = store.write_values(&values(1), 1, &[1, 2, 3]).unwrap();
    record(&store, &values(1), written);
    assert_eq!(damage(store.read_bytes(&values(1))), Damage::Kind);
    assert_eq!(damage(read_byte(&store, &values(1), 0)), Damage::Kind);
    let written = store.write_bytes(&values(2), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    record(&store, &values(2), written);
    assert_eq!(damage(store.read_values(&values(2))), Damage::Kind);
    assert_eq!(damage(store.read_value_range(&values(2), 0, 1)), Damage::Kind);
}

/// Changes a byte of the recorded file.
fn flip(store: &Store, at: u64) {
    let file = store.shard(&duals(1)).unwrap().unwrap().file;
    let path = store.directory().join(file);
    let mut bytes = fs::read(&path).unwrap();
    bytes[at as usize] ^= 1;
    fs::write(&path, bytes).unwrap();
}

#[test]
fn damage_is_named_and_the_other_blocks_can_be_read() {
    let (_directory, store) = fresh();
    let bytes = some_bytes();
    let written = store.write_bytes(&duals(1), &bytes).unwrap();
    record(&store, &duals(1), written);
    let at = store.open_shard(&duals(1)).unwrap().meta(1).offset + 100;
    flip(&store, at);
    assert_eq!(damage(store.read_bytes(&duals(1))), Damage::Block(1));
    assert_eq!(damage(read_byte(&store, &duals(1), 65_536)), Damage::Block(1));
    assert_eq!(read_byte(&store, &duals(1), 65_535).unwrap(), bytes[65_535]);
    assert_eq!(read_byte(&store, &duals(1), 131_072).unwrap(), bytes[131_072]);
    flip(&store, 13);
    assert_eq!(damage(store.read_bytes(&duals(1))), Damage::Index);
}

#[test]
fn what_is_decoded_must_be_all_of_it_and_sound() {
    let image = bytes_image(duals(1).kind, &some_bytes()).unwrap();
    let blocks = image.blocks();
    assert_eq!(decode_bytes(&image.head, &blocks[1..]), Err(Damage::Length));
    assert_eq!(decode_bytes(&image.head, &[blocks, &[0]].concat()), Err(Damage::Length));
    let mut flipped = blocks.to_vec();
    flipped[image.head.meta(0).stored_bytes as usize] ^= 1;
    assert_eq!(decode_bytes(&image.head, &flipped), Err(Damage::Block(1)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bytes_come_back(seed in prop::collection::vec(any::<u8>(), 1..2000), count in 0usize..200_000, bits in 0u32..8) {
        let (_directory, store) = fresh();
        let bytes: Vec<u8> = seed.iter().map(|byte| byte >> bits).cycle().take(count).collect();
        let written = store.write_bytes(&duals(1), &bytes).unwrap();
        record(&store, &duals(1), written);
        prop_assert_eq!(&store.read_bytes(&duals(1)).unwrap(), &bytes);
        for number in (0..count).step_by(40_009) {
            prop_assert_eq!(read_byte(&store, &duals(1), number as u64).unwrap(), bytes[number]);
        }
        let image = bytes_image(duals(1).kind, &bytes).unwrap();
        prop_assert_eq!(decode_bytes(&image.head, image.blocks()), Ok(bytes));
    }
}
