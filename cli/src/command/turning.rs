//! `antichain run` for coin-turning games: the values of all elements, by element and by what they depend on.

use antichain_common::game::coins::{GrundyFunction, TurningGame, definition};
use antichain_common::game::nimber::product;
use antichain_common::game::set_partitions::types;
use antichain_common::job::{Answer, JobError, ruler_plan, run_ruler};
use antichain_common::poset::covers::{CoverPoset, CoverRelation, Hasse};
use num_bigint::BigUint;
use serde::Serialize;

use super::coins::ElementValue;
use super::{budget, run, with_effort};
use crate::args::{Global, RunArgs};
use crate::inputs::coins::{CoinsInputError, most_elements, no_limits};
use crate::output::{document, grouped, note, result, table};
use crate::remote::place;
use crate::sizes::Bytes;
use crate::{data, inputs, interrupt};

/// Elements that are listed without being asked for.
const LISTED: usize = 10_000;
/// Elements up to which values are found by the definition too, in a moment.
const BY_DEFINITION: usize = 1_000;
/// Ranks that are listed, at most.
const RANKS: usize = 10_000;
/// Largest n of `partitions:n` whose elements are listed by the ruler without being asked for; beyond, its work is a job.
const LISTED_PARTITIONS: usize = 8;

/// Runs the command.
pub fn execute(global: &Global, args: &RunArgs, game: TurningGame) -> anyhow::Result<()> {
    no_limits(inputs::limits(args.limits)?)?;
    let directory = place::here(global)?;
    let poset: CoverPoset = args.poset.parse()?;
    match &poset {
        CoverPoset::Partitions(partitions)
            if game == TurningGame::Ruler && partitions.n() > LISTED_PARTITIONS && !args.elements =>
        {
            // So that it is refused before a data directory is made.
            let spec = inputs::job(&args.question, &args.poset, args.limits, global.json)?;
            let Some(n) = spec.ruler_n()? else { return Ok(()) };
            let (needed, budget) = (Bytes(ruler_plan(n).memory_bytes as u64), budget(args.effort.memory));
            if needed > budget {
                return Err(CoinsInputError::Memory { poset: spec.poset, needed, budget }.into());
            }
            let store = data::open(&directory)?;
            let answer = with_effort(global, &args.effort, false, |options| run_ruler(&store, n, options))?;
            run::tell(global, &answer)
        }
        _ => {
            interrupt::stop_at_once();
            at_once(global, args, game, &poset)
        }
    }
}

/// The values of a game whose work is no job.
fn at_once(global: &Global, args: &RunArgs, game: TurningGame, poset: &CoverPoset) -> anyhow::Result<()> {
    let start = std::time::Instant::now();
    let relation = poset.relation();
    let mut elements = None;
    let mut checked = 0;
    if args.elements || relation.len() <= LISTED.into() {
        if matches!(poset, CoverPoset::Subspaces(spaces) if !spaces.has_elements()) {
            if args.elements {
                return Err(CoinsInputError::NoNames(relation.name()).into());
            }
        } else {
            let most = most_elements(poset, budget(args.effort.memory));
            elements = Hasse::of(relation, most).ok();
            if elements.is_none() && args.elements {
                let (poset, elements) = (relation.name(), grouped(&relation.len()));
                return Err(CoinsInputError::TooManyElements { poset, elements, most }.into());
            }
        }
    }
    let grundy = GrundyFunction::new(game, poset);
    let listed = elements.as_ref().map(|diagram| {
        let value = |x: &Vec<u32>| ElementValue { element: relation.label(x), value: grundy.of(x) };
        diagram.elements().iter().map(value).collect::<Vec<_>>()
    });
    if let (Some(diagram), Some(listed)) = (&elements, &listed)
        && diagram.elements().len() <= BY_DEFINITION
    {
        let by_definition = definition::values(game, diagram);
        if let Some(at) = (0..listed.len()).find(|&at| listed[at].value != by_definition[at]) {
            let ElementValue { element, value } = &listed[at];
            let other = by_definition[at];
            return Err(
                JobError::SelfCheck(format!("{element} has {value} by theorem and {other} by definition")).into()
            );
        }
        checked = listed.len();
    }
    let document_of = TurningDocument {
        question: game.name(),
        poset: relation.name(),
        elements: listed,
        by_rank: by_rank(&grundy, relation),
        by_type: by_type(&grundy, poset),
        rows: grundy.rows(),
        h: grundy.heights(),
        source: grundy.source(),
        checked_by_definition: checked,
        elapsed_seconds: start.elapsed().as_secs_f64(),
    };
    if global.json {
        return document(&document_of);
    }
    result(&document_of.shown())?;
    note(&format!(
        "{game} on {}: {} elements; values by {}{}",
        relation.name(),
        grouped(&relation.len()),
        grundy.source(),
        if checked > 0 { ", and all of them again by the definition" } else { "" }
    ));
    if document_of.elements.is_none() {
        note("hint: --elements lists all of them, and `antichain coins value` has single ones");
    }
    Ok(())
}

/// Values by rank, where they depend on nothing else.
fn by_rank(grundy: &GrundyFunction<'_>, relation: &dyn CoverRelation) -> Option<Vec<RankValue>> {
    let value = grundy.by_rank().filter(|_| relation.height() < RANKS)?;
    let of_rank =
        |(rank, elements): (usize, BigUint)| RankValue { rank, elements: elements.to_string(), value: value(rank) };
    Some(relation.len_by_rank().into_iter().enumerate().map(of_rank).collect())
}

/// Values by type, of set partitions.
fn by_type(grundy: &GrundyFunction<'_>, poset: &CoverPoset) -> Option<Vec<TypeValue>> {
    let (CoverPoset::Partitions(partitions), Some(heights)) = (poset, grundy.heights()) else { return None };
    let value = |sizes: &[usize]| sizes.iter().fold(1, |value, &size| product(value, heights[size - 1].into()));
    Some(types(partitions.n()).into_iter().map(|sizes| TypeValue { value: value(&sizes), sizes }).collect())
}

/// Writes h(1), h(2), ..., one a line.
pub fn tell_heights(answer: &Answer, heights: &[u32]) -> anyhow::Result<()> {
    let mut rows = vec![["n", "h(n)"].map(str::to_owned).to_vec()];
    rows.extend((1..).zip(heights).map(|(n, height): (usize, _)| vec![n.to_string(), height.to_string()]));
    result(&table(&rows, 0))?;
    let types = grouped(&answer.orbits);
    note(&format!("the ruler on partitions of sets of up to {} elements, of {types} types", heights.len()));
    note(&run::closing(answer));
    Ok(())
}

/// The values of a game as a JSON document.
#[derive(Debug, Serialize)]
struct TurningDocument<'a> {
    question: &'static str,
    poset: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<Vec<ElementValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_rank: Option<Vec<RankValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_type: Option<Vec<TypeValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Vec<u64>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<&'a [u32]>,
    source: &'static str,
    checked_by_definition: usize,
    elapsed_seconds: f64,
}

#[derive(Debug, Serialize)]
struct RankValue {
    rank: usize,
    /// How many there are: a string, for there may be very many.
    elements: String,
    value: u64,
}

#[derive(Debug, Serialize)]
struct TypeValue {
    #[serde(rename = "type")]
    sizes: Vec<usize>,
    value: u64,
}

impl TurningDocument<'_> {
    /// The values for people: tables with a line of heads, and an empty line between them.
    fn shown(&self) -> String {
        let heads = |words: &[&str]| vec![words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()];
        let mut tables = Vec::new();
        if let Some(elements) = &self.elements {
            let mut rows = heads(&["element", "value"]);
            rows.extend(elements.iter().map(|x| vec![x.element.clone(), x.value.to_string()]));
            tables.push(table(&rows, 1));
        }
        if let Some(by_rank) = &self.by_rank {
            let mut rows = heads(&["rank", "elements", "value"]);
            rows.extend(by_rank.iter().map(|x| vec![x.rank.to_string(), x.elements.clone(), x.value.to_string()]));
            tables.push(table(&rows, 0));
        }
        if let Some(by_type) = &self.by_type {
            let mut rows = heads(&["type", "value"]);
            let show = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("+");
            rows.extend(by_type.iter().map(|x| vec![show(&x.sizes), x.value.to_string()]));
            tables.push(table(&rows, 1));
        }
        if let Some(rows) = &self.rows {
            tables.push(triangle(rows));
        }
        tables.join("\n")
    }
}

/// Rows by rank, with the ranks before them and z above them.
pub(super) fn triangle(rows: &[Vec<u64>]) -> String {
    let head = std::iter::once("rank\\z".to_owned()).chain((0..rows.len()).map(|z| z.to_string()));
    let mut lines = vec![head.collect::<Vec<_>>()];
    let line = |(rank, row): (usize, &Vec<u64>)| {
        std::iter::once(rank.to_string()).chain(row.iter().map(u64::to_string)).collect()
    };
    lines.extend(rows.iter().enumerate().map(line));
    table(&lines, 0)
}
