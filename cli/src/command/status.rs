//! `antichain status`: where a job of a coordinator stands; and the document that says so, which other commands write too.

use std::time::Duration;

use antichain_common::estimate::BATCH;
use antichain_common::job::SizeLimits;
use antichain_common::poset::given::short_name;
use antichain_proto::v1::{self, JobState, JobStatus};
use serde::Serialize;
use std::borrow::Cow;

use super::status_search::SearchProgressDocument;
use super::{LimitsDocument, estimate, status_search};
use crate::args::{Global, JobArgs};
use crate::output::{document, grouped, result, table};
use crate::progress::job::{fraction, time_left};
use crate::progress::scaled;
use crate::remote::job::{limits, state_name};
use crate::remote::{Remote, place};
use crate::sizes::{show_duration, show_estimate};

/// Runs the command.
pub fn execute(global: &Global, args: &JobArgs) -> anyhow::Result<()> {
    let status = Remote::connect(place::there(global)?)?.get(&args.job)?;
    if global.json { document(&StatusDocument::from(&status)) } else { Ok(result(&shown(&status))?) }
}

/// Where a job stands, as a JSON document.
#[derive(Debug, Serialize)]
pub(super) struct StatusDocument<'a> {
    job: &'a str,
    question: &'a str,
    poset: Cow<'a, str>,
    #[serde(flatten)]
    limits: LimitsDocument,
    state: &'static str,
    /// Why it is that; null where there is nothing to say.
    reason: Option<&'a str>,
    progress: ProgressDocument,
    troubled: Vec<TroubledDocument<'a>>,
    workers_set_aside: &'a [String],
    workers: u32,
    /// The position that is searched, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchProgressDocument<'a>>,
    #[serde(flatten)]
    answer: Option<AnswerDocument<'a>>,
}

#[derive(Debug, Default, Serialize)]
struct ProgressDocument {
    layer: u32,
    last_layer: u32,
    done: u64,
    leased: u64,
    ready: u64,
    work_done: u64,
    work_total: u64,
    ideals: u64,
    ideals_per_second: f64,
    seconds_left: Option<f64>,
}

#[derive(Debug, Serialize)]
struct TroubledDocument<'a> {
    task: &'a str,
    workers: &'a [String],
}

/// The fields of a finished job.
#[derive(Debug, Serialize)]
struct AnswerDocument<'a> {
    value: Option<&'a str>,
    orbits: &'a str,
    labelled: &'a str,
    base_layers: u32,
    elapsed_seconds: f64,
    digest: &'a str,
    resumed: bool,
}

impl<'a> From<&'a JobStatus> for StatusDocument<'a> {
    fn from(status: &'a JobStatus) -> Self {
        let spec = status.spec.as_ref();
        Self {
            job: &status.job,
            question: spec.map_or("", |spec| &spec.question),
            poset: spec.map_or(Cow::Borrowed(""), |spec| short_name(&spec.poset)),
            limits: spec.map_or(SizeLimits::NONE, limits).into(),
            state: state_name(status.state()),
            reason: Some(status.reason.as_str()).filter(|reason| !reason.is_empty()),
            progress: status.progress.as_ref().map(ProgressDocument::from).unwrap_or_default(),
            troubled: status
                .troubled
                .iter()
                .map(|troubled| TroubledDocument { task: &troubled.task, workers: &troubled.workers })
                .collect(),
            workers_set_aside: &status.workers_set_aside,
            workers: status.workers,
            position: spec.and_then(|spec| spec.position.as_deref()),
            search: status.search.as_ref().map(SearchProgressDocument::from),
            answer: status.answer.as_ref().map(AnswerDocument::from),
        }
    }
}

impl From<&v1::Progress> for ProgressDocument {
    fn from(progress: &v1::Progress) -> Self {
        Self {
            layer: progress.layer,
            last_layer: progress.last_layer,
            done: progress.done,
            leased: progress.leased,
            ready: progress.ready,
            work_done: progress.work_done,
            work_total: progress.work_total,
            ideals: progress.ideals,
            ideals_per_second: progress.ideals_per_second,
            seconds_left: progress.seconds_left,
        }
    }
}

impl<'a> From<&'a v1::Answer> for AnswerDocument<'a> {
    fn from(answer: &'a v1::Answer) -> Self {
        Self {
            value: answer.value.as_deref(),
            orbits: &answer.orbits,
            labelled: &answer.labelled,
            base_layers: answer.base_layers,
            elapsed_seconds: answer.elapsed_seconds,
            digest: &answer.digest,
            resumed: answer.resumed,
        }
    }
}

/// Where a job stands, for people.
fn shown(status: &JobStatus) -> String {
    let mut rows = vec![("job", status.job.clone()), ("state", state_name(status.state()).to_owned())];
    if !status.reason.is_empty() {
        rows.push(("reason", status.reason.clone()));
    }
    match &status.answer {
        Some(answer) => rows.extend(answered(status, answer)),
        None => rows.extend(under_way(status)),
    }
    for troubled in &status.troubled {
        rows.push(("troubled", format!("{}, on which were lost {}", troubled.task, troubled.workers.join(", "))));
    }
    for worker in &status.workers_set_aside {
        rows.push(("set aside", format!("{worker}, whose results were corrupt")));
    }
    table(&rows.into_iter().map(|(name, text)| vec![name.to_owned(), text]).collect::<Vec<_>>(), 2)
}

fn answered(status: &JobStatus, answer: &v1::Answer) -> Vec<(&'static str, String)> {
    // A time that is none is left out, like everything that is not known.
    let took = Duration::try_from_secs_f64(answer.elapsed_seconds).map(show_duration);
    let value = || answer.value.clone().unwrap_or_else(|| "none".to_owned());
    let sampling = status.spec.as_ref().and_then(|spec| Some((&spec.poset, spec.sampling?)));
    let mut rows = if let Some((poset, v1::Sampling { frontier, seed, batches })) = sampling {
        let samples = batches.saturating_mul(BATCH);
        let exact = answer.value.clone().map(|value| ("value", value));
        let shown_by = ("shown by", estimate::command(poset, samples, seed, frontier));
        exact.into_iter().chain([("samples", grouped(&samples)), shown_by]).collect()
    } else if answer.heights.is_empty() {
        let (ideals, orbits) = (grouped(&answer.labelled), grouped(&answer.orbits));
        vec![("value", value()), ("ideals", ideals), ("up to symmetry", orbits)]
    } else {
        vec![("value", value()), ("types", grouped(&answer.orbits))]
    };
    rows.extend(took.map(|took| ("took", took)));
    rows.push(("digest", answer.digest.clone()));
    rows
}

fn under_way(status: &JobStatus) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(position) = status.spec.as_ref().and_then(|spec| spec.position.clone()) {
        rows.push(("position", position));
    }
    if let Some(search) = &status.search {
        rows.extend(status_search::rows(search));
    }
    if let Some(progress) = &status.progress {
        if status.search.is_none() {
            rows.push(("layer", format!("{} of {}", progress.layer, progress.last_layer)));
        }
        rows.push((
            "tasks",
            format!("{} done, {} in the hands of workers, {} waiting", progress.done, progress.leased, progress.ready),
        ));
        rows.extend(fraction(status).map(|fraction| ("work", format!("{:.0} %", 100.0 * fraction))));
        if status.state() == JobState::Running {
            rows.push((
                "states",
                format!("{}, {} a second", scaled(progress.ideals as f64), scaled(progress.ideals_per_second)),
            ));
        }
        rows.extend(time_left(status).map(|left| ("time left", format!("about {}", show_estimate(left)))));
    }
    rows.push(("workers", status.workers.to_string()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use antichain_proto::v1::{Progress, TroubledTask};

    fn running() -> JobStatus {
        JobStatus {
            job: "extensions-boolean-7".into(),
            spec: Some(v1::JobSpec { question: "extensions".into(), poset: "boolean:7".into(), ..Default::default() }),
            state: JobState::Running.into(),
            progress: Some(Progress {
                layer: 3,
                last_layer: 64,
                done: 5,
                leased: 2,
                ready: 1,
                work_done: 1,
                work_total: 4,
                ideals: 2000,
                ideals_per_second: 1000.0,
                seconds_left: Some(30.0),
            }),
            troubled: vec![TroubledTask { task: "solve 3/0".into(), workers: vec!["a".into(), "b".into()] }],
            workers_set_aside: vec!["c".into()],
            workers: 2,
            ..Default::default()
        }
    }

    #[test]
    fn a_job_under_way() {
        assert_eq!(
            shown(&running()),
            "job        extensions-boolean-7\nstate      running\nlayer      3 of 64\n\
             tasks      5 done, 2 in the hands of workers, 1 waiting\nwork       25 %\n\
             states     2.00 k, 1.00 k a second\ntime left  about 30 s\nworkers    2\n\
             troubled   solve 3/0, on which were lost a, b\nset aside  c, whose results were corrupt\n"
        );
        let json = serde_json::to_value(StatusDocument::from(&running())).expect("JSON");
        assert_eq!(json["state"], "running");
        assert_eq!(json["progress"]["ready"], 1);
        assert_eq!(json["troubled"][0]["workers"][1], "b");
        assert!(json["reason"].is_null() && json.get("value").is_none());
    }

    #[test]
    fn a_finished_job_has_its_value() {
        let mut status = running();
        status.set_state(JobState::Finished);
        status.answer = Some(v1::Answer { value: Some("48".into()), ..Default::default() });
        assert!(shown(&status).contains("value           48\n"), "{}", shown(&status));
        let json = serde_json::to_value(StatusDocument::from(&status)).expect("JSON");
        assert_eq!((json["state"].as_str(), json["value"].as_str()), (Some("finished"), Some("48")));
    }
}
