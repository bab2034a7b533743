//! What must hold of a result by a theorem or by publication, checked before it is given away.

use num_bigint::BigUint;

use super::positions::records::Positions;
use super::records::{SpaceLayer, ValueLayer};
use super::{JobError, Method, SizeCount};
use crate::known;
use crate::poset::{Family, Poset};

/// What a run found.
pub(super) struct Findings<'a> {
    pub poset: &'a Poset,
    pub method: Method,
    /// Ideals by size, from 0 on, as far as they were counted.
    pub counted: &'a [SizeCount],
    /// Ideals by size, those that follow by duality included.
    pub sizes: &'a [SizeCount],
    pub space: &'a [&'a SpaceLayer],
    pub values: &'a [ValueLayer],
    /// The number of linear extensions, if that was asked for.
    pub extensions: Option<&'a BigUint>,
    /// The positions of a game, if these were asked for.
    pub positions: Option<&'a Positions>,
}

/// Makes all checks that apply, and says which.
///
/// # Errors
/// [`JobError::SelfCheck`].
pub(super) fn check(findings: &Findings<'_>) -> Result<Vec<String>, JobError> {
    let mut checks = Checks { passed: Vec::new() };
    checks.duality(findings)?;
    checks.publications(findings)?;
    checks.bases(findings)?;
    checks.extensions(findings)?;
    checks.positions(findings)?;
    Ok(checks.passed)
}

struct Checks {
    passed: Vec<String>,
}

fn equal(what: impl Fn() -> String, found: &BigUint, expected: &BigUint) -> Result<(), JobError> {
    if found == expected {
        return Ok(());
    }
    Err(JobError::SelfCheck(format!("{}: found {found}, but {expected} is right", what())))
}

impl Checks {
    fn pass(&mut self, what: impl Into<String>) {
        self.passed.push(what.into());
    }

    /// The dual of an ideal of size k has m - k elements, and the same stabiliser.
    fn duality(&mut self, findings: &Findings<'_>) -> Result<(), JobError> {
        let (poset, counted) = (findings.poset, findings.counted);
        if poset.duality().is_none() {
            return Ok(());
        }
        let mut pairs = 0;
        for count in counted {
            let Some(dual) = counted.get(poset.len() - count.size).filter(|dual| dual.size > count.size) else {
                continue;
            };
            let sizes = || format!("ideals of {} of size {} against size {}", poset.name(), count.size, dual.size);
            equal(|| format!("orbits of {}", sizes()), &count.orbits, &dual.orbits)?;
            equal(|| format!("labelled {}", sizes()), &count.labelled, &dual.labelled)?;
            pairs += 1;
        }
        if pairs > 0 {
            self.pass(format!("self-dual: as many ideals of size k as of size m - k, for {pairs} pairs of sizes"));
        }
        Ok(())
    }

    /// Numbers of ideals of Boolean lattices.
    fn publications(&mut self, findings: &Findings<'_>) -> Result<(), JobError> {
        let Family::Boolean { points, max_size } = *findings.poset.spec().family() else { return Ok(()) };
        if points != max_size {
            return Ok(());
        }
        let sizes = findings.sizes;
        if let Some(known) = known::boolean_orbits_by_size(points) {
            let known_of = |count: &SizeCount| known.get(count.size.min((1 << points) - count.size)).copied();
            let mut compared = 0;
            for (count, expected) in sizes.iter().filter_map(|count| Some((count, known_of(count)?))) {
                equal(|| format!("orbits of ideals of size {}", count.size), &count.orbits, &expected.into())?;
                compared += 1;
            }
            let all = if compared == sizes.len() { String::new() } else { format!(", for {compared} sizes") };
            self.pass(format!("orbits by size are the published numbers{all}"));
        }
        if sizes.len() <= 1 << points {
            return Ok(());
        }
        if let Some(known) = known::boolean_ideal_orbits(points) {
            equal(|| "orbits of ideals".into(), &sizes.iter().map(|count| &count.orbits).sum(), &known)?;
            self.pass(format!("orbits sum to {known}, OEIS A003182({points})"));
        }
        if let Some(known) = known::boolean_ideals(points) {
            equal(|| "labelled ideals".into(), &sizes.iter().map(|count| &count.labelled).sum(), &known)?;
            self.pass(format!("labelled ideals sum to {known}, OEIS A000372({points})"));
        }
        if points == 7 {
            let known = known::BOOLEAN_7_MIDDLE_LABELLED;
            equal(|| "labelled ideals of size 64".into(), &sizes[64].labelled, &known.into())?;
            self.pass(format!("there are {known} labelled ideals of size 64"));
        }
        Ok(())
    }

    /// The bases of B_7, by two independent programs.
    fn bases(&mut self, findings: &Findings<'_>) -> Result<(), JobError> {
        if findings.poset.name() != "boolean:7" || !matches!(findings.method, Method::Halves { .. }) {
            return Ok(());
        }
        let bases: u64 = findings.space.iter().map(|layer| layer.bases()).sum();
        let edges: u64 = findings.space.iter().map(|layer| layer.edges).sum();
        equal(|| "canonical bases".into(), &bases.into(), &known::BOOLEAN_7_3_ORBITS.into())?;
        equal(|| "edges between bases".into(), &edges.into(), &known::BOOLEAN_7_3_EDGES.into())?;
        self.pass(format!("there are {bases} canonical bases and {edges} edges between them"));
        Ok(())
    }

    /// Every linear extension of an ideal of size k + 1 extends one of an ideal of size k by an element that can be added.
    fn extensions(&mut self, findings: &Findings<'_>) -> Result<(), JobError> {
        if findings.values.is_empty() {
            return Ok(());
        }
        let sums = sums_by_size(findings.values);
        for (size, pair) in sums.windows(2).enumerate() {
            let what = || format!("sum of orbit * e over size {} against extensions of size {size}", size + 1);
            equal(what, &pair[1].0, &pair[0].1)?;
        }
        self.pass(format!(
            "for every k < {}: the sum of orbit * e over size k + 1 is that of orbit * e * (addable elements) over size k",
            sums.len() - 1
        ));
        let (Some(value), poset) = (findings.extensions, findings.poset) else { return Ok(()) };
        if let Family::Boolean { points, max_size } = *poset.spec().family()
            && points == max_size
            && let Some(known) = known::boolean_extensions(points)
        {
            equal(|| format!("e(B_{points})"), value, &known)?;
            self.pass(format!("the value is e(B_{points}) of OEIS A046873 and of Brouwer and Christensen"));
        }
        Ok(())
    }

    /// Every ideal has one value.
    fn positions(&mut self, findings: &Findings<'_>) -> Result<(), JobError> {
        let Some(positions) = findings.positions else { return Ok(()) };
        for size in findings.sizes {
            let here = || positions.counts.iter().filter(|count| count.size == size.size);
            let what = |kind: &str| format!("{kind} positions of size {} over all values", size.size);
            equal(|| what("orbits of"), &here().map(|count| &count.orbits).sum(), &size.orbits)?;
            equal(|| what("labelled"), &here().map(|count| &count.labelled).sum(), &size.labelled)?;
        }
        self.pass("every ideal has one value: positions by value add up to the ideals of every size");
        Ok(())
    }
}

/// For each size, from 0 on, the sums of orbit * e and of orbit * e * (addable elements) over all layers.
pub(super) fn sums_by_size(layers: &[ValueLayer]) -> Vec<(BigUint, BigUint)> {
    let mut sums: Vec<(BigUint, BigUint)> = Vec::new();
    for sum in layers.iter().flat_map(|layer| &layer.sums) {
        if sums.len() <= sum.size {
            sums.resize(sum.size + 1, (BigUint::ZERO, BigUint::ZERO));
        }
        sums[sum.size].0 += &sum.values;
        sums[sum.size].1 += &sum.extended;
    }
    sums
}
