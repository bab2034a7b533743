//! How large the file of a result may be: so that no worker fills the disk with what nobody asked for.

use antichain_common::job::task::{Task, TaskKind};

use super::job::Job;

/// Elements of a poset, at most: a base leads to no more of the next layer.
const ELEMENTS: u64 = 256;
/// What a search may settle beyond what it was ordered to visit: it looks at its order between two turns only.
const BEYOND_ORDER: u64 = 1 << 20;
/// Bytes of a record besides its own, if it is alone in its block: the block's entry in the index, and what packing may add.
const BESIDE_RECORD: u64 = 96;
/// Bytes of a file without records.
const EMPTY: u64 = 1 << 16;
/// Part of the room on the disk that a file may take whose size nobody knows beforehand: a proof.
const PART_OF_ROOM: u64 = 2;

impl Job {
    /// Records that the file of a task has at most, if that is known beforehand.
    pub(super) fn most_records(&self, task: Task) -> Option<u64> {
        let Task { kind, layer, shard } = task;
        let cut = |layer: usize| self.course.as_ref()?.cut(layer)?.shards.get(shard).copied();
        match kind {
            TaskKind::Enumerate => Some(cut(layer.checked_sub(1)?)?.bases.saturating_mul(ELEMENTS)),
            TaskKind::Solve | TaskKind::Duals => Some(cut(layer)?.slots),
            TaskKind::Search => Some(self.plies.as_ref()?.order(shard)?.nodes.saturating_mul(2) + BEYOND_ORDER),
            TaskKind::Prove | TaskKind::Join | TaskKind::Whole => None,
        }
    }
}

/// Whether a file of so many bytes, with records of so many, may be stored, given how many of these it has at most and the room that
/// there is.
pub(super) fn fits(bytes: u64, record_bytes: u32, most_records: Option<u64>, room: u64) -> bool {
    let most = match most_records {
        Some(records) => records.saturating_mul(u64::from(record_bytes) + BESIDE_RECORD).saturating_add(EMPTY),
        None => room / PART_OF_ROOM,
    };
    bytes <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_large_as_its_task_allows() {
        assert!(fits(8_000_000, 8, Some(1_000_000), 0));
        assert!(!fits(1 << 30, 8, Some(1_000_000), u64::MAX));
        assert!(fits(EMPTY, 8, Some(0), 0));
        assert!(!fits(EMPTY + 1, 8, Some(0), u64::MAX));
        assert!(fits(1 << 30, 1, None, 1 << 31));
        assert!(!fits((1 << 30) + 1, 1, None, 1 << 31));
        assert!(fits(u64::MAX, u32::MAX, Some(u64::MAX), 0), "no overflow");
    }
}
