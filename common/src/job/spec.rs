//! What names a job: a question, a poset, limits, and what some questions need besides.

use serde::{Deserialize, Serialize};

use super::estimation::{Sampling, estimate_plan};
use super::search::plan_search;
use super::{JobError, Plan, Question, check, plan, ruler_plan};
use crate::poset::given::short_name;
use crate::poset::{Poset, PosetError};

/// Only ideals with `min..=max` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SizeLimits {
    /// Smallest size.
    pub min: usize,
    /// Largest size; `None` is the whole poset.
    pub max: Option<usize>,
}

impl SizeLimits {
    /// Every size.
    pub const NONE: Self = Self { min: 0, max: None };
}

/// What a job is about; equal specifications are the same job, so a second `run` resumes or repeats the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JobSpec {
    /// The question.
    pub question: Question,
    /// The poset's specification in its normal form, for example `boolean:7`.
    pub poset: String,
    /// Limits on the size of ideals.
    pub limits: SizeLimits,
    /// The position that the outcome is asked of, canonical, if it is one position that is searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// What the number is estimated from, if it is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
}

/// Digits of the hash of a position in the name of its job.
const POSITION_DIGITS: usize = 12;

/// Names a job in a data directory; made from its specification: `extensions-boolean-7`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub String);

impl std::fmt::Display for JobId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl JobSpec {
    /// The job of a question; limits that limit nothing are left out.
    pub fn new(question: Question, poset: &Poset, limits: SizeLimits) -> Self {
        let limits = SizeLimits { max: limits.max.filter(|&max| max < poset.len()), ..limits };
        Self { question, poset: poset.name(), limits, position: None, sampling: None }
    }

    /// The job of a question about a poset that is given by its text.
    ///
    /// # Errors
    /// [`PosetError`] if it is no poset, or not one that the question is a job for.
    pub fn read(question: Question, poset: &str, limits: SizeLimits) -> Result<Self, PosetError> {
        let spec = Self { question, poset: poset.to_owned(), limits, position: None, sampling: None };
        match spec.ruler_n()? {
            Some(n) => Ok(Self::ruler(n)),
            None => Ok(Self::new(question, &poset.parse()?, limits)),
        }
    }

    /// The same job with its poset in the normal form, as every front end and every machine has to name it.
    ///
    /// # Errors
    /// [`JobError::Poset`], [`JobError::Position`], [`JobError::NotSearched`], [`JobError::NoEstimate`] if nobody can ask it.
    pub fn normal(&self) -> Result<Self, JobError> {
        if let Some((poset, sampling)) = self.estimated()? {
            return Ok(Self::estimate(&poset, sampling));
        }
        match self.root()? {
            Some((poset, members)) if self.question == Question::Outcome => Ok(Self::search(&poset, &members)),
            Some(_) => Err(JobError::NotSearched(self.question)),
            None => Ok(Self::read(self.question, &self.poset, self.limits)?),
        }
    }

    /// What the job will need.
    ///
    /// # Errors
    /// [`JobError::Poset`], [`JobError::OutOfReach`], [`JobError::NoEstimate`].
    pub fn plan(&self) -> Result<Plan, JobError> {
        if let Some((poset, sampling)) = self.estimated()? {
            return Ok(estimate_plan(&poset, sampling));
        }
        if self.position.is_some() {
            return Ok(plan_search(self)?.as_plan());
        }
        match self.ruler_n()? {
            Some(n) => Ok(ruler_plan(n)),
            None => plan(self.question, &self.poset.parse()?, self.limits),
        }
    }

    /// Whether anybody could do it: [`plan`](Self::plan) without the costs.
    ///
    /// # Errors
    /// As [`plan`](Self::plan).
    pub fn check(&self) -> Result<(), JobError> {
        if self.estimated()?.is_some() {
            return Ok(());
        }
        if self.position.is_some() {
            return plan_search(self)?.check();
        }
        match self.ruler_n()? {
            Some(_) => Ok(()),
            None => check(self.question, &self.poset.parse()?, self.limits),
        }
    }

    /// The job's id: letters, digits and `-` only, fit for a file name.
    pub fn id(&self) -> JobId {
        let mut id = format!("{}-{}", self.question, short_name(&self.poset)).replace([':', ','], "-");
        if self.limits.min > 0 {
            id += &format!("-min{}", self.limits.min);
        }
        if let Some(max) = self.limits.max {
            id += &format!("-max{max}");
        }
        if let Some(position) = &self.position {
            id += &format!("-at-{}", &blake3::hash(position.as_bytes()).to_hex()[..POSITION_DIGITS]);
        }
        if let Some(Sampling { frontier, seed, batches }) = self.sampling {
            id += &format!("-frontier{frontier}-seed{seed}-batches{batches}");
        }
        JobId(id)
    }
}
