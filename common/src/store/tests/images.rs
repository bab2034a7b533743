//! Images are the bytes of the files; heads and stored blocks, taken from either, give the payload back.

use std::fs;

use super::{duals, fresh, key, some_bases, some_bytes, some_limbs, values};
use crate::ideal::Ideal;
use crate::store::{
    BlockFile, BlockHead, BlockImage, Codec, Damage, ImageWriter, ShardKind, Spec, Store, StoreError, Unfit, Written,
    bases_image, bytes_image, decode_bases, decode_bytes, decode_values, values_image,
};

fn assert_same(store: &Store, written: &Written, image: &BlockImage) {
    let path = store.directory().join(&written.file);
    assert_eq!(fs::read(&path).unwrap(), image.bytes);
    assert_eq!(image.head.record(written.file.clone()), written.clone().record());
    assert_eq!(image.bytes, [image.header(), image.blocks(), image.tail()].concat());
    let file = BlockFile::open(path).unwrap();
    assert_eq!(file.head(), &image.head);
    let (header, tail) = file.head_bytes().unwrap();
    assert_eq!((&header[..], &tail[..]), (image.header(), image.tail()));
    assert_eq!(BlockHead::parse(&header, &tail, image.bytes.len() as u64).as_ref(), Ok(&image.head));
    let mut stored = vec![1, 2, 3];
    file.read_stored(0..file.len(), &mut stored).unwrap();
    assert_eq!(stored, image.blocks());
    file.read_stored(0..0, &mut stored).unwrap();
    assert!(stored.is_empty());
}

#[test]
fn images_are_the_bytes_of_files() {
    let (_directory, store) = fresh();
    for (width, count) in [(2, 20_000), (2, 0), (4, 8), (3, 9000), (10_000, 20_000)] {
        let limbs = &some_limbs()[..count];
        let image = values_image(ShardKind::Values, width, limbs).unwrap();
        assert_same(&store, &store.write_values(&values(1), width, limbs).unwrap(), &image);
        let read = decode_values(&image.head, image.blocks()).unwrap();
        assert_eq!((read.width, &read.limbs[..]), (width, limbs));
    }
    for count in [0, 1, 65_536, 65_537, 150_000] {
        let bytes = &some_bytes()[..count];
        for key in [values(1), duals(1)] {
            let image = bytes_image(key.kind, bytes).unwrap();
            assert_same(&store, &store.write_bytes(&key, bytes).unwrap(), &image);
            assert_eq!(decode_bytes(&image.head, image.blocks()).as_deref(), Ok(bytes));
        }
    }
    for (kind, count) in [(ShardKind::Bases, 2500), (ShardKind::Candidates, 2500), (ShardKind::Bases, 0)] {
        let bases = &some_bases()[..count];
        let states_before = |i| 3 * i as u64;
        let image = bases_image(kind, bases, states_before).unwrap();
        assert_same(&store, &store.write_bases(&key(kind, 1, 0), bases, states_before).unwrap(), &image);
        assert_eq!(decode_bases::<2>(&image.head, image.blocks()).unwrap(), bases);
    }
}

#[test]
fn blocks_are_read_as_they_are_stored_and_checked() {
    let (_directory, store) = fresh();
    let image = values_image(ShardKind::Values, 2, &some_limbs()).unwrap();
    let path = store.directory().join(store.write_values(&values(1), 2, &some_limbs()).unwrap().file);
    let file = BlockFile::open(&path).unwrap();
    let (start, end) = (file.meta(1).offset as usize, file.meta(2).offset as usize);
    let mut stored = Vec::new();
    file.read_stored(1..2, &mut stored).unwrap();
    assert_eq!(stored, image.bytes[start..end]);
    assert_eq!(file.head().check(1, &stored), Ok(()));
    assert_eq!(file.head().check(1, &stored[1..]), Err(Damage::Length));
    assert_eq!(file.head().check(2, &stored), Err(Damage::Length));
    let mut raw = vec![0; file.meta(1).raw_bytes as usize];
    file.head().decode(1, &stored, &mut raw).unwrap();
    let mut expected = Vec::new();
    file.read(1, &mut expected).unwrap();
    assert_eq!(raw, expected);

    let mut bytes = image.bytes.clone();
    bytes[end - 1] ^= 1;
    fs::write(&path, &bytes).unwrap();
    file.read_stored(2..3, &mut stored).unwrap();
    let error = file.read_stored(0..3, &mut stored).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::Block(1), .. }), "{error}");
    bytes[8] = 7;
    fs::write(&path, &bytes).unwrap();
    let error = file.head_bytes().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { what: Damage::Version(7), .. }), "{error}");
}

#[test]
fn images_of_what_does_not_fit_are_refused() {
    let unfit = |image: Result<BlockImage, StoreError>| match image {
        Err(StoreError::Unfit { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(unfit(values_image(ShardKind::Values, 0, &[])), Unfit::RecordLength(0));
    assert_eq!(unfit(values_image(ShardKind::Values, 2, &[1, 2, 3])), Unfit::BlockLength(24));
    let mut bases = some_bases();
    bases.swap(1023, 1024);
    assert_eq!(unfit(bases_image(ShardKind::Bases, &bases, |_| 0)), Unfit::NotAscending);
    let spec = Spec { kind: ShardKind::Sample, codec: Codec::Delta, format: 1, record_bytes: 24 };
    let error = ImageWriter::new(spec).unwrap_err();
    assert_eq!(error.to_string(), "an image of sample cannot be written: records of 24 bytes do not fit the codec");
}

#[test]
fn what_is_decoded_must_be_all_of_it_and_sound() {
    let image = bases_image(ShardKind::Bases, &some_bases(), |_| 0).unwrap();
    let blocks = image.blocks();
    assert_eq!(decode_bases::<1>(&image.head, blocks), Err(Damage::Kind));
    assert_eq!(decode_values(&image.head, blocks), Err(Damage::Kind));
    assert_eq!(decode_bytes(&image.head, blocks), Err(Damage::Kind));
    assert_eq!(decode_bases::<2>(&image.head, &blocks[1..]), Err(Damage::Length));
    assert_eq!(decode_bases::<2>(&image.head, &[blocks, &[0]].concat()), Err(Damage::Length));
    let mut flipped = blocks.to_vec();
    flipped[0] ^= 1;
    assert_eq!(decode_bases::<2>(&image.head, &flipped), Err(Damage::Block(0)));
    let mut turned = ImageWriter::new(image.head.spec()).unwrap();
    [[2; 16], [1; 16]].iter().for_each(|block| turned.push(block, [0, 0]).unwrap());
    let turned = turned.finish().unwrap();
    assert_eq!(decode_bases::<2>(&turned.head, turned.blocks()), Err(Damage::Inconsistent));
    let none = bases_image::<2>(ShardKind::Bases, &[], |_| 0).unwrap();
    assert_eq!(decode_bases::<2>(&none.head, &[]), Ok(Vec::<Ideal<2>>::new()));
    assert!(none.head.is_empty());
}
