//! The tasks that nobody has, in order, and what each of them needs.
//!
//! A worker passes over the tasks that need more memory than it has, and there may be very many of those before the first
//! that fits. So every group of 64 neighbouring numbers knows the least need in it, and so does every group of 64 groups,
//! and so on: the invariant is that a group is listed if and only if a ready task is in it, with the least need of all of
//! them.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::lease::{TaskId, Unfit};

/// The bits of a task's number that tell apart the members of a group.
const BITS: u32 = 6;
/// Groups of the last level are told apart by the four bits that are left of 64.
const LEVELS: usize = 11;

/// See the head of this file.
#[derive(Default)]
pub(super) struct Ready {
    /// The needs of tasks, of groups of tasks, of groups of groups; a group's number is that of its members without the last
    /// bits.
    levels: [BTreeMap<u64, u64>; LEVELS],
    /// How many tasks have which need.
    needs: BTreeMap<u64, usize>,
}

impl Ready {
    /// A task that is not in yet.
    pub(super) fn insert(&mut self, task: TaskId, memory: u64) {
        *self.needs.entry(memory).or_default() += 1;
        let mut number = task.0;
        for level in &mut self.levels {
            let least = level.entry(number).or_insert(u64::MAX);
            *least = memory.min(*least);
            number >>= BITS;
        }
    }

    /// Takes a task out that is in.
    pub(super) fn remove(&mut self, task: TaskId) {
        let Some(memory) = self.levels[0].remove(&task.0) else { return };
        if let Some(tasks) = self.needs.get_mut(&memory) {
            *tasks -= 1;
            if *tasks == 0 {
                self.needs.remove(&memory);
            }
        }
        let mut number = task.0;
        for level in 1..LEVELS {
            number >>= BITS;
            let Some(known) = self.levels[level].get(&number).copied() else { return };
            match self.least(level - 1, number, known) {
                Some(least) if least == known => return,
                Some(least) => self.levels[level].insert(number, least),
                None => self.levels[level].remove(&number),
            };
        }
    }

    /// The least need of a group's members at a level. No member needs less than `enough`, so one that needs as little
    /// ends the search.
    fn least(&self, level: usize, group: u64, enough: u64) -> Option<u64> {
        let mut least = None;
        for &need in self.levels[level].range(members(group)).map(|(_, need)| need) {
            if need == enough {
                return Some(need);
            }
            least = Some(least.map_or(need, |least: u64| least.min(need)));
        }
        least
    }

    /// The tasks from `from` on that need no more than `memory`, in order.
    pub(super) fn fitting(&self, from: TaskId, memory: u64) -> impl Iterator<Item = TaskId> {
        let first = self.group(from.0 >> BITS, memory);
        let groups = std::iter::successors(first, move |&group| self.group(group + 1, memory));
        let tasks = groups.flat_map(|group| self.levels[0].range(members(group)));
        let fits = move |&(&task, &need): &(&u64, &u64)| task >= from.0 && need <= memory;
        tasks.filter(fits).map(|(&task, _)| TaskId(task))
    }

    /// The first group of tasks from `from` on with one that needs no more than `memory`.
    fn group(&self, from: u64, memory: u64) -> Option<u64> {
        let first = |level: usize, numbers| {
            self.levels[level].range(numbers).find(|&(_, &least)| least <= memory).map(|(&number, _)| number)
        };
        let (mut level, mut from) = (1, from);
        let mut group = loop {
            // What is left of the group that this number is in; then what is left of the group of that group.
            if let Some(group) = first(level, from..=from | ((1 << BITS) - 1)) {
                break group;
            }
            level += 1;
            if level == LEVELS {
                return None;
            }
            from = (from >> BITS) + 1;
        };
        while level > 1 {
            level -= 1;
            group = first(level, members(group))?;
        }
        Some(group)
    }

    /// The tasks that need more than `memory`, or all when there is none at all.
    pub(super) fn above(&self, memory: Option<u64>) -> Option<Unfit> {
        let bound = memory.map_or(Bound::Unbounded, Bound::Excluded);
        let mut needs = self.needs.range((bound, Bound::Unbounded));
        let (&least, &tasks) = needs.next()?;
        let most = self.needs.last_key_value().map_or(least, |(&most, _)| most);
        Some(Unfit { tasks: tasks + needs.map(|(_, tasks)| tasks).sum::<usize>(), least, most })
    }
}

/// The numbers of a group's members.
fn members(group: u64) -> std::ops::RangeInclusive<u64> {
    group << BITS..=group << BITS | ((1 << BITS) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers that share groups of every size.
    fn number() -> impl Strategy<Value = u64> {
        (0..11u32, 0..4u64, any::<bool>()).prop_map(|(level, member, last)| {
            let number = member << (BITS * level).min(62);
            if last { u64::MAX - number } else { number }
        })
    }

    proptest! {
        /// After any insertions and removals: what fits is what a plain list says.
        #[test]
        fn what_fits_is_found_in_order(events in prop::collection::vec((number(), 0..6u64, any::<bool>()), 0..200)) {
            let mut ready = Ready::default();
            let mut plain = BTreeMap::new();
            for (number, need, insert) in events {
                if plain.remove(&number).is_some() {
                    ready.remove(TaskId(number));
                }
                if insert {
                    ready.insert(TaskId(number), need);
                    plain.insert(number, need);
                }
                for memory in 0..6 {
                    let (fit, unfit): (Vec<_>, Vec<_>) = plain.iter().partition(|&(_, &need)| need <= memory);
                    let fit: Vec<TaskId> = fit.into_iter().map(|(&number, _)| TaskId(number)).collect();
                    prop_assert_eq!(ready.fitting(TaskId(0), memory).collect::<Vec<_>>(), fit.clone());
                    let later: Vec<TaskId> = fit.into_iter().filter(|task| task.0 >= number).collect();
                    prop_assert_eq!(ready.fitting(TaskId(number), memory).collect::<Vec<_>>(), later);
                    let least = unfit.iter().map(|&(_, &need)| need).min();
                    let most = unfit.iter().map(|&(_, &need)| need).max();
                    let above = least.zip(most).map(|(least, most)| Unfit { tasks: unfit.len(), least, most });
                    prop_assert_eq!(ready.above(Some(memory)), above);
                }
            }
            plain.keys().for_each(|&number| ready.remove(TaskId(number)));
            prop_assert!(ready.levels.iter().all(BTreeMap::is_empty) && ready.above(None).is_none());
        }
    }
}
