//! Lanes: threads that take a task each from its lease to its delivery. One computes at a time, with all threads that the
//! worker has; meanwhile another reads, and another delivers.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use antichain_common::job::task::{Effort, Engine, Findings, Prepared, Table, engine};
use antichain_common::job::{Interrupt, JobSpec, Question, Sampling, Side, SizeLimits};
use antichain_common::store::BlockImage;
use antichain_proto::v1;
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::calls::Calls;
use crate::deliver::{File, Outcome, deliver};
use crate::error::{Undone, WorkerError};
use crate::fetch::Place;
use crate::fill::Fill;
use crate::link::Link;
use crate::replicas::{Adding, AtHand};
use crate::search::Searching;
use crate::shop::Shop;
use crate::table::LayerTable;

/// Number of lanes.
pub const LANES: usize = 3;

/// A task in hand.
pub struct Assignment {
    /// The lease.
    pub lease: v1::Lease,
    /// A wish to stop.
    pub interrupt: Arc<Interrupt>,
}

/// What all lanes share.
pub struct Lanes {
    /// To the coordinator.
    pub link: Arc<Link>,
    /// What is at hand.
    pub shop: Shop,
    /// Threads that compute.
    pub threads: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// A folder for what a task needs on the disk.
    pub scratch: std::path::PathBuf,
    /// For what goes on beside a task.
    pub runtime: Handle,
    /// For what a lane waits for.
    pub calls: Calls,
    /// Held by who computes.
    pub bench: Mutex<()>,
    /// Told when a task is done with.
    pub done: tokio::sync::Notify,
    /// Where an error goes that ends the worker.
    pub failed: mpsc::Sender<WorkerError>,
}

impl Lanes {
    /// Serves a lane until no more tasks come.
    pub fn serve(&self, tasks: &Mutex<std::sync::mpsc::Receiver<Assignment>>) {
        loop {
            let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Assignment { lease, interrupt }) = next else { return };
            let span = tracing::info_span!(
                "task",
                job = lease.job,
                kind = lease.kind().as_str_name().trim_start_matches("TASK_KIND_"),
                layer = lease.layer,
                shard = lease.shard,
                worker = self.link.session.worker(),
                epoch = lease.epoch
            );
            let _entered = span.entered();
            let start = std::time::Instant::now();
            let computed = std::panic::catch_unwind(AssertUnwindSafe(|| self.compute(&lease, &interrupt)));
            let Ok(computed) = computed else {
                // Its lease ends with this worker, and counts against the task: one that ends several is set aside.
                let task = format!("layer {}, shard {} of {}", lease.layer, lease.shard, lease.job);
                let _ = self.failed.try_send(WorkerError::Panicked(task));
                return;
            };
            match computed {
                Ok(outcome) => {
                    tracing::debug!(seconds = start.elapsed().as_secs_f64(), "done");
                    if let Some(Err(error)) = self.calls.wait(deliver(&self.link, &outcome)) {
                        // Only the first one counts.
                        let _ = self.failed.try_send(error);
                    }
                    self.link.session.let_go(lease.task);
                }
                Err(undone) => {
                    match &undone {
                        Undone::Unwanted => tracing::debug!("given up: {undone}"),
                        Undone::Gone(_) => tracing::info!("given back: {undone}"),
                        Undone::Damaged(_) | Undone::Task(_) => tracing::error!("not done: {undone}"),
                    }
                    if let Some(epoch) = self.link.session.let_go(lease.task) {
                        if !matches!(undone, Undone::Unwanted) {
                            // So that it does not come back at once, should nothing have changed.
                            std::thread::sleep(std::time::Duration::from_millis(500));
                        }
                        self.calls.wait(self.link.release(vec![epoch], false));
                    }
                }
            }
            self.done.notify_waiters();
        }
    }

    fn compute(&self, lease: &v1::Lease, interrupt: &Interrupt) -> Result<Outcome, Undone> {
        let spec = spec_of(lease)?;
        let engine = self.shop.engine(&lease.job, || Ok(engine(&spec)?))?;
        let effort = Effort { threads: self.threads, memory: self.memory, interrupt, scratch: &self.scratch };
        let is_wanted = || !interrupt.is_requested();
        let (job, layer, shard) = (&lease.job, lease.layer as usize, lease.shard as usize);
        let (findings, image) = match lease.kind() {
            v1::TaskKind::Whole => {
                let _bench = self.bench();
                (engine.whole(&effort)?, None)
            }
            v1::TaskKind::Enumerate => {
                let below = layer.checked_sub(1).ok_or_else(|| Undone::Gone("layer -1".to_owned()))?;
                let known = self.shop.layer(job, below, false, &is_wanted)?;
                let bases = self.shop.bases(job, (below, &known), shard, &is_wanted)?;
                let _bench = self.bench();
                let (findings, image) = engine.enumerate(&bases, layer, &effort)?;
                (findings, Some(image))
            }
            v1::TaskKind::Solve if engine.spec().question == Question::Ruler => {
                let _bench = self.bench();
                (engine.survey(layer, shard, &lease.heights, &effort)?, None)
            }
            v1::TaskKind::Solve if engine.spec().question == Question::Estimate => {
                let _bench = self.bench();
                (engine.sample(shard, &effort)?, None)
            }
            v1::TaskKind::Solve if engine.spec().question.is_game() => {
                let known = self.shop.layer(job, layer, false, &is_wanted)?;
                let bases = self.shop.bases(job, (layer, &known), shard, &is_wanted)?;
                let at_hand = self.replica(&*engine, lease, Side::Lower, &effort)?;
                let replica = at_hand.read();
                let _bench = self.bench();
                let (findings, image) = replica.value_lower(layer, &bases, &effort)?;
                (findings, Some(image))
            }
            v1::TaskKind::Duals => {
                let at_hand = self.replica(&*engine, lease, Side::Upper, &effort)?;
                let replica = at_hand.read();
                let _bench = self.bench();
                let (findings, image) = replica.value_upper(layer, shard, &effort)?;
                (findings, Some(image))
            }
            v1::TaskKind::Solve => {
                let known = self.shop.layer(job, layer, false, &is_wanted)?;
                let bases = self.shop.bases(job, (layer, &known), shard, &is_wanted)?;
                let mut below = None;
                if let (true, Some(number)) = (engine.has_values(), layer.checked_sub(1)) {
                    let layer = self.shop.layer(job, number, true, &is_wanted)?;
                    below = Some(self.shop.index(&*engine, job, (number, &layer), self.threads, &is_wanted)?);
                }
                let task = {
                    let _bench = self.bench();
                    engine.prepare_solve(&bases, layer, below.as_ref(), &effort)?
                };
                self.finish(&*engine, lease, task, &effort)?
            }
            v1::TaskKind::Join => {
                let mut indices = Vec::new();
                let duals = engine.layer_of_duals(layer).ok_or_else(|| Undone::Gone("duals".to_owned()))?;
                for number in [layer, duals] {
                    let known = self.shop.layer(job, number, true, &is_wanted)?;
                    indices.push(self.shop.index(&*engine, job, (number, &known), self.threads, &is_wanted)?);
                }
                let task = {
                    let _bench = self.bench();
                    engine.prepare_join(shard, &indices[0], &indices[1], &effort)?
                };
                self.finish(&*engine, lease, task, &effort)?
            }
            v1::TaskKind::Search => {
                let _bench = self.bench();
                self.searching(&*engine, lease, &effort).search()?
            }
            v1::TaskKind::Prove => {
                let _bench = self.bench();
                self.searching(&*engine, lease, &effort).prove()?
            }
            v1::TaskKind::Unspecified => return Err(Undone::Gone("a task of a kind it does not know".to_owned())),
        };
        let image = image.map(Arc::new);
        let kind = match lease.kind() {
            v1::TaskKind::Solve => Some(v1::FileKind::Values),
            v1::TaskKind::Duals => Some(v1::FileKind::Duals),
            _ => None,
        };
        if let Some((image, kind)) = image.as_ref().zip(kind) {
            self.shop.made.put(Place { job: job.clone(), kind, layer, shard }, image.clone());
            if let Some(cache) = &self.shop.cache {
                cache.put_image(image);
            }
        }
        let file = image.map(File::new);
        let findings = serde_json::to_vec(&findings).map_err(|error| Undone::Gone(error.to_string()))?;
        Ok(Outcome { task: lease.task, findings: Bytes::from(findings), file })
    }

    /// The replica of a game with all layers that a task needs.
    fn replica(
        &self,
        engine: &dyn Engine,
        lease: &v1::Lease,
        side: Side,
        effort: &Effort<'_>,
    ) -> Result<Arc<AtHand>, Undone> {
        let no_game = || Undone::Gone("a game".to_owned());
        let at_hand = self.shop.replicas.of(&lease.job, engine).ok_or_else(no_game)?;
        let adding = Adding { shop: &self.shop, bench: &self.bench, job: &lease.job, effort };
        adding.add_up_to(&at_hand, side, lease.layer as usize)?;
        self.shop.replicas.keep_to_memory();
        Ok(at_hand)
    }

    fn searching<'a>(&'a self, engine: &'a dyn Engine, lease: &'a v1::Lease, effort: &'a Effort<'a>) -> Searching<'a> {
        Searching { shop: &self.shop, link: &self.link, runtime: &self.runtime, engine, lease, effort }
    }

    fn bench(&self) -> std::sync::MutexGuard<'_, ()> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills in the tables that a task reads, and does it.
    fn finish(
        &self,
        engine: &dyn Engine,
        lease: &v1::Lease,
        task: Box<dyn Prepared>,
        effort: &Effort<'_>,
    ) -> Result<(Findings, Option<BlockImage>), Undone> {
        let is_wanted = || !effort.interrupt.is_requested();
        debug_assert_eq!(engine.spec().id().0, lease.job);
        let mut tables: Vec<Arc<LayerTable>> = Vec::new();
        for (number, needed) in task.needed() {
            let layer = self.shop.layer(&lease.job, *number, true, &is_wanted)?;
            let width = layer.reply.shards.first().map_or(1, |shard| shard.width as usize);
            let table = self.shop.table(&lease.job, *number, &layer, width);
            let (shop, job, reply) = (&self.shop, &lease.job, &layer.reply);
            let fill = Fill { shop, job, layer: *number, reply, table: &table, is_wanted: &is_wanted };
            if let Err(error) = fill.fill(needed) {
                if matches!(error, Undone::Damaged(_)) {
                    self.shop.forget_table(&lease.job, *number);
                }
                return Err(error);
            }
            tables.push(table);
        }
        let _bench = self.bench();
        let read: Vec<_> = tables.iter().map(|table| table.read()).collect();
        let tables: Vec<Table<'_>> =
            read.iter().map(|filled| Table { words: filled.words(), width: filled.width() }).collect();
        Ok(task.finish(&tables, effort)?)
    }
}

/// What is asked, if this program can ask it.
fn spec_of(lease: &v1::Lease) -> Result<JobSpec, Undone> {
    let unknown = || Undone::Gone(format!("a question that this worker does not know, of {}", lease.job));
    let spec = lease.spec.as_ref().ok_or_else(unknown)?;
    let question: Question = spec.question.parse().map_err(|_| unknown())?;
    let limits = SizeLimits { min: spec.min_elements as usize, max: spec.max_elements.map(|max| max as usize) };
    let sampling = spec.sampling.map(|v1::Sampling { frontier, seed, batches }| Sampling {
        frontier: frontier as usize,
        seed,
        batches,
    });
    Ok(JobSpec { question, poset: spec.poset.clone(), limits, position: spec.position.clone(), sampling })
}
