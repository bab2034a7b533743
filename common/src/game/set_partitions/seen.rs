//! Which small numbers were seen: what is needed of all s(mu) to find the least one that is missing.

/// A set of numbers below a bound; larger ones are passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    bits: Vec<u64>,
}

impl Seen {
    /// Nothing seen; numbers below the bound, rounded up to a multiple of 64, will be.
    pub fn below(bound: u64) -> Self {
        Self { bits: vec![0; bound.div_ceil(64) as usize] }
    }

    /// From its words, the smallest numbers in the lowest bits of the first one.
    pub fn of_words(bits: Vec<u64>) -> Self {
        Self { bits }
    }

    /// Its words.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// How many were seen.
    pub fn len(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A number was seen.
    #[inline(always)]
    pub fn put(&mut self, number: u32) {
        if let Some(word) = self.bits.get_mut((number >> 6) as usize) {
            *word |= 1 << (number & 63);
        }
    }

    /// What another one saw was seen too. Both must have the same bound.
    pub fn join(&mut self, other: &Self) {
        debug_assert_eq!(self.bits.len(), other.bits.len());
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, more)| *word |= more);
    }

    /// The least number that was not seen; `None` if all below the bound were.
    pub fn least_missing(&self) -> Option<u64> {
        let at = self.bits.iter().position(|&word| word != u64::MAX)?;
        Some(64 * at as u64 + u64::from(self.bits[at].trailing_ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_number_that_is_missing() {
        let mut seen = Seen::below(128);
        assert_eq!(seen.least_missing(), Some(0));
        (0..70).filter(|&number| number != 66).for_each(|number| seen.put(number));
        seen.put(5_000_000);
        assert_eq!((seen.least_missing(), seen.len(), seen.is_empty()), (Some(66), 69, false));
        let mut other = Seen::below(128);
        other.put(66);
        seen.join(&other);
        assert_eq!(seen.least_missing(), Some(70));
        (0..128).for_each(|number| seen.put(number));
        assert_eq!(seen.least_missing(), None);
    }
}
