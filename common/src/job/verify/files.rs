//! Every stored file of a job and of its space: its bytes against its digests, its record against the certificate.

use super::{Report, Subject};
use crate::job::JobError;
use crate::job::positions::records::Side;
use crate::job::table::hex;
use crate::parallel::crew;
use crate::store::{ShardKey, ShardKind, ShardRecord, StoreError};

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) -> Result<(), JobError> {
    let (store, certificate) = (subject.store, subject.certificate);
    let bases: Vec<_> = store.shards_of(&certificate.space, ShardKind::Bases)?.collect();
    let values: Vec<_> = store.shards_of(&certificate.job.0, ShardKind::Values)?.collect();
    let samples: Vec<_> = store.shards_of(&certificate.job.0, ShardKind::Sample)?.collect();
    let duals: Vec<_> = store.shards_of(&certificate.job.0, ShardKind::Duals)?.collect();
    let files = [&bases[..], &values, &duals, &samples].concat();
    bytes(subject, &files, report)?;
    let before = report.failures();
    for layer in &certificate.base_layers {
        let here: Vec<_> = of_layer(&bases, layer.size);
        let counts: Vec<u64> = here.iter().map(|(_, record)| record.count).collect();
        if !here.is_empty() && counts != layer.shards {
            report.fail(format!(
                "layer {} of {} has shards of {counts:?} bases, the certificate says {:?}",
                layer.size, certificate.space, layer.shards
            ));
        }
    }
    let mut kept = 0;
    let layers = certificate.value_layers.iter().map(|layer| (&values, layer.layer, &layer.shards));
    let positions = certificate.positions.iter().flat_map(|positions| &positions.layers).map(|layer| {
        let files = if layer.side == Side::Lower { &values } else { &duals };
        (files, layer.layer, &layer.shards)
    });
    for (files, layer, shards) in layers.chain(positions) {
        let here = of_layer(files, layer);
        kept += usize::from(!here.is_empty());
        if !here.is_empty() && here.len() != shards.len() {
            report.fail(format!(
                "{} of {} shards of values of layer {layer} of {} are stored: the others are missing",
                here.len(),
                shards.len(),
                certificate.job
            ));
        }
        for (key, record) in here {
            let expected = shards.get(key.shard as usize);
            if expected.is_none_or(|shard| shard.slots != record.count || shard.digest != hex(&record.digest)) {
                report.fail(format!("{} ({key}) is not what the certificate says of it", record.file));
            }
        }
    }
    let layers = bases.iter().map(|(key, _)| key.layer).collect::<std::collections::BTreeSet<_>>().len();
    report.pass_unless_failed_since(before, || {
        format!("their records agree with the certificate: bases of {layers} layers, values of {kept} layers")
    });
    Ok(())
}

fn of_layer(shards: &[(ShardKey, ShardRecord)], layer: usize) -> Vec<&(ShardKey, ShardRecord)> {
    shards.iter().filter(|(key, _)| usize::from(key.layer) == layer).collect()
}

/// Reads all files from end to end.
fn bytes(subject: &Subject<'_>, files: &[(ShardKey, ShardRecord)], report: &mut Report) -> Result<(), JobError> {
    let faults = crew(subject.threads(), files.iter(), Vec::new, |faults: &mut Vec<StoreError>, (_, record)| {
        if !subject.interrupt.is_requested() {
            faults.extend(subject.store.verify_file(record).err());
        }
    });
    subject.go_on()?;
    let before = report.failures();
    for fault in faults.into_iter().flatten() {
        report.tolerate(Err::<(), _>(fault))?;
    }
    let total: u64 = files.iter().map(|(_, record)| record.bytes).sum();
    report.pass_unless_failed_since(before, || match files.len() {
        0 => "no files are stored of it: it is small enough to be computed again".to_owned(),
        number => format!("all {number} files, {total} bytes, match their digests"),
    });
    Ok(())
}
