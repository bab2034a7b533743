//! What to do about a value that is neither stored nor quick to compute: a command that works, or says why it does not.

use super::{Query, Stored};
use crate::job::Question;

/// Elements of a poset of which it is not looked at how many ideals it has: to say whether anybody can visit those of a larger one
/// takes many seconds, and `plan` says it too.
const QUICKLY_PLANNED: usize = 128;

impl Query<'_> {
    /// What to do about a position of so many elements.
    pub(super) fn hint(&self, position: &str, size: usize) -> String {
        if let Some((job, top)) = self.stored.iter().filter_map(Stored::frontier).max_by_key(|&(_, top)| top)
            && top < size
        {
            return format!(
                "{} has ideals of at most {top} elements, and this one has {size}: `antichain plan {} {} --max-elements {size}` \
                 says what it takes to go on so far, if anybody can{}",
                job.id(),
                job.question,
                job.poset,
                self.alone(position)
            );
        }
        match self.stored.iter().find_map(Stored::unfinished) {
            Some(job) => format!("{job} is not finished: what it has found so far does not say"),
            None => self.hint_of_question(position, size),
        }
    }

    /// How to learn about this position where there are too many to value all.
    fn alone(&self, position: &str) -> String {
        if self.question.is_game() {
            let poset = self.poset.name();
            format!(
                "; `antichain plan outcome {poset} --position '{position}'` says whether a search of this one alone could find \
                 who wins"
            )
        } else {
            "; `antichain estimate extensions` estimates the number of a whole poset".to_owned()
        }
    }

    fn hint_of_question(&self, position: &str, size: usize) -> String {
        let (question, poset) = (self.question, self.poset.name());
        match question {
            Question::Ideals => {
                "`antichain run ideals` counts the ideals of the whole poset; within a position only few are counted"
                    .to_owned()
            }
            Question::Ruler => "`antichain coins value` computes it".to_owned(),
            Question::Estimate => "`antichain estimate` is about whole posets".to_owned(),
            _ if self.poset.len() > QUICKLY_PLANNED => self.run_limited(position, size),
            Question::Outcome => format!(
                "`antichain run outcome {poset}` stores the values of all positions (those of a truncated Boolean lattice are \
                 among those of the whole one); with --position '{position}' it searches this one alone"
            ),
            Question::Grundy | Question::Remoteness => format!(
                "`antichain run {question} {poset}` stores the values of all positions (those of a truncated Boolean lattice \
                 are among those of the whole one)"
            ),
            Question::Extensions if size == self.poset.len() => {
                format!("`antichain run extensions {poset}` computes it")
            }
            Question::Extensions if self.poset.duality().is_some() && size > self.poset.len().div_ceil(2) => {
                "of a self-dual poset only positions with at most half of the elements are stored".to_owned()
            }
            Question::Extensions => {
                format!("`antichain run extensions {poset} --keep-values` stores the values of all positions")
            }
        }
    }

    /// How to have the value from a job that is not about the whole poset.
    fn run_limited(&self, position: &str, size: usize) -> String {
        let (question, poset) = (self.question, self.poset.name());
        format!(
            "`antichain plan {question} {poset} --max-elements {size}` says what it takes to store the values of all positions of at \
             most so many elements, if anybody can{}",
            self.alone(position)
        )
    }
}
