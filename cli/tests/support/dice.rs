//! Numbers that look random, from a seed (splitmix64).

// Each test program takes what it needs.
#![allow(dead_code)]

/// See the head of this file.
pub struct Dice(u64);

impl Dice {
    /// From a seed that is printed, so that a run can be repeated with `ANTICHAIN_SEED`.
    pub fn new() -> Self {
        let given = std::env::var("ANTICHAIN_SEED").ok().and_then(|seed| seed.parse().ok());
        let clock = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a date").as_nanos();
        let seed = given.unwrap_or_else(|| clock() as u64);
        println!("ANTICHAIN_SEED={seed}");
        Self::of(seed)
    }

    /// The same numbers for the same seed.
    pub fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// One of the numbers below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }
}
