//! `antichain estimate`: the number of linear extensions, about, with an interval.

use antichain_common::estimate::{Interval, Scaled};
use antichain_common::job::{self, Estimate, EstimateSpec, Extent, Interrupt, JobSpec, Sampling, Wanted};
use antichain_common::poset::Poset;
use antichain_common::poset::given::short_name;
use serde::Serialize;

use super::submit::to_the_end;
use super::{with_effort, with_interrupt};
use crate::args::{EffortArgs, EstimateArgs, Estimated, Global};
use crate::inputs::InputError;
use crate::output::{document, grouped, note, result};
use crate::remote::job::answer;
use crate::remote::{Place, Remote, place};
use crate::sizes::show_duration;
use crate::{data, inputs, interrupt};

/// Relative standard error that is come to where nothing is said.
const ERROR: f64 = 0.01;

/// Significant digits of numbers: a computation with 64 bits, of some hundred thousand steps, has no more that are right.
const DIGITS: usize = 12;

/// A relative standard error below which only rounding is left.
const ROUNDING: f64 = 1e-12;

/// Runs the command.
pub fn execute(global: &Global, args: &EstimateArgs) -> anyhow::Result<()> {
    let Estimated::Extensions = args.question;
    let poset = inputs::given::poset(&args.poset, global.json)?;
    let place = place::either(global)?;
    let spec = EstimateSpec { poset: &poset, frontier: args.frontier, seed: args.seed };
    let extent = match (args.samples, args.budget) {
        (Some(samples), _) => Extent::Samples(samples),
        (None, Some(time)) => Extent::Time(time),
        (None, None) => Extent::Error(args.error.unwrap_or(ERROR)),
    };
    let effort = EffortArgs { threads: args.threads, memory: None, checkpoint: args.checkpoint };
    let estimate = match place {
        Place::Here(directory) => {
            let store = data::open(&directory)?;
            with_effort(global, &effort, false, |options| {
                job::estimate(&store, &spec, extent, args.confidence.share, options)
            })?
        }
        Place::There(_) if matches!(extent, Extent::Time(_)) => return Err(InputError::BudgetThere.into()),
        Place::There(target) => {
            interrupt::stop_at_once();
            let mut remote = Remote::connect(target)?;
            // Of a trial nothing is stored, so it needs no safe point.
            let interrupt = Interrupt::new();
            let wanted = with_interrupt(global, &effort, false, &interrupt, |options| {
                job::batches_wanted(&spec, extent, options)
            })?;
            match wanted {
                Wanted::Nothing(exact) => *exact,
                Wanted::Batches(batches) => there(global, &mut remote, &spec, batches, args.confidence.share)?,
            }
        }
    };
    if global.json {
        return document(&EstimateDocument::new(&poset, args, &estimate));
    }
    result(&shown(&estimate, &args.confidence.text))?;
    notes(&poset, args, &estimate).iter().for_each(|line| note(line));
    Ok(())
}

/// Has the workers of a coordinator make the batches.
fn there(
    global: &Global,
    remote: &mut Remote,
    spec: &EstimateSpec<'_>,
    batches: u64,
    confidence: f64,
) -> anyhow::Result<Estimate> {
    let sampling = Sampling { frontier: spec.frontier, seed: spec.seed, batches };
    let submitted = remote.submit(&JobSpec::estimate(spec.poset, sampling), false, None)?;
    let last = to_the_end(global, remote, &submitted.job)?;
    let answer = answer(&last).ok_or_else(|| remote.not_understood("an answer"))?;
    let (certificate, _) = remote.certificate(&submitted.job)?;
    let resumed = answer.resumed || submitted.is_finished;
    let estimate = Estimate::of_certificate(&certificate, confidence, resumed, answer.elapsed);
    Ok(estimate.ok_or_else(|| remote.not_understood("the certificate of an estimate"))?)
}

/// The command that gives an estimate.
pub(super) fn command(poset: &str, samples: u64, seed: u64, frontier: impl std::fmt::Display) -> String {
    format!("antichain estimate extensions {poset} --samples {samples} --seed {seed} --frontier {frontier}")
}

/// The estimate as a JSON document.
#[derive(Debug, Serialize)]
struct EstimateDocument {
    question: &'static str,
    poset: String,
    /// Numbers as strings: all digits if exact, otherwise as many as a computation with 64 bits has.
    value: String,
    exact: bool,
    standard_error: String,
    relative_standard_error: f64,
    confidence: f64,
    low: String,
    high: String,
    samples: u64,
    batches: u64,
    seed: u64,
    frontier: usize,
    /// Smallest and largest size of ideals that are random.
    random_sizes: Option<(usize, usize)>,
    elapsed_seconds: f64,
    resumed: bool,
}

impl EstimateDocument {
    fn new(poset: &Poset, args: &EstimateArgs, estimate: &Estimate) -> Self {
        let Interval { mean, relative_error, low, high } = estimate.interval;
        let number = |number| estimate.exact.as_ref().map_or_else(|| scientific(number, DIGITS), ToString::to_string);
        Self {
            question: "extensions",
            poset: short_name(&poset.name()).into_owned(),
            value: number(mean),
            exact: estimate.exact.is_some(),
            standard_error: scientific(estimate.interval.error(), DIGITS),
            relative_standard_error: relative_error,
            confidence: args.confidence.share,
            low: number(low),
            high: number(high),
            samples: estimate.samples(),
            batches: estimate.batches,
            seed: args.seed,
            frontier: args.frontier,
            random_sizes: estimate.random_sizes,
            elapsed_seconds: estimate.elapsed.as_secs_f64(),
            resumed: estimate.resumed,
        }
    }
}

/// What goes to standard output: the number with its standard error, two digits of it, then the interval.
fn shown(estimate: &Estimate, confidence: &str) -> String {
    if let Some(exact) = &estimate.exact {
        return format!("{exact}\n");
    }
    let interval = &estimate.interval;
    let Some((error, at)) = interval.error().digits(2).filter(|_| interval.relative_error > ROUNDING) else {
        // All batches agree in all digits that there are.
        return format!("{}\n", scientific(interval.mean, DIGITS));
    };
    let exponent = interval.mean.digits(DIGITS).map_or(0, |(_, exponent)| exponent);
    let decimals = usize::try_from(exponent - at + 1).unwrap_or(0).min(DIGITS - 1);
    let error = if at <= exponent { shifted(&error, exponent - at, exponent) } else { scientific(interval.error(), 2) };
    let number = |number| scientific(number, decimals + 1);
    format!(
        "{} ± {error}\n{} to {} with {confidence} confidence\n",
        number(interval.mean),
        number(interval.low),
        number(interval.high),
    )
}

/// A number as `1.234e56`, in so many digits; `0` if it is 0.
fn scientific(number: Scaled, digits: usize) -> String {
    number.digits(digits).map_or("0".to_owned(), |(digits, exponent)| pointed(&digits, exponent))
}

/// Digits whose first one counts so many places behind the point, times a power of ten.
fn shifted(digits: &str, places: i64, exponent: i64) -> String {
    pointed(&format!("{}{digits}", "0".repeat(usize::try_from(places).unwrap_or(0))), exponent)
}

/// The point behind the first digit.
fn pointed(digits: &str, exponent: i64) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{first}{point}{rest}e{exponent}")
}

/// Two digits of a share.
fn per_cent(share: f64) -> String {
    let number = 100.0 * share;
    let decimals = if number > 0.0 { (1.0 - number.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
    format!("{number:.decimals$} %")
}

/// What a person wants to know besides.
fn notes(poset: &Poset, args: &EstimateArgs, estimate: &Estimate) -> Vec<String> {
    let name = poset.name();
    let time = show_duration(estimate.elapsed);
    let Some((first, last)) = estimate.random_sizes else {
        let frontier = grouped(&args.frontier);
        return vec![
            format!("extensions of {name}: the number itself, for no layer has more than {frontier} canonical ideals"),
            format!("`--frontier 0` estimates it nevertheless; {time}"),
        ];
    };
    let batches = estimate.batches;
    let samples = estimate.samples();
    let earlier = if estimate.resumed { ", some of them from an earlier run" } else { "" };
    vec![
        format!(
            "extensions of {name}, estimated: the relative standard error is {}",
            per_cent(estimate.interval.relative_error)
        ),
        format!(
            "{} samples in {batches} independent batches{earlier}; ideals of {first} to {last} elements are random, others exact",
            grouped(&samples),
        ),
        format!("the interval is Student's, and takes the means of the batches to be normally distributed; {time}"),
        format!("the same again: {}", command(&name, samples, args.seed, args.frontier)),
        format!("its batches are stored, and `antichain rm {}` takes them away", estimate.name),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn estimate(numbers: &[f64], power: f64) -> Estimate {
        let numbers: Vec<Scaled> = numbers.iter().map(|&x| Scaled::ONE.times(x).times(power)).collect();
        Estimate {
            name: "estimate-boolean-8-frontier0-seed0".into(),
            interval: Interval::of(&numbers, 0.95),
            exact: None,
            random_sizes: Some((0, 256)),
            batches: numbers.len() as u64,
            resumed: false,
            elapsed: Duration::from_secs(1),
        }
    }

    #[test]
    fn as_many_digits_as_the_error_leaves() {
        let four = estimate(&[8.0, 10.0, 12.0, 10.0], 1e9);
        assert_eq!(shown(&four, "95%"), "1.000e10 ± 0.082e10\n7.402e9 to 1.260e10 with 95% confidence\n");
        let near = estimate(&[1.0, 1.000_01, 1.0, 1.000_01], 1e200);
        assert!(shown(&near, "95%").starts_with("1.0000050e200 ± 0.0000029e200\n"), "{}", shown(&near, "95%"));
        let wild = shown(&estimate(&[1.0, 0.001, 0.001], 1.0), "90%");
        assert!(wild.starts_with("3.3e-1 ± 3.3e-1\n0 to "), "{wild}");
    }

    #[test]
    fn shares_have_two_digits() {
        let shown = [0.0, 0.000_271, 0.004_2, 0.25, 1.5].map(per_cent);
        assert_eq!(shown, ["0 %", "0.027 %", "0.42 %", "25 %", "150 %"]);
    }

    #[test]
    fn batches_that_agree_and_numbers_that_are_known() {
        assert_eq!(shown(&estimate(&[2.0, 2.0], 1.0), "95%"), "2.00000000000e0\n");
        let exact = Estimate { exact: Some(48u8.into()), random_sizes: None, ..estimate(&[48.0, 48.0], 1.0) };
        assert_eq!(shown(&exact, "95%"), "48\n");
    }
}
