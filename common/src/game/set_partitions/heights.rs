//! The numbers h(n), and how the next one is found from those before.

use super::{DistinctTypes, Survey, number_of_types};
use crate::game::nimber::{Scale, product};
use crate::watch::{Interrupt, Stopped, Watch};

/// Values below this are noted at first. All known h(n) are below 2^17.
const FIRST_BOUND: u64 = 1 << 20;
/// How much further the next search goes where all values below a bound are there.
const FURTHER: u64 = 16;
/// Types that are worth a part of their own.
const WORTH_A_PART: u64 = 1 << 18;

/// h(n) for n = 1, 2, ... as far as it is known, with what follows from it at once.
#[derive(Clone, Default)]
pub struct Heights {
    values: Vec<u32>,
    /// Multiplication by h(i).
    scales: Vec<Scale>,
    /// Multiplication by the square of h(i).
    squares: Vec<Scale>,
}

impl Heights {
    /// From the first values, h(1) first.
    pub fn new(values: &[u32]) -> Self {
        let mut heights = Self::default();
        values.iter().for_each(|&value| heights.push(value));
        heights
    }

    /// Adds the next value.
    pub fn push(&mut self, value: u32) {
        let square = product(value.into(), value.into()) as u32;
        self.values.push(value);
        self.scales.push(Scale::by(value));
        self.squares.push(Scale::by(square));
    }

    /// The values, h(1) first.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Multiplication by h(n), for a known n.
    pub(super) fn scale(&self, n: usize) -> &Scale {
        &self.scales[n - 1]
    }

    /// Multiplication by the square of h(n), for a known n.
    pub(super) fn square(&self, n: usize) -> &Scale {
        &self.squares[n - 1]
    }
}

/// h(n), given the distinct types of totals up to n, on so many threads.
///
/// # Errors
/// [`Stopped`].
///
/// # Panics
/// If not all types were visited once, or h(n) is above 2^32, which takes more than 2^32 types.
pub fn next_height(
    types: &DistinctTypes,
    heights: &Heights,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<u32, Stopped> {
    let n = types.n();
    let parts = (number_of_types(n) / WORTH_A_PART).clamp(1, 16 * threads as u64) as usize;
    let mut bound = FIRST_BOUND;
    loop {
        let survey = Survey::in_parts(types, heights, 0..number_of_types(n), parts, (threads, bound), watch)?;
        assert_eq!(survey.types, number_of_types(n), "every type of {n} is visited once");
        if let Some(least) = survey.seen.least_missing() {
            return Ok(u32::try_from(least).expect("fewer types than 2^32"));
        }
        bound *= FURTHER;
    }
}

/// h(1), ..., h(n), on the thread of the caller: in 5 seconds to n = 90, and with 15 % more for each further one.
pub fn heights(n: usize) -> Vec<u32> {
    let never = Interrupt::new();
    let watch = Watch::new(&never);
    let (mut heights, mut types) = (Heights::default(), DistinctTypes::new());
    for _ in 0..n {
        let next = types.grow(&heights, 1, &watch).and_then(|()| next_height(&types, &heights, 1, &watch));
        heights.push(next.expect("nobody asks it to stop"));
    }
    heights.values().to_vec()
}
