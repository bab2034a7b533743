//! Codes of subsets: where the value of a subset of bounded size stands in an array.
//!
//! A subset of a `q`-set is a `q`-bit code. The subsets with at most `cap` members are addressed by the code itself where
//! at least half of all codes are such subsets, and otherwise by groups of [`GROUP`] codes: a group counts if its high
//! bits have at most `cap` members, and groups keep their numerical order. Either way addresses ascend with codes, a
//! subset comes after its own subsets, and the few slots without a subset hold zero.

/// Codes in a group: the eight subsets of the three lowest members.
pub const GROUP: usize = 1 << GROUP_BITS;
/// Members that a group leaves free.
pub const GROUP_BITS: u32 = 3;

/// Low bits of codes whose addresses are tabulated.
pub const LOW_BITS: u32 = 8;

const MAX_CAP: usize = 64;

/// Ranks of codes among those with few members, byte by byte from the highest.
pub struct Ranks {
    /// `below[(byte * (MAX_CAP + 1) + cap) * 256 + v]`: numbers below `v << 8 * byte` with at most `cap` members.
    below: Vec<u64>,
    /// `at_most[q * (MAX_CAP + 1) + cap]`: subsets of a `q`-set with at most `cap` members.
    at_most: Vec<u64>,
    /// `low[(cap + 1) * 256 + code]`: the address of a code below 256 in a compact shape; in row 0, in a dense one.
    low: Vec<u32>,
    /// For each number of bits up to [`LOW_BITS`] the codes by number of members, and where each number ends.
    by_members: Vec<(Vec<u8>, Vec<usize>)>,
}

impl Ranks {
    /// Fills the tables, about a megabyte.
    pub fn new() -> Self {
        let width = MAX_CAP + 1;
        let mut at_most = vec![1u64; 65 * width];
        for q in 1..=64 {
            for cap in 1..width {
                let without = at_most[(q - 1) * width + cap];
                at_most[q * width + cap] = without.saturating_add(at_most[(q - 1) * width + cap - 1]);
            }
        }
        let mut below = vec![0u64; 8 * width * 256];
        for byte in 0..8 {
            for cap in 0..width {
                let row = &mut below[(byte * width + cap) * 256..][..256];
                for v in 1..256usize {
                    let members = (v - 1).count_ones() as usize;
                    let here = if members <= cap { at_most[8 * byte * width + cap - members] } else { 0 };
                    row[v] = row[v - 1].saturating_add(here);
                }
            }
        }
        let mut ranks = Self { below, at_most, low: (0..256).collect(), by_members: Vec::new() };
        for cap in 0..width as u32 {
            let shape = Shape { q: 64, cap, compact: true };
            // Codes with too many members have no address; their entries are never read.
            let address =
                |code: u64| if (code >> GROUP_BITS).count_ones() <= cap { shape.address(&ranks, code) } else { 0 };
            let row: Vec<u32> = (0..256).map(|code| address(code) as u32).collect();
            ranks.low.extend(row);
        }
        for bits in 0..=LOW_BITS {
            let mut codes: Vec<u8> = (0..1u32 << bits).map(|code| code as u8).collect();
            codes.sort_by_key(|code| code.count_ones());
            let ends = (0..=bits).map(|size| codes.partition_point(|code| code.count_ones() <= size)).collect();
            ranks.by_members.push((codes, ends));
        }
        ranks
    }

    /// Addresses of the lowest eight bits of a code, to be added to that of its other bits, of which `members` are set.
    #[inline(always)]
    pub fn low_addresses(&self, shape: Shape, members: u32) -> &[u32] {
        let row = if shape.compact { (shape.cap - members) as usize + 1 } else { 0 };
        &self.low[row * 256..][..256]
    }

    /// The codes of at most [`LOW_BITS`] bits with at most `cap` members, by number of members.
    #[inline(always)]
    pub fn low_codes(&self, bits: u32, cap: u32) -> &[u8] {
        let (codes, ends) = &self.by_members[bits as usize];
        &codes[..ends[cap.min(bits) as usize]]
    }

    /// Number of subsets of a `q`-set with at most `cap` members; `u64::MAX` stands for more.
    #[inline]
    pub fn at_most(&self, q: u32, cap: u32) -> u64 {
        self.at_most[q as usize * (MAX_CAP + 1) + (cap as usize).min(MAX_CAP)]
    }

    /// Number of subsets of a `q`-set with exactly `size` members.
    #[inline]
    pub fn exactly(&self, q: u32, size: u32) -> u64 {
        self.at_most(q, size) - if size == 0 { 0 } else { self.at_most(q, size - 1) }
    }

    /// How many smaller codes have at most `cap` members, for a code that has no more itself.
    #[inline(always)]
    fn rank(&self, code: u64, cap: u32) -> u64 {
        let bytes = (64 - code.leading_zeros()).div_ceil(8) as usize;
        let mut rank = 0;
        let mut cap = cap as usize;
        for byte in (0..bytes).rev() {
            let v = (code >> (8 * byte)) as usize & 255;
            rank += self.below[(byte * (MAX_CAP + 1) + cap) * 256 + v];
            cap -= v.count_ones() as usize;
        }
        rank
    }
}

impl Default for Ranks {
    fn default() -> Self {
        Self::new()
    }
}

/// How the subsets with at most `cap` members of a `q`-set lie in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of members to choose from.
    pub q: u32,
    /// Most members of a subset.
    pub cap: u32,
    /// Whether only groups with few members have slots.
    pub compact: bool,
}

impl Shape {
    /// The layout for subsets with at most `cap` members of a `q`-set.
    #[inline]
    pub fn new(ranks: &Ranks, q: u32, cap: u32) -> Self {
        let cap = cap.min(q);
        let compact = q > GROUP_BITS && (q > 40 || cap < q && 1 << q > 2 * ranks.at_most(q, cap));
        Self { q, cap, compact }
    }

    /// Number of slots, those of no subset included.
    #[inline]
    pub fn slots(&self, ranks: &Ranks) -> u64 {
        if self.compact {
            ranks.at_most(self.q - GROUP_BITS, self.cap).saturating_mul(GROUP as u64)
        } else {
            1 << self.q
        }
    }

    /// The slot of a code that has at most `cap` members.
    #[inline(always)]
    pub fn address(&self, ranks: &Ranks, code: u64) -> u64 {
        if self.compact {
            ranks.rank(code >> GROUP_BITS, self.cap) << GROUP_BITS | code & (GROUP as u64 - 1)
        } else {
            code
        }
    }

    /// Whether codes with more than `cap` members exist.
    #[inline(always)]
    pub fn is_limited(&self) -> bool {
        self.cap < self.q
    }
}

/// The next larger number with as many members (Gosper).
#[inline(always)]
fn next_of_same_size(code: u64) -> Option<u64> {
    let lowest = code & code.wrapping_neg();
    let carried = code.checked_add(lowest)?;
    Some(carried | (code ^ carried) >> lowest.trailing_zeros() >> 2)
}

/// The codes of the subsets of a `q`-set (`q < 64`) with exactly `size` members, ascending.
pub fn codes_of_size(q: u32, size: u32) -> impl Iterator<Item = u64> {
    let first = (size <= q).then(|| (1u64 << size) - 1);
    std::iter::successors(
        first,
        move |&code| {
            if code == 0 { None } else { next_of_same_size(code).filter(|next| next >> q == 0) }
        },
    )
}

/// The codes below `1 << q` (`q < 64`) with at most `cap` members, ascending.
#[inline(always)]
pub fn codes_up_to(q: u32, cap: u32) -> CodesUpTo {
    CodesUpTo { next: 0, end: 1 << q, cap }
}

/// See [`codes_up_to`]. (A loop over an iterator is compiled for the instruction set of the function around it; a closure
/// handed to a function may not be.)
pub struct CodesUpTo {
    next: u64,
    end: u64,
    cap: u32,
}

impl Iterator for CodesUpTo {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        while self.next < self.end {
            let code = self.next;
            if code.count_ones() <= self.cap {
                self.next = code + 1;
                return Some(code);
            }
            // With too many members, nothing fits before the lowest one is carried away.
            self.next += code & code.wrapping_neg();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_ascend_and_fit() {
        let ranks = Ranks::new();
        for q in 0..=18 {
            for cap in 0..=q {
                let shape = Shape::new(&ranks, q, cap);
                let mut last = None;
                let mut count = 0;
                for code in codes_up_to(q, cap) {
                    let address = shape.address(&ranks, code);
                    assert!(last.is_none_or(|last| last < address));
                    assert!(address < shape.slots(&ranks));
                    last = Some(address);
                    count += 1;
                }
                assert_eq!(count, ranks.at_most(q, cap));
                assert!(shape.slots(&ranks) <= 8 * count.max(1));
            }
        }
    }

    #[test]
    fn no_shape_has_more_slots_than_can_be_counted() {
        let ranks = Ranks::new();
        for q in 0..=64 {
            for cap in 0..=q {
                assert!(Shape::new(&ranks, q, cap).slots(&ranks) >= ranks.at_most(q, cap), "{q} {cap}");
            }
        }
    }

    #[test]
    fn codes_of_one_size_are_those_of_the_definition() {
        for q in 0..12 {
            for size in 0..=q + 1 {
                let expected: Vec<u64> = (0..1u64 << q).filter(|code| code.count_ones() == size).collect();
                assert_eq!(codes_of_size(q, size).collect::<Vec<_>>(), expected);
            }
        }
    }
}
