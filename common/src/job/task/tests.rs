//! Jobs done task by task, in odd orders, against runs in one go.

use std::collections::BTreeMap;

use super::*;
use crate::huge::Words;
use crate::job::certificate::Certificate;
use crate::job::conclude::Found;
use crate::job::records::{SpaceLayer, ValueLayer, ValueShard, add_counts};
use crate::job::table::{hex, widen};
use crate::job::trial::HALVES;
use crate::job::{Positions, Question, RunOptions, SizeLimits, method, run};
use crate::poset::Poset;
use crate::recurrence::limbs::value;
use crate::store::{ShardKind, Store, bases_image, decode_bases, decode_values, values_image};

/// Runs a job in one go, values kept.
fn in_one_go(spec: &JobSpec) -> Certificate {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let poset: Poset = spec.poset.parse().expect("a poset");
    let interrupt = Interrupt::new();
    let options = RunOptions {
        threads: 2,
        memory: 4 << 30,
        checkpoint: std::time::Duration::MAX,
        keep_values: true,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let answer = run(&store, spec.question, &poset, spec.limits, &options).expect("an answer");
    Certificate::load(&store, &answer.job).expect("a store").expect("a certificate")
}

/// Values of a layer, where slots that nobody said to need are spoilt.
fn table(shards: &[BlockImage], needed: &Needed, width: usize) -> Words {
    let values: Vec<_> =
        shards.iter().map(|image| decode_values(&image.head, image.blocks()).expect("values").limbs).collect();
    let slots = values.iter().map(|limbs| limbs.len() / width).sum::<usize>();
    let mut words = Words::zeroed(slots * width);
    words.copy_from_slice(&values.concat());
    for slot in 0..slots {
        if !needed.is_any(slot as u64..slot as u64 + 1) {
            words[slot * width..][..width].fill(u64::MAX >> 8);
        }
    }
    words
}

/// What a machine may use.
fn effort<'a>(threads: usize, interrupt: &'a Interrupt, scratch: &'a Path) -> Effort<'a> {
    Effort { threads, memory: 4 << 30, interrupt, scratch }
}

/// All layers, and the edges that lead into each, from candidates in an odd order.
fn enumerated(engine: &dyn Engine, effort: &Effort<'_>) -> Vec<(Merged, u64)> {
    let mut layers = vec![(engine.first_layer().expect("the empty base"), 0)];
    for layer in 1..=engine.last_layer() {
        let below = &layers[layer - 1].0.shards;
        let mut found: Vec<_> =
            below.iter().map(|shard| engine.enumerate(&shard.image, layer, effort).expect("candidates")).collect();
        let edges = found.iter().map(|(f, _)| if let Findings::Enumerated { edges } = f { *edges } else { 0 }).sum();
        found.reverse();
        let images: Vec<_> = found.into_iter().map(|(_, image)| image).collect();
        layers.push((engine.merge(&images, layer).expect("a layer"), edges));
    }
    layers
}

/// The record of a layer of the space.
fn space_layer<'a>(
    spec: &JobSpec,
    layer: usize,
    (merged, edges): &(Merged, u64),
    solved: impl Iterator<Item = &'a Solved>,
) -> SpaceLayer {
    let poset: Poset = spec.poset.parse().expect("a poset");
    let mut space = SpaceLayer {
        size: layer,
        shards: merged.shards.iter().map(|shard| shard.bases).collect(),
        edges: *edges,
        top: method(spec.question, &poset, spec.limits).top(),
        slots: merged.shards.iter().map(|shard| shard.slots).sum(),
        counts: Vec::new(),
    };
    solved.for_each(|solved| add_counts(&mut space.counts, &solved.counts));
    space
}

/// Cuts the shards of a layer into pieces.
fn cut(merged: &mut Merged, pieces: usize) {
    let shards = std::mem::take(&mut merged.shards);
    for shard in shards {
        let bases = decode_bases::<1>(&shard.image.head, shard.image.blocks()).expect("bases");
        for piece in bases.chunks(bases.len().div_ceil(pieces)) {
            let image = bases_image(ShardKind::Bases, piece, |_| 0).expect("an image");
            merged.shards.push(MergedShard { image, bases: piece.len() as u64, slots: 0 });
        }
    }
}

/// Does a game task by task, the shards of a layer backwards, each from a replica that was made from files, and concludes
/// it. With `pieces` layers have so many shards.
fn game_by_tasks(spec: &JobSpec, threads: usize, pieces: Option<usize>) -> Certificate {
    let engine = engine(spec).expect("an engine");
    let (interrupt, scratch) = (Interrupt::new(), tempfile::tempdir().expect("a folder"));
    let effort = effort(threads, &interrupt, scratch.path());
    let mut layers = enumerated(&*engine, &effort);
    if let Some(pieces) = pieces {
        layers.iter_mut().for_each(|(merged, _)| cut(merged, pieces));
    }
    fn all(images: &[BlockImage]) -> Vec<&BlockImage> {
        images.iter().collect()
    }
    let last = engine.last_layer();
    let mut spaces = Vec::new();
    let mut replica = engine.replica().expect("a game");
    // As of a machine that comes late.
    let mut latecomer = engine.replica().expect("a game");
    let mut positions = Positions::default();
    let mut files = Vec::new();
    for (layer, of) in layers.iter().enumerate() {
        assert_eq!(replica.missing(Side::Lower, layer), None);
        let bases: Vec<BlockImage> = of.0.shards.iter().map(|shard| shard.image.clone()).collect();
        let value = |bases: &BlockImage| match replica.value_lower(layer, bases, &effort).expect("valued") {
            (Findings::Solved(solved), image) => (solved, image),
            _ => panic!("solved"),
        };
        let mut solved: Vec<(Solved, BlockImage)> = bases.iter().rev().map(value).collect();
        solved.reverse();
        let values: Vec<BlockImage> = solved.iter().map(|(_, image)| image.clone()).collect();
        spaces.push(space_layer(spec, layer, of, solved.iter().map(|(solved, _)| solved)));
        positions.add_layer(Side::Lower, layer, solved.iter().filter_map(|(solved, _)| solved.positions.as_ref()));
        assert!(replica.add_lower(&bases, &all(&values)[1..], &effort).is_err(), "a file is missing");
        replica.add_lower(&bases, &all(&values), &effort).expect("added");
        files.push((bases, values));
    }
    for layer in (0..=last).rev().filter(|_| engine.has_duals()) {
        while let Some((side, missing)) = latecomer.missing(Side::Upper, layer) {
            assert_eq!((side, missing), Side::of_turn(side.turn(missing, last), last));
            let (bases, values) = &files[side.turn(missing, last)];
            let added = match side {
                Side::Lower => latecomer.add_lower(bases, &all(values), &effort),
                Side::Upper => latecomer.add_upper(&all(values), &effort),
            };
            added.expect("added");
        }
        let shards = files[layer].0.len();
        let value = |shard: usize| match latecomer.value_upper(layer, shard, &effort).expect("valued") {
            (Findings::Duals(valued), image) => (valued, image),
            _ => panic!("duals"),
        };
        let mut valued: Vec<(ValuedShard, BlockImage)> = (0..shards).rev().map(value).collect();
        valued.reverse();
        positions.add_layer(Side::Upper, layer, valued.iter().map(|(valued, _)| valued));
        assert!(latecomer.value_upper(layer, shards, &effort).is_err(), "no such shard");
        files.push((Vec::new(), valued.into_iter().map(|(_, image)| image).collect()));
    }
    let poset: Poset = spec.poset.parse().expect("a poset");
    let value = positions.value_of_only(poset.len()).unwrap_or_default();
    let found = Found {
        poset: &poset,
        spec: engine.spec(),
        method: method(spec.question, &poset, spec.limits),
        space: engine.space(),
        layers: spaces.iter().collect(),
        values: None,
        positions: Some((value, positions)),
    };
    found.certificate().expect("all checks hold")
}

/// Does a job task by task, the shards of a layer backwards, and concludes it.
fn by_tasks(spec: &JobSpec, threads: usize) -> Certificate {
    let engine = engine(spec).expect("an engine");
    let (interrupt, scratch) = (Interrupt::new(), tempfile::tempdir().expect("a folder"));
    let effort = effort(threads, &interrupt, scratch.path());
    let mut indices: Vec<LayerIndex> = Vec::new();
    let mut tables: Vec<(Vec<BlockImage>, usize)> = Vec::new();
    let (mut spaces, mut values) = (Vec::new(), Vec::new());
    for (layer, of) in enumerated(&*engine, &effort).iter().enumerate() {
        let shards: Vec<BlockImage> = of.0.shards.iter().map(|shard| shard.image.clone()).collect();
        indices.push(engine.index(&shards, layer, threads).expect("an index"));
        let mut solved: BTreeMap<usize, (Solved, Option<BlockImage>)> = BTreeMap::new();
        for number in (0..shards.len()).rev() {
            let below = layer.checked_sub(1).map(|below| &indices[below]);
            let task = engine.prepare_solve(&shards[number], layer, below, &effort).expect("prepared");
            let words: Vec<(Words, usize)> = task
                .needed()
                .iter()
                .map(|(layer, needed)| (table(&tables[*layer].0, needed, tables[*layer].1), tables[*layer].1))
                .collect();
            let read: Vec<Table<'_>> = words.iter().map(|(words, width)| Table { words, width: *width }).collect();
            let (findings, image) = task.finish(&read, &effort).expect("solved");
            let Findings::Solved(findings) = findings else { panic!("solved") };
            solved.insert(number, (findings, image));
        }
        let space = space_layer(spec, layer, of, solved.values().map(|(solved, _)| solved));
        if engine.has_values() {
            // Wide shards make all of the layer wide.
            let width = solved.values().filter_map(|(s, _)| s.values.as_ref()).map(|v| v.width).max().expect("a shard");
            let mut record = ValueLayer::empty(layer, &space, width);
            let mut images = Vec::new();
            for (solved, image) in solved.values() {
                let (values, image) = (solved.values.as_ref().expect("values"), image.as_ref().expect("a file"));
                let mut words = Words::zeroed(image.head.count() as usize * width);
                let limbs = decode_values(&image.head, image.blocks()).expect("values").limbs;
                words[..limbs.len()].copy_from_slice(&limbs);
                widen(&mut words, solved.slots as usize, values.width, width);
                let image = values_image(ShardKind::Values, width, &words).expect("an image");
                record.add_sums(&values.sums);
                record.shards.push(ValueShard { slots: solved.slots, digest: hex(&image.head.payload_digest()) });
                images.push(image);
            }
            tables.push((images, width));
            if let Some(duals) = engine.layer_of_duals(layer) {
                for number in 0..shards.len() {
                    let task =
                        engine.prepare_join(number, &indices[layer], &indices[duals], &effort).expect("prepared");
                    let words: Vec<(Words, usize)> = task
                        .needed()
                        .iter()
                        .map(|(layer, needed)| (table(&tables[*layer].0, needed, tables[*layer].1), tables[*layer].1))
                        .collect();
                    let read: Vec<Table<'_>> =
                        words.iter().map(|(words, width)| Table { words, width: *width }).collect();
                    let (Findings::Joined { joined }, None) = task.finish(&read, &effort).expect("joined") else {
                        panic!("joined")
                    };
                    record.joined += joined;
                }
            }
            values.push(record);
        }
        spaces.push(space);
    }
    let poset: Poset = spec.poset.parse().expect("a poset");
    let values = engine.has_values().then(|| {
        let joined: BigUint = values.iter().map(|layer| &layer.joined).sum();
        let (images, width) = tables.last().expect("a layer");
        let top = || value(&decode_values(&images[0].head, images[0].blocks()).expect("values").limbs[..*width]);
        (if engine.layer_of_duals(engine.last_layer()).is_some() { joined } else { top() }, values)
    });
    let (spec, method) = (engine.spec(), method(spec.question, &poset, spec.limits));
    let found = Found {
        poset: &poset,
        spec,
        method,
        space: engine.space(),
        layers: spaces.iter().collect(),
        values,
        positions: None,
    };
    found.certificate().expect("all checks hold")
}

#[test]
fn a_job_done_by_tasks_is_the_job_done_in_one_go() {
    for (question, poset, max) in [
        (Question::Extensions, "boolean:4", None),
        (Question::Extensions, "boolean:5", None),
        (Question::Extensions, "chains:3x3x3", None),
        (Question::Extensions, "chains:5x4x4", None),
        (Question::Extensions, "chains:3x3x3x2", Some(20)),
        (Question::Extensions, "boolean:7", Some(20)),
        (Question::Extensions, "antichain:30", None),
        (Question::Extensions, "divisors:720", None),
        (Question::Ideals, "boolean:6", None),
        (Question::Ideals, "chains:4x4x4", None),
    ] {
        let poset: Poset = poset.parse().expect("a poset");
        let spec = JobSpec::new(question, &poset, SizeLimits { min: 0, max });
        let expected = in_one_go(&spec);
        for threads in [1, 3] {
            assert_eq!(by_tasks(&spec, threads), expected, "{spec:?}");
        }
    }
}

#[test]
fn a_game_done_by_tasks_is_the_game_done_in_one_go() {
    for (question, poset, max) in [
        (Question::Grundy, "boolean:4", None),
        (Question::Grundy, "boolean:6", None),
        (Question::Outcome, "boolean:5", None),
        (Question::Remoteness, "chains:4x4x3", None),
        (Question::Outcome, "boolean:5:3", None),
        (Question::Grundy, "chains:3x3x2x2", None),
        (Question::Grundy, "boolean:6", Some(12)),
        // A Grundy value beyond a word.
        (Question::Grundy, "chains:90", None),
    ] {
        let poset: Poset = poset.parse().expect("a poset");
        let spec = JobSpec::new(question, &poset, SizeLimits { min: 0, max });
        let expected = in_one_go(&spec);
        for threads in [1, 3] {
            assert_eq!(game_by_tasks(&spec, threads, None), expected, "{spec:?}");
        }
    }
}

#[test]
fn a_game_of_two_sides_is_done_by_tasks() {
    let poset: Poset = HALVES.parse().expect("a poset");
    let spec = JobSpec::new(Question::Grundy, &poset, SizeLimits::NONE);
    assert!(engine(&spec).expect("an engine").has_duals());
    let expected = in_one_go(&spec);
    assert_eq!(game_by_tasks(&spec, 2, None), expected);
    let by_pieces = game_by_tasks(&spec, 1, Some(3));
    let counts = |certificate: &Certificate| certificate.positions.as_ref().map(|positions| positions.counts.clone());
    assert_eq!(counts(&by_pieces), counts(&expected));
    assert!(by_pieces.base_layers.iter().any(|layer| layer.shards.len() == 3));
}

#[test]
fn a_small_job_is_one_task() {
    let poset: Poset = "boolean:5".parse().expect("a poset");
    let spec = JobSpec::new(Question::Extensions, &poset, SizeLimits::NONE);
    let (interrupt, scratch) = (Interrupt::new(), tempfile::tempdir().expect("a folder"));
    let effort = effort(2, &interrupt, scratch.path());
    let Findings::Whole(certificate) = engine(&spec).expect("an engine").whole(&effort).expect("done") else {
        panic!("a certificate")
    };
    assert_eq!(certificate.digest, in_one_go(&spec).digest);
    assert_eq!(std::fs::read_dir(scratch.path()).expect("a folder").count(), 0, "nothing stays");
}
