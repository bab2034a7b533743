//! A job at a coordinator: its engine, how far it is, and what its tasks take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use antichain_common::estimate::BATCH;
use antichain_common::job::search::Order;
use antichain_common::job::task::{Engine, Findings, Task, TaskKind, TaskSizes};
use antichain_common::job::{JobId, Plan, Side};

use super::documents::{ClusterRecord, Standing};
use super::pace::Pace;
use crate::course::{Course, Cut, Next, Step, Totals};
use crate::ledger::{Need, WorkerId};
use crate::plies::Plies;
use crate::task_id::JobNumber;

/// Edges that lead up from a base, about.
const EDGES_OF_A_BASE: u64 = 16;

/// A job that is not over.
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// What is stored of it.
    pub record: ClusterRecord,
    /// What does its tasks; of use to the coordinator for merging and sampling.
    pub engine: Arc<dyn Engine>,
    /// How far it is; `None` if it is one task.
    pub course: Option<Course>,
    /// What the plan says of it.
    pub plan: Plan,
    /// Of the ruler on set partitions: h(1), h(2), ... as far as they are found.
    pub heights: Vec<u32>,
    /// Of a search: how far it is.
    pub plies: Option<Plies>,
    /// Of a search whose outcome is known: how far its proof is.
    pub proving: Proving,
    /// Who made the values of a shard of a layer, or of the duals over it.
    pub makers: BTreeMap<(Side, usize, usize), WorkerId>,
    /// Tasks whose results are stored.
    pub done: u64,
    /// Work of these.
    pub work_done: u64,
    /// States dealt with.
    pub states: u64,
    /// How fast it goes.
    pub pace: Pace,
    /// When it began to run in this process.
    pub since: Instant,
}

/// The end of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proving {
    /// Nobody was asked to prove anything.
    #[default]
    NotYet,
    /// Somebody was.
    Asked,
    /// The proof is stored.
    Proved,
    /// What was settled contradicts itself.
    Confused,
    /// The step that follows was said.
    Over,
}

impl Job {
    /// Its number.
    pub fn number(&self) -> JobNumber {
        JobNumber(self.record.number)
    }

    /// Whether its tasks are handed out.
    pub fn is_running(&self) -> bool {
        self.record.standing == Standing::Running
    }

    /// Tasks and steps that are possible now and were not before.
    pub fn next(&mut self) -> Next {
        if let Some(plies) = &self.plies {
            let (proving, next) = match self.proving {
                Proving::NotYet if self.proves_at_once() || plies.outcome().is_some() => {
                    (Proving::Asked, Next { tasks: vec![self.proof_task()], steps: Vec::new() })
                }
                Proving::Proved => (Proving::Over, Next { tasks: Vec::new(), steps: vec![Step::Conclude] }),
                Proving::Confused => (Proving::Over, Next { tasks: Vec::new(), steps: vec![Step::BeginAnew] }),
                Proving::NotYet | Proving::Asked | Proving::Over => return Next::default(),
            };
            self.proving = proving;
            return next;
        }
        self.course.as_mut().map(Course::advance).unwrap_or_default()
    }

    /// All tasks that are possible and not done.
    pub fn open_tasks(&self) -> Vec<Task> {
        match (&self.plies, &self.course) {
            (Some(plies), _) => match self.proving {
                Proving::NotYet => plies.open_orders().map(search_task).collect(),
                Proving::Asked => vec![self.proof_task()],
                Proving::Proved | Proving::Confused | Proving::Over => Vec::new(),
            },
            (None, Some(course)) => course.open_tasks(),
            (None, None) => vec![Task { kind: TaskKind::Whole, layer: 0, shard: 0 }],
        }
    }

    /// Its findings are stored.
    pub fn add(&mut self, task: Task, findings: Findings, now: Duration) {
        self.done += 1;
        self.work_done += match &findings {
            Findings::Searched(searched) => searched.nodes,
            _ => self.need(task).work,
        };
        self.states += match &findings {
            Findings::Solved(solved) => solved.slots,
            Findings::Duals(valued) => valued.shard.slots,
            Findings::Surveyed(surveyed) => surveyed.types,
            Findings::Sampled(sampled) => sampled.batches.len() as u64 * BATCH,
            Findings::Searched(searched) => searched.nodes,
            Findings::Whole(_) | Findings::Enumerated { .. } | Findings::Joined { .. } => 0,
            Findings::Proved(_) | Findings::Confused => 0,
        };
        self.pace.record(now, self.work_done, self.states);
        if let Some(plies) = &mut self.plies {
            match findings {
                Findings::Searched(searched) => plies.answer(task.shard, &searched),
                Findings::Proved(_) => self.proving = Proving::Proved,
                Findings::Confused => self.proving = Proving::Confused,
                _ => {}
            }
        } else if let Some(course) = &mut self.course {
            course.add(task, findings);
        }
    }

    /// What a worker must know of a task of a search.
    pub fn order_of(&self, task: Task) -> Option<Order> {
        let plies = self.plies.as_ref()?;
        match task.kind {
            TaskKind::Prove => Some(Order { position: String::new(), nodes: 0, salt: plies.record().salt }),
            _ => plies.order(task.shard).cloned(),
        }
    }

    /// Whether the search is so short that whoever proves does it.
    fn proves_at_once(&self) -> bool {
        self.plan.is_small()
    }

    /// A search that began anew has another proof.
    pub(super) fn proof_task(&self) -> Task {
        let attempt = self.plies.as_ref().map_or(0, |plies| plies.record().salt as usize);
        Task { kind: TaskKind::Prove, layer: 0, shard: attempt }
    }

    /// Seconds that it has been running.
    pub fn seconds(&self) -> f64 {
        let here = if self.is_running() { self.since.elapsed().as_secs_f64() } else { 0.0 };
        self.record.seconds + here
    }

    /// Work in all, as far as that is known or expected.
    pub fn work_total(&self) -> u64 {
        match &self.plies {
            Some(plies) => (plies.predicted_now() as u64).max(self.work_done),
            None => self.work_of_plan().max(self.work_done),
        }
    }

    fn cut(&self, layer: Option<usize>) -> Option<&Cut> {
        self.course.as_ref()?.cut(layer?)
    }

    fn totals(&self, layer: Option<usize>) -> Totals {
        self.course.as_ref().zip(layer).map(|(course, layer)| course.totals(layer)).unwrap_or_default()
    }

    fn totals_up_to(&self, layer: usize) -> Totals {
        let layers = (0..=layer).map(|layer| self.totals(Some(layer)));
        layers.fold(Totals::default(), |sum, layer| Totals {
            shards: sum.shards + layer.shards,
            bases: sum.bases + layer.bases,
            slots: sum.slots + layer.slots,
        })
    }

    /// What a task takes.
    pub fn need(&self, task: Task) -> Need {
        let Task { kind, layer, shard } = task;
        let below = layer.checked_sub(1);
        let (of, read) = match kind {
            TaskKind::Whole => return Need { work: self.work_of_plan(), memory: self.plan.memory_bytes as u64 },
            TaskKind::Search | TaskKind::Prove => {
                let nodes = self.plies.as_ref().and_then(|plies| plies.order(shard)).map_or(1, |order| order.nodes);
                return Need { work: nodes, memory: self.engine.memory_of(task, &TaskSizes::default()) };
            }
            TaskKind::Enumerate => (below, None),
            TaskKind::Solve => (Some(layer), below),
            TaskKind::Join => (Some(layer), Some(layer)),
            TaskKind::Duals => (Some(layer), None),
        };
        let own = self.cut(of);
        let own_shard = own.and_then(|cut| cut.shards.get(shard)).copied();
        let (bases, slots) = own_shard.map_or((0, 0), |shard| (shard.bases, shard.slots));
        let whole = self.totals(of);
        let game_side = kind.side().filter(|_| self.record.spec.question.is_game());
        let read = match game_side {
            Some(Side::Lower) => self.totals_up_to(layer),
            Some(Side::Upper) => self.totals_up_to(self.engine.last_layer()),
            None => self.totals(read),
        };
        let sizes = TaskSizes {
            bases_read: read.bases,
            slots_read: read.slots,
            bases,
            slots,
            width: self.course.as_ref().and_then(|course| course.width(below?)).unwrap_or(1),
        };
        let edges = own.map_or(0, |cut| cut.edges as u128 * u128::from(bases) / u128::from(whole.bases.max(1))) as u64;
        let work = match kind {
            TaskKind::Enumerate | TaskKind::Whole | TaskKind::Search | TaskKind::Prove => bases * EDGES_OF_A_BASE,
            TaskKind::Solve | TaskKind::Duals => match game_side {
                Some(side) => bases * side.moves(layer, self.engine.last_layer()) as u64 + slots,
                None => edges + slots,
            },
            // Little of it for most shards, and for none more than a part of their values.
            TaskKind::Join => slots / 16,
        };
        Need { work: work.max(1), memory: self.engine.memory_of(task, &sizes) }
    }

    fn work_of_plan(&self) -> u64 {
        let Plan { edges, operations, states, .. } = self.plan;
        // Every edge is followed up and down, or in a game every move to another block; every slot is written once.
        let followed = if self.record.spec.question.is_game() { edges + operations } else { 2.0 * edges };
        ((followed + states) as u64).max(1)
    }

    /// How many shards there are beside a task's, its own included.
    pub fn shards_beside(&self, task: Task) -> u64 {
        let of = if task.kind == TaskKind::Enumerate { task.layer.checked_sub(1) } else { Some(task.layer) };
        self.cut(of).map_or(1, |cut| cut.shards.len() as u64).max(1)
    }

    /// Where in its layer a shard is, as a number below 2^20.
    pub fn position(&self, task: Task) -> u64 {
        const ONE: u64 = 1 << 20;
        let shards = self.shards_beside(task);
        ((2 * task.shard as u64 + 1) * ONE / (2 * shards)).min(ONE - 1)
    }
}

/// The task of an order of a search.
pub fn search_task(number: usize) -> Task {
    Task { kind: TaskKind::Search, layer: 0, shard: number }
}
