//! The digest of a job: one number for its values and counts, the same on every machine.
//!
//! It is the BLAKE3 of a text, described in FORMATS.md, that any program can write again from the certificate.

use num_bigint::BigUint;

use super::estimation::{EstimateRecord, Sampling};
use super::positions::records::Positions;
use super::records::{JOB_FORMAT, ValueLayer};
use super::{JobSpec, SizeCount};

/// The digest, in hexadecimal digits.
pub(super) fn job_digest(
    spec: &JobSpec,
    sizes: &[SizeCount],
    value: Option<&BigUint>,
    layers: &[ValueLayer],
    positions: Option<&Positions>,
) -> String {
    blake3::hash(text(spec, sizes, value, layers, positions).as_bytes()).to_hex().to_string()
}

/// The digest of the ruler on set partitions.
pub(super) fn ruler_digest(spec: &JobSpec, sizes: &[SizeCount], heights: &[u32]) -> String {
    let mut text = text(spec, sizes, heights.last().map(|&height| height.into()).as_ref(), &[], None);
    heights.iter().for_each(|height| text.push_str(&format!("h {height}\n")));
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The digest of an estimate.
pub(super) fn estimate_digest(spec: &JobSpec, exact: Option<&BigUint>, record: &EstimateRecord) -> String {
    let mut text = text(spec, &[], exact, &[], None);
    if let Some(Sampling { frontier, seed, batches }) = spec.sampling {
        text.push_str(&format!("sampling {frontier} {seed} {batches}\n"));
    }
    if let Some((first, last)) = record.random_sizes {
        text.push_str(&format!("random {first} {last}\n"));
    }
    for &batch in &record.batches {
        let (mantissa, exponent) = batch.into();
        text.push_str(&format!("batch {mantissa} {exponent}\n"));
    }
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn text(
    spec: &JobSpec,
    sizes: &[SizeCount],
    value: Option<&BigUint>,
    layers: &[ValueLayer],
    positions: Option<&Positions>,
) -> String {
    let or_none = |number: Option<String>| number.unwrap_or_else(|| "none".to_owned());
    let mut lines = vec![
        format!("antichain job {JOB_FORMAT}"),
        format!("question {}", spec.question),
        format!("poset {}", spec.poset),
        format!("limits {} {}", spec.limits.min, or_none(spec.limits.max.map(|max| max.to_string()))),
        format!("value {}", or_none(value.map(ToString::to_string))),
    ];
    lines.extend(sizes.iter().map(|count| format!("size {} {} {}", count.size, count.orbits, count.labelled)));
    for layer in layers {
        lines.push(format!("layer {} {} {}", layer.layer, layer.width, layer.slots));
        lines.extend(layer.shards.iter().map(|shard| format!("shard {} {}", shard.slots, shard.digest)));
    }
    for layer in positions.iter().flat_map(|positions| &positions.layers) {
        lines.push(format!("{} {} {}", layer.side, layer.layer, layer.slots));
        lines.extend(layer.shards.iter().map(|shard| format!("shard {} {}", shard.slots, shard.digest)));
    }
    for count in positions.iter().flat_map(|positions| &positions.counts) {
        lines.push(format!("positions {} {} {} {}", count.size, count.value, count.orbits, count.labelled));
    }
    lines.push(String::new());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::records::ValueShard;
    use super::super::{Question, SizeLimits};
    use super::*;

    #[test]
    fn the_text_is_that_of_the_formats_page() {
        let limits = SizeLimits { min: 0, max: Some(1) };
        let spec =
            JobSpec { question: Question::Extensions, poset: "chain:2".into(), limits, position: None, sampling: None };
        let sizes = [SizeCount { size: 0, orbits: 1u32.into(), labelled: 1u32.into() }];
        let shards = vec![ValueShard { slots: 1, digest: "ab".into() }];
        let layer =
            ValueLayer { layer: 0, bases: 1, width: 1, slots: 1, shards, sums: Vec::new(), joined: BigUint::ZERO };
        assert_eq!(
            text(&spec, &sizes, None, &[layer], None),
            "antichain job 3\nquestion extensions\nposet chain:2\nlimits 0 1\nvalue none\nsize 0 1 1\nlayer 0 1 1\nshard 1 ab\n"
        );
    }
}
