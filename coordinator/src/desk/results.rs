//! Whether a result is one of its task, and agrees with its file.

use antichain_common::job::task::{Engine, Findings, Solved, Task, TaskKind};
use antichain_common::job::{Question, ValuedShard};
use antichain_common::recurrence::limbs::WIDTHS;
use antichain_common::store::BlockHead;

use super::estimate::check_sampled;
use super::ruler::check_surveyed;
use super::search::{check_proved, check_searched};
use crate::course::CutShard;
use crate::ledger::Digest;

pub(super) fn is_of_search(task: Task) -> bool {
    matches!(task.kind, TaskKind::Search | TaskKind::Prove)
}

/// The digest of a result: of what was found and of the contents of its file. What a search visits depends on what others told
/// it, and whether its answer is true is seen in the proof: so all answers of an order are the same answer.
pub(super) fn digest(task: Task, findings: &[u8], head: Option<&BlockHead>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    if is_of_search(task) {
        return *hasher.finalize().as_bytes();
    }
    hasher.update(findings);
    if let Some(head) = head {
        hasher.update(&head.payload_digest());
    }
    *hasher.finalize().as_bytes()
}

/// What a coordinator knows of a task beforehand.
pub(super) struct Expected {
    pub shard: Option<CutShard>,
    pub width_below: usize,
    /// The position that is searched.
    pub order: Option<String>,
}

/// The findings, if they are of the task and agree with the file.
pub(super) fn check(
    engine: &dyn Engine,
    task: Task,
    findings: &[u8],
    head: Option<&BlockHead>,
    expected: &Expected,
) -> Result<Findings, String> {
    let Expected { shard, width_below, order } = expected;
    let (shard, width_below) = (*shard, *width_below);
    let findings: Findings = serde_json::from_slice(findings).map_err(|error| format!("its findings: {error}"))?;
    let (kind, has_file) = match &findings {
        Findings::Whole(certificate) if certificate.spec == *engine.spec() && certificate.job == engine.spec().id() => {
            (TaskKind::Whole, false)
        }
        Findings::Whole(_) => return Err("a certificate of another job".to_owned()),
        Findings::Enumerated { .. } => (TaskKind::Enumerate, true),
        Findings::Joined { .. } => (TaskKind::Join, false),
        Findings::Solved(solved) => {
            check_solved(solved, head, shard, width_below)?;
            let found = (solved.values.is_some(), solved.positions.is_some());
            let question = engine.spec().question;
            if found != (question == Question::Extensions, question.is_game()) {
                return Err("values of another question".to_owned());
            }
            (TaskKind::Solve, engine.has_values())
        }
        Findings::Surveyed(surveyed) => {
            if engine.spec().question != Question::Ruler {
                return Err("types of another question".to_owned());
            }
            check_surveyed(surveyed, task, shard)?;
            (TaskKind::Solve, false)
        }
        Findings::Sampled(sampled) => {
            if engine.spec().question != Question::Estimate {
                return Err("batches of another question".to_owned());
            }
            check_sampled(sampled, engine.spec(), shard)?;
            (TaskKind::Solve, false)
        }
        Findings::Searched(searched) => {
            check_searched(searched, engine, order.as_deref(), head)?;
            (TaskKind::Search, true)
        }
        Findings::Proved(certificate) => {
            check_proved(certificate, engine.spec(), head)?;
            (TaskKind::Prove, true)
        }
        Findings::Confused => (TaskKind::Prove, false),
        Findings::Duals(valued) => {
            let slots = shard.ok_or("a shard that is not cut yet")?.slots;
            check_valued(valued, head.ok_or("values without a file")?, slots)?;
            (TaskKind::Duals, true)
        }
    };
    if kind != task.kind {
        return Err(format!("findings of another kind than {task}"));
    }
    if has_file != head.is_some() {
        return Err(format!("{task} {} a file", if has_file { "needs" } else { "has not" }));
    }
    Ok(findings)
}

fn check_solved(
    solved: &Solved,
    head: Option<&BlockHead>,
    shard: Option<CutShard>,
    width_below: usize,
) -> Result<(), String> {
    let expected = shard.ok_or("a shard that is not cut yet")?;
    if (solved.bases, solved.slots) != (expected.bases, expected.slots) {
        return Err(format!(
            "{} bases and {} slots, not {} and {}",
            solved.bases, solved.slots, expected.bases, expected.slots
        ));
    }
    match (&solved.values, &solved.positions, head) {
        (None, None, None) => Ok(()),
        (None, Some(valued), Some(head)) => check_valued(valued, head, expected.slots),
        (Some(values), None, Some(head)) => {
            let digest = blake3::Hash::from_bytes(head.payload_digest()).to_hex();
            let width = values.width;
            if !WIDTHS.contains(&width) || width < width_below || head.spec().record_bytes as usize != 8 * width {
                return Err(format!("values of {width} limbs"));
            }
            if head.count() != solved.slots || *digest != *values.digest {
                return Err("values that are not those of its file".to_owned());
            }
            Ok(())
        }
        _ => Err("values without a file, or a file without values".to_owned()),
    }
}

/// Whether the values of a shard of a game are those of its file.
fn check_valued(valued: &ValuedShard, head: &BlockHead, slots: u64) -> Result<(), String> {
    let ValuedShard { shard, .. } = valued;
    let digest = blake3::Hash::from_bytes(head.payload_digest()).to_hex();
    if shard.slots != slots {
        return Err(format!("{} slots, not {slots}", shard.slots));
    }
    if head.count() != slots || head.spec().record_bytes != 1 || *digest != *shard.digest {
        return Err("values that are not those of its file".to_owned());
    }
    Ok(())
}
