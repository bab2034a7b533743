//! Progress on standard error: a bar on a terminal, a log line every ten seconds elsewhere.

pub mod job;
mod meter;

use std::io::IsTerminal;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use antichain_common::game::flipping::{Stage, SweepProgress};
use antichain_common::job::{Phase, Progress};
use antichain_common::search::proof::CheckProgress;
use antichain_proto::v1::JobStatus;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{Global, LogFormat};
use crate::sizes::{show_estimate, show_large};
use meter::{Meter, Reading};

/// Time between two log lines.
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// The terminal with its bar; what else is written there asks it to step aside.
pub fn screen() -> &'static MultiProgress {
    static SCREEN: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);
    &SCREEN
}

/// Takes the bar away for good: what is written from here on is the last.
pub fn leave_screen() {
    // A terminal that cannot be tidied gets the last words all the same.
    let _ = screen().clear();
    screen().set_draw_target(ProgressDrawTarget::hidden());
}

/// Shows the progress of one job until it is dropped.
pub struct Reporter {
    start: Instant,
    state: Mutex<State>,
}

struct State {
    meter: Meter,
    view: View,
}

enum View {
    /// A bar, with the style it has now.
    Bar { bar: ProgressBar, with_total: Option<bool> },
    /// Log lines; the time of the last one, and what it said of the state of the job.
    Log { last: Duration, state: String },
}

impl Reporter {
    /// Starts the clock. The bar appears with the first progress.
    pub fn start(options: &Global) -> Self {
        let terminal = std::io::stderr().is_terminal() && options.log_format == LogFormat::Pretty;
        let view = if terminal {
            View::Bar { bar: screen().add(ProgressBar::new(BAR_STEPS)), with_total: None }
        } else {
            View::Log { last: Duration::ZERO, state: String::new() }
        };
        Self { start: Instant::now(), state: Mutex::new(State { meter: Meter::default(), view }) }
    }

    /// Takes note of progress, from any thread.
    pub fn report(&self, progress: Progress) {
        // A thread that has news while another one reports drops them: there will be more.
        let Ok(mut state) = self.state.try_lock() else { return };
        let now = self.start.elapsed();
        let State { meter, view } = &mut *state;
        let reading = meter.observe(now, &progress);
        view.show(now, reading.fraction, "", |with_fraction| describe(&progress, &reading, with_fraction));
    }

    /// Takes note of how far a sweep over all positions of a game is, from any thread.
    pub fn report_sweep(&self, progress: SweepProgress) {
        let SweepProgress { stage, done, total } = progress;
        match stage {
            Stage::Tabulate => self.report_count(Phase::Enumerate, "tabulating", (done, total), "positions"),
            Stage::Check => self.report_count(Phase::Evaluate, "checking", (done, total), "positions"),
        }
    }

    /// Takes note of how far the check of a proof is, from any thread.
    pub fn report_check(&self, progress: CheckProgress) {
        // What the file announces may be wrong, and is said to be so in the end.
        let total = progress.total.max(progress.done);
        self.report_count(Phase::Evaluate, "checking", (progress.done, total), "lost positions");
    }

    /// Takes note of work that is a number of equal things.
    fn report_count(&self, phase: Phase, doing: &str, (done, total): (u64, u64), things: &str) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let now = self.start.elapsed();
        let State { meter, view } = &mut *state;
        let work = Progress { phase, layer: 0, last_layer: 0, done, total: Some(total), ideals: 0 };
        let reading = meter.observe(now, &work);
        view.show(now, reading.fraction, "", |with_fraction| {
            describe_count(doing, (done, total), things, &reading, with_fraction)
        });
    }

    /// Takes note of where a job of a coordinator stands.
    pub fn report_job(&self, status: &JobStatus) {
        let Ok(mut state) = self.state.lock() else { return };
        let news = job::state(status);
        state
            .view
            .show(self.start.elapsed(), job::fraction(status), &news, |with_fraction| job::line(status, with_fraction));
    }
}

impl View {
    /// Shows one line, with the fraction in it or beside it. A state that is another than before is always worth a line.
    fn show(&mut self, now: Duration, fraction: Option<f64>, news: &str, describe: impl FnOnce(bool) -> String) {
        match self {
            Self::Bar { bar, with_total } => draw(bar, with_total, fraction, describe(fraction.is_none())),
            Self::Log { last, state } if state != news || now.saturating_sub(*last) >= LOG_EVERY => {
                *last = now;
                news.clone_into(state);
                tracing::info!("{}", describe(true));
            }
            Self::Log { .. } => {}
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        if let Ok(State { view: View::Bar { bar, .. }, .. }) = self.state.get_mut() {
            bar.finish_and_clear();
        }
    }
}

fn draw(bar: &ProgressBar, with_total: &mut Option<bool>, fraction: Option<f64>, message: String) {
    let known = fraction.is_some();
    if *with_total != Some(known) {
        *with_total = Some(known);
        let template = if known { "{bar:30} {percent:>3} %  {msg}" } else { "{spinner} {msg}" };
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    }
    if let Some(fraction) = fraction {
        bar.set_position((fraction * BAR_STEPS as f64) as u64);
    }
    bar.set_message(message);
    bar.tick();
}

/// One line: phase, layer, speed, and the time left where that is more than a guess.
fn describe(progress: &Progress, reading: &Reading, with_fraction: bool) -> String {
    match progress.phase {
        Phase::Search | Phase::Prove => return describe_search(progress, reading),
        // How much there is to learn is known when it is learnt.
        Phase::Learn => return phase_name(progress.phase).to_owned(),
        Phase::Enumerate | Phase::Evaluate | Phase::Sample => {}
    }
    let piece = if progress.phase == Phase::Sample { "batch" } else { "layer" };
    let mut text = format!("{}, {piece} {} of {}", phase_name(progress.phase), progress.layer, progress.last_layer);
    if let Some(fraction) = reading.fraction.filter(|_| with_fraction) {
        text += &format!(", {:.0} %", 100.0 * fraction);
    }
    text += &format!(", {} {}", scaled(progress.ideals as f64), what_is_counted(progress.phase));
    if let Some(rate) = reading.rate {
        text += &format!(", {} steps/s", scaled(rate));
    }
    if let Some(left) = reading.remaining {
        text += &format!(", about {} left", show_estimate(left.max(Duration::from_secs(1))));
        if progress.phase == Phase::Enumerate {
            text += " in this phase";
        }
    }
    text
}

/// One line about a search or its proof, of which nobody knows how long it takes.
fn describe_search(progress: &Progress, reading: &Reading) -> String {
    let done = scaled(progress.done as f64);
    let mut text = match progress.phase {
        Phase::Prove => {
            format!("proving, {done} of the {} lost positions found so far", scaled(progress.ideals as f64))
        }
        _ => format!("searching, {done} positions visited"),
    };
    if let Some(rate) = reading.rate {
        text += &format!(", {}/s", scaled(rate));
    }
    text
}

/// One line about work that is a number of equal things.
fn describe_count(
    doing: &str,
    (done, total): (u64, u64),
    things: &str,
    reading: &Reading,
    with_fraction: bool,
) -> String {
    let mut text = doing.to_owned();
    if let Some(fraction) = reading.fraction.filter(|_| with_fraction) {
        text += &format!(", {:.0} %", 100.0 * fraction);
    }
    text += &format!(", {} of {} {things}", scaled(done as f64), scaled(total as f64));
    if let Some(rate) = reading.rate {
        text += &format!(", {}/s", scaled(rate));
    }
    if let Some(left) = reading.remaining {
        text += &format!(", about {} left", show_estimate(left.max(Duration::from_secs(1))));
    }
    text
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Enumerate => "enumerating",
        Phase::Evaluate => "evaluating",
        Phase::Search => "searching",
        Phase::Prove => "proving",
        Phase::Learn => "learning what ideals are worth",
        Phase::Sample => "sampling",
    }
}

fn what_is_counted(phase: Phase) -> &'static str {
    match phase {
        Phase::Enumerate => "orbits",
        Phase::Evaluate => "states",
        Phase::Search => "positions",
        Phase::Prove => "lost positions",
        Phase::Learn | Phase::Sample => "random ideals",
    }
}

/// A number with three significant digits and a unit: `987`, `12.3 k`, `4.56 M`, `3.30 * 10^17`.
pub fn scaled(mut number: f64) -> String {
    if number >= 999.5e12 {
        return show_large(number);
    }
    let mut unit = "";
    for larger in [" k", " M", " G", " T"] {
        if number < 999.5 {
            break;
        }
        number /= 1000.0;
        unit = larger;
    }
    let decimals = match number {
        _ if unit.is_empty() => 0,
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_keep_three_digits() {
        for (number, text) in [
            (0.0, "0"),
            (987.0, "987"),
            (999.9, "1.00 k"),
            (12_345.0, "12.3 k"),
            (4.56e6, "4.56 M"),
            (3.3e17, "3.30 * 10^17"),
        ] {
            assert_eq!(scaled(number), text);
        }
    }

    #[test]
    fn a_line_tells_how_far_a_sweep_is() {
        let reading = Reading { fraction: Some(0.5), rate: Some(2e6), remaining: Some(Duration::ZERO) };
        assert_eq!(
            describe_count("checking", (1_500_000, 3_000_000), "positions", &reading, true),
            "checking, 50 %, 1.50 M of 3.00 M positions, 2.00 M/s, about 1 s left"
        );
    }

    #[test]
    fn a_line_tells_what_is_known() {
        let progress =
            Progress { phase: Phase::Evaluate, layer: 31, last_layer: 64, done: 1, total: Some(2), ideals: 1_500_000 };
        let mut reading = Reading { fraction: Some(0.5), rate: Some(2e6), remaining: Some(Duration::from_secs(40)) };
        assert_eq!(
            describe(&progress, &reading, true),
            "evaluating, layer 31 of 64, 50 %, 1.50 M states, 2.00 M steps/s, about 40 s left"
        );
        reading = Reading::default();
        assert_eq!(describe(&progress, &reading, true), "evaluating, layer 31 of 64, 1.50 M states");
        let learning = Progress { phase: Phase::Learn, layer: 0, last_layer: 0, ..progress };
        assert_eq!(describe(&learning, &reading, true), "learning what ideals are worth");
    }
}
