//! Jobs as the wire has them, and as the rest of the program does.

use std::time::Duration;

use antichain_common::job::{Answer, JobId, JobSpec, ProofRecord, Sampling, SizeLimits};
use antichain_proto::v1::{self, JobState, JobStatus};

use super::RemoteError;

/// A job's specification as it is sent.
pub fn on_the_wire(spec: &JobSpec) -> v1::JobSpec {
    v1::JobSpec {
        question: spec.question.name().to_owned(),
        poset: spec.poset.clone(),
        min_elements: spec.limits.min as u64,
        max_elements: spec.limits.max.map(|max| max as u64),
        position: spec.position.clone(),
        sampling: spec.sampling.map(|sampling| v1::Sampling {
            frontier: sampling.frontier as u64,
            seed: sampling.seed,
            batches: sampling.batches,
        }),
    }
}

/// Where a job stands, in words.
pub fn state_name(state: JobState) -> &'static str {
    match state {
        JobState::Unspecified => "unknown",
        JobState::Running => "running",
        JobState::WaitingForWorkers => "waiting for workers",
        JobState::Paused => "paused",
        JobState::Cancelled => "cancelled",
        JobState::Failed => "failed",
        JobState::Finished => "finished",
    }
}

/// Whether a job has ended: nothing will change by itself.
pub fn has_ended(status: &JobStatus) -> bool {
    matches!(status.state(), JobState::Cancelled | JobState::Failed | JobState::Finished)
}

/// An error for a job that ended without an answer.
///
/// # Errors
/// [`RemoteError::Ended`].
pub fn ended_well(status: &JobStatus) -> Result<(), RemoteError> {
    let how = match status.state() {
        JobState::Failed => "failed",
        JobState::Cancelled => "was cancelled",
        _ => return Ok(()),
    };
    Err(RemoteError::Ended { job: status.job.clone(), how, reason: status.reason.clone() })
}

/// Limits on sizes; a number beyond any poset's limits nothing.
pub fn limits(spec: &v1::JobSpec) -> SizeLimits {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    SizeLimits { min: size(spec.min_elements), max: spec.max_elements.map(size) }
}

/// What an estimate is made from; a size beyond any poset's limits nothing.
fn sampling(spec: &v1::JobSpec) -> Option<Sampling> {
    let v1::Sampling { frontier, seed, batches } = spec.sampling?;
    Some(Sampling { frontier: usize::try_from(frontier).unwrap_or(usize::MAX), seed, batches })
}

/// The answer of a finished job; `None` where there is none, or one that makes no sense.
pub fn answer(status: &JobStatus) -> Option<Answer> {
    let (spec, answer) = (status.spec.as_ref()?, status.answer.as_ref()?);
    let spec = JobSpec {
        question: spec.question.parse().ok()?,
        poset: spec.poset.clone(),
        limits: limits(spec),
        position: spec.position.clone(),
        sampling: sampling(spec),
    };
    let value = match &answer.value {
        Some(shown) => Some(spec.question.read(shown)?),
        None => None,
    };
    Some(Answer {
        job: JobId(status.job.clone()),
        spec,
        value,
        orbits: answer.orbits.parse().ok()?,
        labelled: answer.labelled.parse().ok()?,
        base_layers: usize::try_from(answer.base_layers).ok()?,
        digest: answer.digest.clone(),
        proof: answer.proof.as_ref().map(|proof| ProofRecord {
            winning_move: proof.winning_move.clone(),
            entries: proof.entries,
            nodes: proof.nodes,
        }),
        heights: (!answer.heights.is_empty()).then(|| answer.heights.clone()),
        resumed: answer.resumed,
        elapsed: Duration::try_from_secs_f64(answer.elapsed_seconds).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_common::job::Question;

    #[test]
    fn a_specification_survives_the_wire() {
        let limits_given = SizeLimits { min: 2, max: Some(7) };
        let spec = JobSpec {
            question: Question::Ideals,
            poset: "boolean:4".into(),
            limits: limits_given,
            position: None,
            sampling: None,
        };
        let sent = on_the_wire(&spec);
        assert_eq!((sent.question.as_str(), sent.poset.as_str(), limits(&sent)), ("ideals", "boolean:4", limits_given));
        let batches = Sampling { frontier: 7, seed: u64::MAX, batches: 20 };
        let estimate = JobSpec { question: Question::Estimate, sampling: Some(batches), ..spec };
        assert_eq!(sampling(&on_the_wire(&estimate)), Some(batches));
    }

    #[test]
    fn an_answer_is_whole_or_none() {
        let mut status = JobStatus {
            job: "ideals-boolean-4".into(),
            spec: Some(v1::JobSpec { question: "ideals".into(), poset: "boolean:4".into(), ..Default::default() }),
            answer: Some(v1::Answer {
                value: Some("168".into()),
                orbits: "30".into(),
                labelled: "168".into(),
                base_layers: 17,
                ..Default::default()
            }),
            ..Default::default()
        };
        assert_eq!(answer(&status).and_then(|answer| answer.value), Some(168u32.into()));
        status.answer.as_mut().expect("set").orbits = "thirty".into();
        assert!(answer(&status).is_none());
        status.answer = None;
        assert!(answer(&status).is_none());
    }
}
