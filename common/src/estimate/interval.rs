//! What independent estimates say together: their mean, its error, and an interval.
//!
//! The interval is Student's: the mean of many equally distributed numbers of finite variance is nearly normal. It is
//! promised as far as the batches are: their means are over a thousand ideals each, and [`super::LEAST_BATCHES`] of
//! them are taken.

use super::scaled::Scaled;

/// A mean and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean: the estimate.
    pub mean: Scaled,
    /// The standard error of the mean, as a share of it.
    pub relative_error: f64,
    /// The lower end of the interval; 0 where it would be below.
    pub low: Scaled,
    /// The upper end.
    pub high: Scaled,
}

impl Interval {
    /// Of two or more independent estimates of one number, with a confidence between 0 and 1.
    pub fn of(estimates: &[Scaled], confidence: f64) -> Self {
        let mean = mean(estimates);
        let relative_error = (relative_variance(estimates) / estimates.len() as f64).sqrt();
        let reach = student(estimates.len() - 1, confidence) * relative_error;
        Self { mean, relative_error, low: mean.times((1.0 - reach).max(0.0)), high: mean.times(1.0 + reach) }
    }

    /// Of a number that is known.
    pub fn exact(number: Scaled) -> Self {
        Self { mean: number, relative_error: 0.0, low: number, high: number }
    }

    /// The standard error.
    pub fn error(&self) -> Scaled {
        self.mean.times(self.relative_error)
    }
}

fn mean(estimates: &[Scaled]) -> Scaled {
    Scaled::sum(estimates.iter().copied()).times(1.0 / estimates.len() as f64)
}

/// The variance of one of two or more estimates, as they suggest it, over the square of their mean.
pub fn relative_variance(estimates: &[Scaled]) -> f64 {
    let mean = mean(estimates);
    let squares: f64 = estimates.iter().map(|estimate| estimate.ratio(mean) - 1.0).map(|d| d * d).sum();
    squares / (estimates.len() - 1) as f64
}

/// The number that a variable of Student's distribution stays within with that probability, on both sides of 0.
fn student(degrees: usize, probability: f64) -> f64 {
    let scale = density_at_zero(degrees);
    let (mut low, mut high) = (0.0, 1.0);
    while 2.0 * scale * area(degrees, high) < probability {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if 2.0 * scale * area(degrees, middle) < probability { low = middle } else { high = middle }
    }
    high
}

/// The density of Student's distribution at 0.
fn density_at_zero(degrees: usize) -> f64 {
    // Gamma((n + 1) / 2) / (Gamma(n / 2) sqrt(n pi)), without the root of n: c(n + 2) = c(n) (n + 1) / n.
    let first = if degrees % 2 == 1 { std::f64::consts::FRAC_1_PI } else { 0.5 };
    let steps = (if degrees % 2 == 1 { 1 } else { 2 }..degrees).step_by(2);
    steps.fold(first, |c, n| c * (n + 1) as f64 / n as f64) / (degrees as f64).sqrt()
}

/// The integral of the density from 0, relative to that at 0, by Simpson's rule.
fn area(degrees: usize, to: f64) -> f64 {
    const STEPS: usize = 400;
    let width = to / STEPS as f64;
    let density = |step: usize| {
        let x = step as f64 * width;
        let base = 1.0 / (1.0 + x * x / degrees as f64);
        // To the power (n + 1) / 2.
        power(base, degrees.div_ceil(2)) * if degrees.is_multiple_of(2) { base.sqrt() } else { 1.0 }
    };
    let inner: f64 = (1..STEPS).map(|step| density(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (density(0) + inner + density(STEPS)) * width / 3.0
}

/// A whole power.
fn power(base: f64, exponent: usize) -> f64 {
    let (mut power, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            power *= square;
        }
        square *= square;
        left /= 2;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, probability, expected) in [
            (1, 0.95, 12.7062047),
            (2, 0.95, 4.30265273),
            (9, 0.99, 3.24983554),
            (19, 0.95, 2.09302405),
            (20, 0.9, 1.72471824),
            (31, 0.999, 3.63345635),
            (1000, 0.95, 1.96233908),
        ] {
            let found = student(degrees, probability);
            assert!((found - expected).abs() < 1e-5, "{degrees} {probability}: {found}");
        }
    }

    #[test]
    fn four_numbers() {
        let numbers = [8.0, 10.0, 12.0, 10.0].map(|x| Scaled::ONE.times(x));
        let interval = Interval::of(&numbers, 0.95);
        assert_eq!(interval.mean.ratio(Scaled::ONE), 10.0);
        let error = (8.0f64 / 3.0 / 4.0).sqrt();
        assert!((interval.error().ratio(Scaled::ONE) - error).abs() < 1e-12);
        assert!((interval.high.ratio(Scaled::ONE) - 10.0 - 3.18244631 * error).abs() < 1e-6);
        assert!((interval.low.ratio(Scaled::ONE) - 10.0 + 3.18244631 * error).abs() < 1e-6);
    }
}
