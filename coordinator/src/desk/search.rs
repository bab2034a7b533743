//! Searches: orders for workers, and the end of it.

use antichain_common::job::certificate::Certificate;
use antichain_common::job::search::proof::FILE_SPEC;
use antichain_common::job::search::{Options, Searched, check_proof_of};
use antichain_common::job::task::{Engine, Findings, TaskKind};
use antichain_common::job::{Interrupt, JobError, JobId, JobSpec, Plan, ProofRecord};
use antichain_common::store::{BlockHead, Commit, ShardKind, Store, StoreError};

use super::Desk;
use super::documents::{PLIES, StoredFindings, TASK_PREFIX, task_document};
use super::job::{Job, Proving, search_task};
use super::state::State;
use super::steps::{StepError, StepJob};
use crate::course::Step;
use crate::ledger::{TaskId, WorkerId};
use crate::plies::{Plies, PliesRecord};
use crate::task_id::{JobNumber, task_id};

/// Salts to try: where two positions have the same hash under one, they do not under the next.
const SALTS: u64 = 3;

/// What is stored of a search.
pub(super) fn known_plies(
    store: &Store,
    (id, spec): (&JobId, &JobSpec),
    engine: &dyn Engine,
    plan: &Plan,
) -> Result<(Plies, Vec<StoredFindings>), StepError> {
    let record: PliesRecord = store.document(&id.0, PLIES)?.unwrap_or_default();
    let mut results = Vec::new();
    for document in store.documents(&id.0)?.into_iter().filter(|document| document.name.starts_with(TASK_PREFIX)) {
        results.extend(store.document::<StoredFindings>(&id.0, &document.name)?);
    }
    results.sort_by_key(|found| found.task);
    let orders = results.iter().filter(|found| found.task.kind == TaskKind::Search).map(|found| found.task.shard);
    let files = store.shards_of(&id.0, ShardKind::Settled)?.map(|(key, _)| key.shard as usize);
    let next_order = orders.chain(files).max().map_or(0, |last| last + 1);
    let (poset, members) = spec.root()?.ok_or_else(|| JobError::SelfCheck(format!("{id} is no search")))?;
    let root = (antichain_common::poset::format_position(&poset, &members), members.len());
    let mut plies = Plies::new(root, plan.states, &record, next_order);
    plies.restore(&record, &expansion(engine));
    Ok((plies, results))
}

/// The options of positions of a job.
fn expansion(engine: &dyn Engine) -> impl Fn(&str) -> Option<Options> + '_ {
    |position| {
        let options = engine.options(position);
        options.map_err(|error| tracing::error!("the options of {position}: {error}")).ok()
    }
}

impl State {
    /// The task of a search that a worker may have next, if it has none: one that waits, or a new order.
    pub(super) fn give_order(&mut self, worker: WorkerId) -> Option<TaskId> {
        let threads = self.workers.get(&worker).map_or(1, |worker| worker.threads);
        let has_one = self.ledger.holds(worker).any(|lease| {
            let task = self.job_of(lease.task).map(|(_, task)| task.kind);
            matches!(task, Some(TaskKind::Search | TaskKind::Prove))
        });
        if has_one {
            return None;
        }
        let searches = self.jobs.values().filter(|job| job.is_running() && job.plies.is_some());
        let searches: Vec<JobNumber> = searches.map(Job::number).collect();
        for number in searches {
            self.withdraw_idle(number);
            let Some(job) = self.jobs.get_mut(&number) else { continue };
            let waiting = job.open_tasks().into_iter().map(|task| task_id(number, task));
            let waiting = waiting.into_iter().find(|&id| self.ledger.counts_in(id..=id).ready > 0);
            if waiting.is_some() {
                return waiting;
            }
            let engine = job.engine.clone();
            let plies = job.plies.as_mut().filter(|_| job.proving == Proving::NotYet);
            if let Some(order) = plies.and_then(|plies| plies.give(threads, &expansion(&*engine))) {
                let task = search_task(order);
                self.ledger.add(task_id(number, task), job.need(task));
                return Some(task_id(number, task));
            }
        }
        None
    }

    /// Takes orders back that nobody has, and on which nothing depends.
    fn withdraw_idle(&mut self, number: JobNumber) {
        let Some(plies) = self.jobs.get_mut(&number).and_then(|job| job.plies.as_mut()) else { return };
        for order in plies.idle_orders() {
            let id = task_id(number, search_task(order));
            if self.ledger.counts_in(id..=id).ready > 0 {
                self.ledger.drop_tasks(id..=id);
                plies.withdraw(order);
            }
        }
    }
}

impl Desk {
    /// Takes a step of a search.
    pub(super) fn take_step_of_search(&self, job: &StepJob, step: Step) -> Result<(), StepError> {
        match step {
            Step::Conclude => self.conclude_search(job),
            Step::BeginAnew => self.begin_anew(job),
            // It has no layers.
            Step::Merge(_) | Step::Settle(_) | Step::Complete(_) | Step::CompleteDuals(_) => Ok(()),
        }
    }

    /// Has the proof checked by what shares nothing with the search, and stores the certificate.
    fn conclude_search(&self, job: &StepJob) -> Result<(), StepError> {
        let Some((certificate, nodes)) = self.proved(job)? else { return Ok(()) };
        if let Err(reason) = check_proof_of(&self.store, &certificate, &Interrupt::new()) {
            tracing::error!(job = %job.id, "the proof that was delivered does not hold: {reason}");
            return self.begin_anew(job);
        }
        let proof = certificate.proof.clone().map(|proof| ProofRecord { nodes: proof.nodes + nodes, ..proof });
        self.store_certificate(job.number, &Certificate { proof, ..certificate })
    }

    /// The certificate that was delivered, and the nodes of all orders.
    fn proved(&self, job: &StepJob) -> Result<Option<(Certificate, u64)>, StepError> {
        let (task, nodes) = {
            let state = self.state();
            let known =
                state.jobs.get(&job.number).and_then(|job| Some((job.proof_task(), job.plies.as_ref()?.nodes())));
            let Some(known) = known else { return Ok(None) };
            known
        };
        let found = self.store.document::<StoredFindings>(&job.id.0, &task_document(task))?;
        Ok(found.and_then(|found| match found.findings {
            Findings::Proved(certificate) => Some((*certificate, nodes)),
            _ => None,
        }))
    }

    /// Forgets everything that was settled.
    fn begin_anew(&self, job: &StepJob) -> Result<(), StepError> {
        let record: PliesRecord = self.store.document(&job.id.0, PLIES)?.unwrap_or_default();
        let record = PliesRecord { salt: record.salt + 1, split: Vec::new() };
        if record.salt == SALTS {
            return Err(JobError::SelfCheck(format!("the search of {} contradicts itself", job.id)).into());
        }
        tracing::warn!(job = %job.id, "what was settled contradicts itself; the search begins anew");
        let mut commit = Commit::new();
        for document in self.store.documents(&job.id.0)?.into_iter().filter(|name| name.name.starts_with(TASK_PREFIX)) {
            commit.remove_document(&job.id.0, &document.name);
        }
        for kind in [ShardKind::Settled, ShardKind::Proof] {
            for (key, _) in self.store.shards_of(&job.id.0, kind)? {
                commit.remove_shard(key);
            }
        }
        commit.put_document(&job.id.0, PLIES, &record)?;
        let storing = self.storing();
        if self.work_on(job.number).is_none() {
            return Ok(());
        }
        self.store.commit(commit)?;
        drop(storing);
        let mut state = self.state();
        state.take_back(job.number);
        if let Some(job) = state.jobs.get_mut(&job.number) {
            let spec = &job.record.spec;
            let (plies, _) = known_plies(&self.store, (&job.id, spec), &*job.engine, &job.plan)?;
            job.plies = Some(plies);
            job.proving = Proving::NotYet;
        }
        Ok(())
    }

    /// The files of what a search has settled: the digest of each, by the number of its order.
    ///
    /// # Errors
    /// Errors of reading the catalogue.
    pub fn settled_files(&self, id: &JobId) -> Result<Vec<Option<[u8; 32]>>, StoreError> {
        let mut files = Vec::new();
        for (key, record) in self.store.shards_of(&id.0, ShardKind::Settled)? {
            let number = key.shard as usize;
            files.resize(files.len().max(number + 1), None);
            files[number] = Some(record.file_digest);
        }
        Ok(files)
    }
}

/// Whether the answer of an order is about it, and has its file.
pub(super) fn check_searched(
    searched: &Searched,
    engine: &dyn Engine,
    order: Option<&str>,
    head: Option<&BlockHead>,
) -> Result<(), String> {
    let order = order.ok_or("no order is so numbered")?;
    if searched.position != order {
        return Err(format!("a search of {}, not of {order}", searched.position));
    }
    let head = head.ok_or("settled positions without a file")?;
    engine.check_settled(head).map_err(|damage| damage.to_string())?;
    if head.count() != searched.settled {
        return Err(format!("{} settled positions, where the file has {}", searched.settled, head.count()));
    }
    Ok(())
}

/// Whether a certificate is of the job, and has a proof.
pub(super) fn check_proved(certificate: &Certificate, spec: &JobSpec, head: Option<&BlockHead>) -> Result<(), String> {
    if certificate.spec != *spec || certificate.job != spec.id() || certificate.proof.is_none() {
        return Err("a certificate of another job".to_owned());
    }
    match head {
        Some(head) if head.spec() == FILE_SPEC => Ok(()),
        _ => Err("a certificate without a proof".to_owned()),
    }
}
