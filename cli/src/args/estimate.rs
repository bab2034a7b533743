//! Arguments of `estimate`.

use std::num::NonZeroUsize;
use std::time::Duration;

use antichain_common::estimate::LARGEST_FRONTIER;
use clap::ValueEnum;

use super::{POSETS, parse_threads};
use crate::sizes::parse_duration;

/// Canonical ideals that an exact layer may have. More make estimates hardly more precise, and take longer.
const FRONTIER: usize = 20_000;

/// No number of samples comes near to it: a slip of the finger.
const LEAST_ERROR: f64 = 1e-8;

/// What is estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Estimated {
    /// The number of linear extensions.
    Extensions,
}

/// Arguments of `estimate`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{POSETS}

Standard output has the estimate with its standard error, and the interval below. The same poset, --samples, --seed and
--frontier give the same digits on every machine and for any number of threads. With --error or --budget the number of
samples is found by a trial beforehand, from other random numbers; with --budget it depends on the machine. Standard error says how
to have the same again.

Batches of 1024 samples are stored in the data directory as they are made, and the same command goes on from them.

With --coordinator the workers of a coordinator make the batches, as a job that goes on if this command ends; the digits are the
same. The trial for --error is made here. The time of --budget is only kept here.

Examples:
  antichain estimate extensions boolean:8
  antichain estimate extensions boolean:8 --error 0.1% --seed 7
  antichain estimate extensions chains:16x16 --budget 5m --confidence 99% --json
  antichain estimate extensions boolean:8 --error 0.01% --coordinator host.example"))]
pub struct EstimateArgs {
    /// What is estimated
    #[arg(value_enum, value_name = "QUESTION")]
    pub question: Estimated,
    /// The poset, such as boolean:8; --help lists them
    pub poset: String,
    /// Random ideals to make: 20 batches of 1024 at least, and whole batches
    #[arg(long, value_name = "N", group = "extent", value_parser = parse_samples)]
    pub samples: Option<u64>,
    /// Relative standard error to come to, such as 0.1%; it may be missed by a little [default: 1%]
    #[arg(long, value_name = "SHARE", group = "extent", value_parser = parse_error)]
    pub error: Option<f64>,
    /// Time to take, about, such as 5m; 20 batches are made in any case
    #[arg(long, value_name = "TIME", group = "extent", value_parser = parse_duration)]
    pub budget: Option<Duration>,
    /// How sure the interval is to have the number in it
    #[arg(long, value_name = "SHARE", value_parser = parse_confidence, default_value = "95%")]
    pub confidence: Share,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Canonical ideals that a layer may have to be counted exactly, at both ends; where the ends meet, the answer is exact
    #[arg(long, value_name = "N", value_parser = parse_frontier, default_value_t = FRONTIER)]
    pub frontier: usize,
    /// Threads that compute [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,
    /// Time between checkpoints: what an interruption may cost, such as 10s or 2m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    pub checkpoint: Duration,
}

/// A share, as it was written and as a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// As it was written, without what was around it.
    pub text: String,
    /// From 0 to 1.
    pub share: f64,
}

/// Reads a share: `1%` or `0.01`.
fn parse_share(text: &str) -> Option<f64> {
    let (digits, hundred) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    digits.parse::<f64>().ok().filter(|_| is_plain).map(|number| number / hundred)
}

fn parse_error(text: &str) -> Result<f64, String> {
    match parse_share(text) {
        Some(share) if (LEAST_ERROR..=1.0).contains(&share) => Ok(share),
        _ => Err("not a share from 0.000001% to 100%; write for example 0.1%".to_owned()),
    }
}

fn parse_confidence(text: &str) -> Result<Share, String> {
    match parse_share(text) {
        Some(share) if (0.5..=0.9999).contains(&share) => Ok(Share { text: text.trim().to_owned(), share }),
        _ => Err("not a share from 50% to 99.99%; write for example 95%".to_owned()),
    }
}

fn parse_samples(text: &str) -> Result<u64, String> {
    const MOST: u64 = antichain_common::estimate::MOST_BATCHES * antichain_common::estimate::BATCH;
    match text.parse() {
        Ok(samples) if (1..=MOST).contains(&samples) => Ok(samples),
        _ => Err(format!("not a number of samples from 1 to {MOST}")),
    }
}

fn parse_frontier(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(frontier) if frontier <= LARGEST_FRONTIER => Ok(frontier),
        _ => Err(format!("not a number from 0 to {LARGEST_FRONTIER}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_in_either_way() {
        for (text, share) in [("1%", 0.01), ("0.01", 0.01), (" 95 %", 0.95), ("100%", 1.0)] {
            assert_eq!(parse_share(text), Some(share), "{text}");
        }
        for text in ["", "%", "1e-3", "-1%", "inf", "NaN", "one", "1.2.3", "+5%"] {
            assert_eq!(parse_share(text), None, "{text}");
        }
        assert!(parse_error("0").is_err() && parse_error("101%").is_err());
        assert!(parse_confidence("100%").is_err() && parse_confidence("49%").is_err());
        assert_eq!(parse_confidence("0.9").map(|share| share.share), Ok(0.9));
    }

    #[test]
    fn numbers_have_limits() {
        assert!(parse_samples("0").is_err() && parse_samples("99999999999").is_err());
        assert_eq!(parse_samples("20480"), Ok(20_480));
        assert!(parse_frontier("1000001").is_err());
    }
}
