//! Where jobs and workers stand, as messages.

use antichain_common::job::{Answer, ProofRecord};
use antichain_proto::v1;

use super::message_of;
use crate::desk::{Doing, JobStatus, Progress, WorkerStatus};
use crate::plies::{PliesStatus, Tally};

impl From<Doing> for v1::JobState {
    fn from(doing: Doing) -> Self {
        match doing {
            Doing::Running => Self::Running,
            Doing::Waiting => Self::WaitingForWorkers,
            Doing::Paused => Self::Paused,
            Doing::Cancelled => Self::Cancelled,
            Doing::Failed => Self::Failed,
            Doing::Finished => Self::Finished,
        }
    }
}

impl From<JobStatus> for v1::JobStatus {
    fn from(status: JobStatus) -> Self {
        let troubled = status.troubled.into_iter();
        Self {
            job: status.job.0,
            spec: Some(message_of(&status.spec)),
            state: v1::JobState::from(status.doing).into(),
            reason: status.reason,
            progress: Some(status.progress.into()),
            troubled: troubled.map(|(task, workers)| v1::TroubledTask { task: task.to_string(), workers }).collect(),
            workers_set_aside: status.workers_set_aside,
            answer: status.answer.map(|(answer, seconds)| answer_of(&answer, seconds)),
            workers: status.workers as u32,
            search: status.search.map(v1::SearchProgress::from),
        }
    }
}

impl From<PliesStatus> for v1::SearchProgress {
    fn from(status: PliesStatus) -> Self {
        let tally = |Tally { all, won, lost }| Some(v1::Tally { all, won, lost });
        let (base, slope) = status.model.line();
        Self {
            nodes: status.nodes,
            settled: status.settled,
            options: tally(status.options),
            replies: tally(status.replies),
            searched_now: status.searched_now,
            predicted_first: status.predicted.0,
            predicted_now: status.predicted.1,
            base,
            slope,
            learnt_from: status.model.learnt_from(),
            proving: status.proving,
        }
    }
}

fn answer_of(answer: &Answer, seconds: f64) -> v1::Answer {
    v1::Answer {
        value: answer.value.as_ref().map(|value| answer.spec.question.show(value)),
        orbits: answer.orbits.to_string(),
        labelled: answer.labelled.to_string(),
        base_layers: answer.base_layers as u32,
        digest: answer.digest.clone(),
        elapsed_seconds: seconds,
        resumed: answer.resumed,
        heights: answer.heights.clone().unwrap_or_default(),
        proof: answer.proof.clone().map(|ProofRecord { winning_move, entries, nodes }| v1::Proof {
            winning_move,
            entries,
            nodes,
        }),
    }
}

impl From<Progress> for v1::Progress {
    fn from(progress: Progress) -> Self {
        Self {
            layer: progress.layer as u32,
            last_layer: progress.last_layer as u32,
            done: progress.done,
            leased: progress.tasks.leased as u64,
            ready: progress.tasks.ready as u64,
            work_done: progress.work.0,
            work_total: progress.work.1,
            ideals: progress.states,
            ideals_per_second: progress.states_per_second,
            seconds_left: progress.seconds_left,
        }
    }
}

impl From<WorkerStatus> for v1::WorkerStatus {
    fn from(worker: WorkerStatus) -> Self {
        Self {
            name: worker.name,
            threads: worker.threads,
            memory: worker.memory,
            tasks: worker.tasks,
            silent_seconds: worker.silent,
            set_aside: worker.set_aside,
            delivered: worker.delivered,
            gone: worker.gone,
        }
    }
}
