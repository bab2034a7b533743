//! Counts against the stored bases: every base is canonical and where it belongs, none is missing by a double count of
//! edges, and the ideals over them are as many as the certificate says.

use num_bigint::BigUint;

use super::{Report, Subject};
use crate::ideal::Labelled;
use crate::job::records::{SpaceLayer, bases_key};
use crate::job::space::number;
use crate::job::{JobError, Method, SizeCount};
use crate::parallel::crew;
use crate::space::code::Ranks;
use crate::space::layer::BaseLayer;
use crate::space::split::Split;
use crate::space::survey::survey;
use crate::store::ShardKind;
use crate::symmetry::Isa;

/// Bases a thread takes at a time.
const CHUNK: usize = 1024;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) -> Result<(), JobError> {
    let store = subject.store;
    if store.shards_of(&subject.certificate.space, ShardKind::Bases)?.len() == 0 {
        return Ok(());
    }
    let isa = Isa::detect();
    match (subject.certificate.method, subject.poset.words()) {
        (Method::Halves { .. }, _) => match Split::halves(subject.poset, isa) {
            Some(split) => recount(subject, &split, report),
            None => {
                report.fail(format!("{} has no lower half as the certificate has it", subject.poset.name()));
                Ok(())
            }
        },
        (Method::Plain { .. }, 1) => recount(subject, &Split::<1>::plain(subject.poset, isa), report),
        (Method::Plain { .. }, 2) => recount(subject, &Split::<2>::plain(subject.poset, isa), report),
        (Method::Plain { .. }, _) => recount(subject, &Split::<4>::plain(subject.poset, isa), report),
    }
}

fn recount<const W: usize>(subject: &Subject<'_>, split: &Split<W>, report: &mut Report) -> Result<(), JobError> {
    let certificate = subject.certificate;
    let ranks = Ranks::new();
    let before = report.failures();
    let (mut bases, mut ideals) = (0, BigUint::ZERO);
    // Labelled pairs of a base of the layer below and one with an element more, as seen from below.
    let mut edges_up: Option<Labelled> = None;
    for record in &certificate.base_layers {
        subject.go_on()?;
        if record.size > certificate.method.top() {
            report.fail(format!("a base layer of size {} lies beyond the largest ideals", record.size));
            break;
        }
        let Some(layer) = read(subject, record, report)? else {
            edges_up = None;
            continue;
        };
        let found = look_at(split, &layer, subject.threads());
        if found.misplaced > 0 {
            report.fail(format!(
                "{} bases of layer {} of {} are not canonical, or not where they belong",
                found.misplaced, layer.size, certificate.space
            ));
            edges_up = None;
            continue;
        }
        if let Some(edges) = edges_up.filter(|edges| *edges != found.edges_down) {
            report.fail(format!(
                "layer {} of {}: {edges} labelled pairs with a base of the layer below as seen from there, {} from here",
                layer.size, certificate.space, found.edges_down
            ));
        }
        edges_up = Some(found.edges_up);
        let survey = survey(split, &ranks, &layer, certificate.method.top(), subject.threads());
        let counts = survey.counts.iter().zip(layer.size..).map(|(count, size)| SizeCount {
            size,
            orbits: count.orbits.into(),
            labelled: number(count.labelled),
        });
        if !counts.eq(record.counts.iter().cloned()) || survey.slots != record.slots {
            report.fail(format!(
                "the ideals over the stored bases of layer {} of {} are not as many as the certificate says",
                layer.size, certificate.space
            ));
        }
        bases += layer.len();
        ideals += record.counts.iter().map(|count| &count.orbits).sum::<BigUint>();
    }
    report.pass_unless_failed_since(before, || {
        format!(
            "{bases} stored bases are canonical, none is missing by a double count of edges, and over them there are {ideals} \
             orbits of ideals, by layer and size as the certificate says"
        )
    });
    Ok(())
}

/// A stored layer of bases; `None` if it cannot be read, or was never stored: small jobs store no layers, but may share a
/// space with another one that has stored a few.
fn read<const W: usize>(
    subject: &Subject<'_>,
    record: &SpaceLayer,
    report: &mut Report,
) -> Result<Option<BaseLayer<W>>, JobError> {
    if SpaceLayer::load(subject.store, &subject.certificate.space, record.size)?.is_none() {
        return Ok(None);
    }
    let mut shards = Vec::with_capacity(record.shards.len());
    for shard in 0..record.shards.len() {
        let key = bases_key(&subject.certificate.space, record.size, shard);
        match report.tolerate(subject.store.read_bases::<W>(&key))? {
            Some(bases) => shards.push(bases),
            None => return Ok(None),
        }
    }
    Ok(Some(BaseLayer { size: record.size, shards }))
}

/// What a look at every base of a layer finds.
#[derive(Default)]
struct Found {
    misplaced: u64,
    /// Labelled pairs with a base of the layer above.
    edges_up: Labelled,
    /// Labelled pairs with a base of the layer below.
    edges_down: Labelled,
}

fn look_at<const W: usize>(split: &Split<W>, layer: &BaseLayer<W>, threads: usize) -> Found {
    let chunks = layer.shards.iter().flat_map(|shard| shard.chunks(CHUNK));
    let start = || (Found::default(), Vec::new());
    let parts = crew(threads, chunks, start, |(found, forms), bases| {
        forms.clear();
        split.symmetry.canonical_batch(bases, forms);
        for (base, form) in bases.iter().zip(&*forms) {
            let here = form.ideal == *base
                && base.len() == layer.size
                && base.is_subset(&split.whole_base)
                && base.iter().all(|x| split.lower_covers[x].is_subset(base));
            found.misplaced += u64::from(!here);
            if here {
                let orbit = split.symmetry.orbit_size(form);
                found.edges_up += orbit * Labelled::from(split.addable(*base).count());
                found.edges_down += orbit * Labelled::from(split.removable(*base).count());
            }
        }
    });
    // Ascending throughout the layer, so none is stored twice.
    let misordered = layer.iter().zip(layer.iter().skip(1)).filter(|(base, next)| base >= next).count() as u64;
    let found = Found { misplaced: misordered, ..Found::default() };
    parts.into_iter().fold(found, |sum, (part, _)| Found {
        misplaced: sum.misplaced + part.misplaced,
        edges_up: sum.edges_up + part.edges_up,
        edges_down: sum.edges_down + part.edges_down,
    })
}
