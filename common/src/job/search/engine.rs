//! The tasks of a search that machines share: some search, and when all is settled one proves.

use std::sync::{Arc, OnceLock};

use super::options::{Options, options};
use super::party::{Party, PartyOf};
use super::{JobSpec, settled};
use crate::ideal::{Element, Ideal};
use crate::job::JobError;
use crate::job::task::{Effort, Engine, Task, TaskError, TaskSizes};
use crate::poset::Poset;
use crate::search::Rules;
use crate::store::{BlockHead, Damage};

/// Bytes of memory without which a worker gets no order: searches take what they are given, but not less than some.
const LEAST_MEMORY: u64 = 64 << 20;

/// Does tasks of a search of positions of `W` words.
struct SearchEngine<const W: usize> {
    spec: JobSpec,
    poset: Poset,
    root: Ideal<W>,
    /// Made when they are needed first: that takes a tenth of a second.
    rules: OnceLock<Arc<Rules<W>>>,
}

impl<const W: usize> SearchEngine<W> {
    fn engine(poset: Poset, members: &[Element]) -> Arc<dyn Engine> {
        let root = members.iter().fold(Ideal::empty(), |root: Ideal<W>, &x| root.with(x));
        Arc::new(Self { spec: JobSpec::search(&poset, members), poset, root, rules: OnceLock::new() })
    }

    fn rules(&self) -> &Arc<Rules<W>> {
        self.rules.get_or_init(|| Arc::new(Rules::new(&self.poset)))
    }
}

impl<const W: usize> Engine for SearchEngine<W> {
    fn spec(&self) -> &JobSpec {
        &self.spec
    }

    fn last_layer(&self) -> usize {
        0
    }

    fn space(&self) -> &str {
        // No bases: nobody owns them.
        &self.spec.poset
    }

    fn has_values(&self) -> bool {
        true
    }

    fn options(&self, position: &str) -> Result<Options, TaskError> {
        options(self.rules(), &self.poset, position)
    }

    fn check_settled(&self, head: &BlockHead) -> Result<(), Damage> {
        settled::check_head(head, W)
    }

    fn party(&self, effort: &Effort<'_>) -> Result<Box<dyn Party>, TaskError> {
        let (spec, poset, rules) = (self.spec.clone(), self.poset.clone(), self.rules().clone());
        Ok(Box::new(PartyOf::new((spec, poset, self.root), rules, effort)))
    }

    fn memory_of(&self, _task: Task, _sizes: &TaskSizes) -> u64 {
        LEAST_MEMORY
    }
}

/// Does the tasks of a job, if it is a search.
///
/// # Errors
/// [`JobError::Poset`], [`JobError::Position`].
pub fn search_engine(spec: &JobSpec) -> Result<Option<Arc<dyn Engine>>, JobError> {
    let engine = |(poset, members): (Poset, Vec<Element>)| match poset.words() {
        1 => SearchEngine::<1>::engine(poset, &members),
        2 => SearchEngine::<2>::engine(poset, &members),
        _ => SearchEngine::<4>::engine(poset, &members),
    };
    Ok(spec.root()?.map(engine))
}
