//! `antichain plan QUESTION POSET --within TIME ...`: how large the ideals may be for what there is.
//!
//! Plans are the same on every machine, so no coordinator is asked.

use antichain_common::job::{self, Question, Reach, Resource, Resources};
use antichain_common::poset::Poset;
use antichain_common::poset::given::short_name;
use serde::Serialize;

use super::plan::{PlanDocument, ideals, readable};
use super::{all_cores, budget};
use crate::args::{Global, PlanArgs, ResourceArgs};
use crate::inputs;
use crate::output::{document, result};
use crate::sizes::{Bytes, show_bytes, show_duration, show_seconds};

/// Runs the command.
pub fn execute(global: &Global, args: &PlanArgs) -> anyhow::Result<()> {
    let (question, poset) = (inputs::question(&args.question)?, inputs::given::poset(&args.poset, global.json)?);
    let resources = resources(args.resources);
    let asked = Asked { question, poset: &poset, resources, within: args.resources.within.map(show_duration) };
    let reach = job::reach(question, &poset, resources)?;
    if global.json { document(&ReachDocument::new(&asked, &reach)) } else { Ok(result(&shown(&asked, &reach))?) }
}

/// What was given; of cores and memory otherwise what this machine has.
fn resources(args: ResourceArgs) -> Resources {
    Resources {
        cores: args.cores.unwrap_or_else(all_cores).get(),
        memory: budget(args.memory).0,
        seconds: args.within.map(|time| time.as_secs_f64()),
        disk: args.disk.map(|disk| disk.0),
    }
}

/// What is asked, and with what.
struct Asked<'a> {
    question: Question,
    poset: &'a Poset,
    resources: Resources,
    /// The time for people.
    within: Option<String>,
}

/// How far it reaches, as a JSON document.
#[derive(Debug, Serialize)]
struct ReachDocument<'a> {
    question: Question,
    poset: String,
    resources: ResourcesDocument,
    /// The largest K; the number of all elements if all ideals are within reach.
    max_elements: Option<usize>,
    all: bool,
    ends_first: Option<&'static str>,
    bounds: Vec<BoundDocument>,
    plan: Option<PlanDocument<'a>>,
    next: Option<PlanDocument<'a>>,
}

#[derive(Debug, Serialize)]
struct ResourcesDocument {
    cores: usize,
    memory_bytes: u64,
    seconds: Option<f64>,
    disk_bytes: Option<u64>,
}

/// The largest K that a resource allows by itself.
#[derive(Debug, Serialize)]
struct BoundDocument {
    resource: &'static str,
    max_elements: Option<usize>,
}

impl<'a> ReachDocument<'a> {
    fn new(asked: &Asked<'_>, reach: &'a Reach) -> Self {
        let Resources { cores, memory, seconds, disk } = asked.resources;
        let bound = |&(resource, max_elements): &_| BoundDocument { resource: name(resource), max_elements };
        Self {
            question: asked.question,
            poset: short_name(&asked.poset.name()).into_owned(),
            resources: ResourcesDocument { cores, memory_bytes: memory, seconds, disk_bytes: disk },
            max_elements: reach.most,
            all: reach.bounds.is_empty(),
            ends_first: reach.ends_first().map(name),
            bounds: reach.bounds.iter().map(bound).collect(),
            plan: reach.plan.as_ref().map(PlanDocument::from),
            next: reach.next.as_ref().map(PlanDocument::from),
        }
    }
}

/// The name of a resource.
fn name(resource: Resource) -> &'static str {
    match resource {
        Resource::Time => "time",
        Resource::Memory => "memory",
        Resource::Disk => "disk",
        Resource::Ideals => "ideals",
    }
}

/// How far it reaches, for people.
fn shown(asked: &Asked<'_>, reach: &Reach) -> String {
    let mut lines = vec![format!("{}: {}", given(asked), reached(reach))];
    lines.extend(ends(asked, reach));
    lines.push(assumed(asked.question).to_owned());
    lines.extend(reach.most.map(|most| {
        let limit = if reach.bounds.is_empty() { String::new() } else { format!(" --max-elements {most}") };
        format!("more: antichain plan {} {}{limit}", asked.question, asked.poset.name())
    }));
    lines.join("\n") + "\n"
}

/// What there is.
fn given(asked: &Asked<'_>) -> String {
    let Resources { cores, memory, disk, .. } = asked.resources;
    let time = asked.within.as_ref().map_or("in any time".to_owned(), |time| format!("within {time}"));
    let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    let disk = disk.map_or(String::new(), |disk| format!(" and {} of disk", Bytes(disk)));
    format!("{time} on {cores} with {}{disk}", Bytes(memory))
}

/// The largest limit, and what it takes.
fn reached(reach: &Reach) -> String {
    let Some((plan, most)) = reach.plan.as_ref().zip(reach.most) else {
        return "not even K = 0".to_owned();
    };
    let limit = if reach.bounds.is_empty() { "all ideals".to_owned() } else { format!("K = {most}") };
    format!(
        "{limit} ({}, {} CPU s, {} of disk, {} ideals up to symmetry)",
        show_bytes(plan.memory_bytes),
        readable(plan.cpu_seconds.ceil()),
        show_bytes(plan.disk(false)),
        ideals(&plan.orbits)
    )
}

/// What ends first, and how far the others would go.
fn ends(asked: &Asked<'_>, reach: &Reach) -> Option<String> {
    let next = reach.next.as_ref()?;
    let [(first, most), others @ ..] = &reach.bounds[..] else { return None };
    let k = most.map_or(0, |most| most + 1);
    let what = if k == asked.poset.len() { "all ideals".to_owned() } else { format!("K = {k}") };
    let takes = match first {
        Resource::Time => {
            let seconds = next.cpu_seconds / asked.resources.cores as f64;
            format!("{what} takes {}", show_seconds(seconds))
        }
        Resource::Memory => format!("{what} takes {}", show_bytes(next.memory_bytes)),
        Resource::Disk => format!("{what} takes {}", show_bytes(next.disk(false))),
        Resource::Ideals => format!("{what} has {}, more than any job may", ideals(&next.orbits)),
    };
    let mut text = format!("what ends first: {}, for {takes}", of_people(*first));
    for &(other, alone) in others {
        if let Some(alone) = alone.filter(|alone| Some(*alone) > *most) {
            text += &format!("; {} alone allows K = {alone}", of_people(other));
        }
    }
    Some(text)
}

/// A resource in a sentence.
fn of_people(resource: Resource) -> &'static str {
    match resource {
        Resource::Ideals => "the number of ideals up to symmetry",
        other => name(other),
    }
}

/// What the memory is taken to be.
fn assumed(question: Question) -> &'static str {
    if question.is_game() {
        "memory is that of one machine: on a cluster each worker has all values, so that more machines save time only"
    } else {
        "memory is that of one machine, as `run` takes it"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(poset: &Poset, memory: u64, seconds: Option<f64>) -> Asked<'_> {
        let resources = Resources { cores: 2, memory, seconds, disk: None };
        let within = seconds.map(|seconds| show_duration(std::time::Duration::from_secs_f64(seconds)));
        Asked { question: Question::Grundy, poset, resources, within }
    }

    fn told(poset: &str, memory: u64, seconds: Option<f64>) -> String {
        let poset: Poset = poset.parse().expect("a poset");
        let asked = asked(&poset, memory, seconds);
        shown(&asked, &job::reach(asked.question, &poset, asked.resources).expect("about ideals"))
    }

    #[test]
    fn a_line_says_how_far_and_the_next_what_ends() {
        let text = told("boolean:8", 16 << 30, Some(7200.0));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("within 2 h on 2 cores with 16.0 GiB: K = 41 ("), "{text}");
        assert!(
            lines[1].starts_with("what ends first: memory, for K = 42 takes 25.7 GiB; time alone allows K = "),
            "{text}"
        );
        assert!(lines[2].contains("one machine"), "{text}");
        assert_eq!(lines[3], "more: antichain plan grundy boolean:8 --max-elements 41");
    }

    #[test]
    fn everything_and_nothing() {
        let all = told("boolean:5", 16 << 30, None);
        assert!(
            all.starts_with("in any time on 2 cores with 16.0 GiB: all ideals (") && !all.contains("ends first"),
            "{all}"
        );
        let nothing = told("boolean:8", 1 << 20, None);
        assert!(nothing.contains("not even K = 0\nwhat ends first: memory, for K = 0 takes 24"), "{nothing}");
    }
}
