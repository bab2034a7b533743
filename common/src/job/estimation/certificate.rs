//! The certificate of an estimate, and the estimate that it says.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Estimate, JobSpec, Sampled};
use crate::estimate::{Interval, Scaled};
use crate::job::certificate::Certificate;
use crate::job::digest::estimate_digest;
use crate::job::{JobError, Question};

/// What an estimate is made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EstimateRecord {
    /// Smallest and largest size of the ideals that were random; nothing if the number is exact.
    pub random_sizes: Option<(usize, usize)>,
    /// The estimates of the batches, in order; none if the number is exact.
    pub batches: Vec<Scaled>,
}

impl Estimate {
    /// What a certificate says, with a confidence between 0 and 1; nothing if it is not that of an estimate.
    pub fn of_certificate(
        certificate: &Certificate,
        confidence: f64,
        resumed: bool,
        elapsed: Duration,
    ) -> Option<Self> {
        let record = certificate.estimate.as_ref()?;
        let batches = record.batches.len() as u64;
        let exact = certificate.value.clone();
        let interval = match &exact {
            Some(exact) => Interval::exact(exact.into()),
            None if certificate.spec.sampling.is_some_and(|sampling| sampling.batches == batches && batches > 1) => {
                Interval::of(&record.batches, confidence)
            }
            None => return None,
        };
        let (name, random_sizes) = (certificate.job.0.clone(), record.random_sizes);
        Some(Self { name, interval, exact, random_sizes, batches, resumed, elapsed })
    }
}

/// The certificate, from all groups of batches in order, if these agree.
///
/// # Errors
/// [`JobError::SelfCheck`]; those of [`JobSpec::estimated`].
pub fn estimate_certificate(spec: &JobSpec, groups: &[Sampled]) -> Result<Certificate, JobError> {
    let (poset, sampling) = spec.estimated()?.ok_or(JobError::NotAboutIdeals(Question::Estimate))?;
    let first = groups.first().ok_or_else(|| JobError::SelfCheck("an estimate of nothing".to_owned()))?;
    let about = |group: &Sampled| (group.exact.clone(), group.random_sizes);
    if groups.iter().any(|group| about(group) != about(first)) {
        return Err(JobError::SelfCheck("the batches begin or end with different exact layers".to_owned()));
    }
    let all =
        Sampled { batches: groups.iter().flat_map(|group| group.batches.iter().copied()).collect(), ..first.clone() };
    all.check(sampling.batches, poset.len()).map_err(JobError::SelfCheck)?;
    let Sampled { exact, random_sizes, batches } = all;
    let record = EstimateRecord { random_sizes, batches };
    let job = spec.id();
    let checks = match &exact {
        Some(_) => vec!["the exact layers from both ends met, so that the number is exact".to_owned()],
        None => vec![format!("{} batches were made, each once", record.batches.len())],
    };
    Ok(Certificate {
        digest: estimate_digest(spec, exact.as_ref(), &record),
        value: exact,
        estimate: Some(record),
        checks,
        how_to_check: format!(
            "`antichain verify {job}` makes some of the batches again. By hand: the estimate is the mean of `batches`, each a \
             pair [m, x] that stands for m * 2^(x - 52), and its standard error is that of a mean of independent numbers; \
             `digest` is the BLAKE3 of the text that FORMATS.md describes."
        ),
        ..Certificate::without_ideals(spec, &poset, poset.len())
    })
}
