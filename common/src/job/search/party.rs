//! What a worker has of a search: a crew with its table, for one order after the other.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use super::proof::proof_image;
use super::shared::{Order, Searched};
use super::{JobSpec, ProofRecord, search_certificate, settled};
use crate::ideal::Ideal;
use crate::job::JobError;
use crate::job::task::{Effort, Findings, TaskError};
use crate::poset::{Poset, parse_position};
use crate::search::{Crew, Finding, Heard, ProveError, Rules, Told, Turn, prove};
use crate::store::{BlockImage, Damage};
use crate::watch::Interrupt;

/// Part of a worker's memory that the table may take.
const TABLE_SHARE: f64 = 0.75;

/// Positions visited below one that a searcher is at, times those of what is worth telling, before others are told that it is
/// there: most positions are left sooner than others would hear that.
const STAYS: u64 = 1 << 8;

/// How others hear of what a searcher settles and where it is, and it of them.
pub trait Others {
    /// Tells what was settled and where its searchers are, by hashes, and returns what others have said since.
    fn meet(&mut self, told: &[Told], path: &[u64]) -> Heard;

    /// Nodes of what is worth telling: others find what took fewer sooner than they hear it.
    fn least_nodes(&self) -> u64;
}

/// Searches positions of one job, and remembers what it has settled.
pub trait Party: Send {
    /// Takes in a file of settled positions.
    ///
    /// # Errors
    /// What is wrong with it.
    fn learn(&mut self, file: &BlockImage, salt: u64) -> Result<(), Damage>;

    /// Searches a position.
    ///
    /// # Errors
    /// [`TaskError::Stopped`]; [`TaskError::Job`] if there is no such position.
    fn search(
        &mut self,
        order: &Order,
        others: &mut dyn Others,
        interrupt: &Interrupt,
    ) -> Result<(Findings, BlockImage), TaskError>;

    /// Settles the position of the job, if it is not settled, and proves what it comes to; [`Findings::Confused`] if two
    /// positions had the same hash, or something that was told is not true.
    ///
    /// # Errors
    /// [`TaskError::Stopped`].
    fn prove(
        &mut self,
        salt: u64,
        others: &mut dyn Others,
        interrupt: &Interrupt,
    ) -> Result<(Findings, Option<BlockImage>), TaskError>;
}

/// A party for positions of `W` words.
pub(super) struct PartyOf<const W: usize> {
    spec: JobSpec,
    poset: Poset,
    root: Ideal<W>,
    rules: Arc<Rules<W>>,
    threads: usize,
    table_bytes: u64,
    /// With the salt of its hashes.
    crew: Option<(u64, Crew<W>)>,
}

impl<const W: usize> PartyOf<W> {
    /// For the position of a job, as large as its worker can afford.
    pub(super) fn new(
        (spec, poset, root): (JobSpec, Poset, Ideal<W>),
        rules: Arc<Rules<W>>,
        effort: &Effort<'_>,
    ) -> Self {
        let table_bytes = (effort.memory as f64 * TABLE_SHARE) as u64;
        Self { spec, poset, root, rules, threads: effort.threads, table_bytes, crew: None }
    }

    /// The crew whose hashes have that salt; what another one knew is forgotten.
    fn crew(&mut self, salt: u64) -> &mut Crew<W> {
        self.crew.take_if(|(other, _)| *other != salt);
        let (rules, threads, bytes) = (&self.rules, self.threads, self.table_bytes);
        // Another one for each worker: what one settles first, others need not.
        let taste = RandomState::new().build_hasher().finish();
        let crew = || Crew::with_taste(rules.clone(), (threads, taste), (bytes, salt));
        &mut self.crew.get_or_insert_with(|| (salt, crew())).1
    }
}

impl<const W: usize> Party for PartyOf<W> {
    fn learn(&mut self, file: &BlockImage, salt: u64) -> Result<(), Damage> {
        let crew = self.crew(salt);
        settled::decode_image::<W>(file, |finding| crew.tell(&finding))
    }

    fn search(
        &mut self,
        order: &Order,
        others: &mut dyn Others,
        interrupt: &Interrupt,
    ) -> Result<(Findings, BlockImage), TaskError> {
        let members = parse_position(&self.poset, &order.position).map_err(JobError::from)?.members;
        let position = members.iter().fold(Ideal::empty(), |position: Ideal<W>, &x| position.with(x));
        let crew = self.crew(order.salt);
        let mut findings: Vec<Finding<W>> = Vec::new();
        let before = crew.nodes();
        let is_lost = crew.settle(position, &mut |turn| {
            findings.extend_from_slice(turn.findings);
            let nodes = turn.nodes;
            exchange(turn, others);
            nodes - before < order.nodes && !interrupt.is_requested()
        });
        if is_lost.is_none() && interrupt.is_requested() {
            return Err(TaskError::Stopped);
        }
        let (nodes, settled) = (crew.nodes() - before, findings.len() as u64);
        let searched = Searched { position: order.position.clone(), is_lost, nodes, settled };
        Ok((Findings::Searched(searched), settled::image(&findings)?))
    }

    fn prove(
        &mut self,
        salt: u64,
        others: &mut dyn Others,
        interrupt: &Interrupt,
    ) -> Result<(Findings, Option<BlockImage>), TaskError> {
        let root = self.root;
        let crew = self.crew(salt);
        let before = crew.nodes();
        let proved = prove(crew, root, &mut |turn| {
            exchange(turn, others);
            !interrupt.is_requested()
        });
        let nodes = crew.nodes() - before;
        let lines = match proved {
            Ok(lines) => lines,
            Err(ProveError::Stopped) => return Err(TaskError::Stopped),
            Err(ProveError::Confused) => {
                self.crew = None;
                return Ok((Findings::Confused, None));
            }
        };
        let (image, digest) = proof_image(&self.poset, &lines)?;
        let winning_move = lines.winning_move.map(|x| self.poset.label(x));
        let proof = ProofRecord { winning_move, entries: lines.entries.len() as u64, nodes };
        let certificate = search_certificate(&self.spec, proof, lines.winning_move.is_none(), digest)?;
        Ok((Findings::Proved(Box::new(certificate)), Some(image)))
    }
}

/// Tells others what was settled and where searchers are, as far as that is worth it, and takes in what they say.
fn exchange<const W: usize>(turn: Turn<'_, W>, others: &mut dyn Others) {
    let least = others.least_nodes();
    let worth: Vec<Told> = turn.news.iter().filter(|told| told.nodes >= least).copied().collect();
    let stays = turn.path.iter().filter(|at| at.nodes >= least.saturating_mul(STAYS));
    let path: Vec<u64> = stays.map(|at| at.hash).collect();
    *turn.heard = others.meet(&worth, &path);
}
