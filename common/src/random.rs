//! A small generator of pseudo-random numbers: estimates must be the same on every machine and every day.

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that always gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of numbers that have nothing to do with those of other words: its state is their hash. SplitMix64
    /// goes through all states in one circle, so that seeds next to each other on it would give the same numbers,
    /// shifted.
    pub fn of_words(words: &[u64]) -> Self {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let hash = blake3::hash(&bytes);
        let (words, _) = hash.as_bytes().as_chunks::<8>();
        Self(u64::from_le_bytes(words[0]))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, as good as uniform for the small ranges needed here.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// An index, each as likely as what its sum has more than the one before; sums ascend.
    ///
    /// # Panics
    /// If there are none.
    #[inline]
    pub fn among(&mut self, sums: &[f64]) -> usize {
        let last = sums.len() - 1;
        let at = self.unit() * sums[last];
        // Rounding may lead beyond the last one.
        sums.iter().position(|&sum| at < sum).unwrap_or(last)
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423u64];
        assert_eq!([random.next(), random.next(), random.next()], expected);
    }

    #[test]
    fn an_index_is_as_likely_as_its_step() {
        let mut random = Random::new(3);
        let mut met = [0; 3];
        (0..4000).for_each(|_| met[random.among(&[1.0, 1.0, 4.0])] += 1);
        assert!(met[1] == 0 && (900..1100).contains(&met[0]), "{met:?}");
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random::new(7);
        assert!((0..1000).all(|i| random.below(i % 9 + 1) <= i % 9));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }
}
