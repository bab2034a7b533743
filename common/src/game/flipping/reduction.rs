//! Reduction: a line made shorter without a change of its value (Lemmas 4.3 and 4.4 of the paper, step 2 of its algorithm).
//!
//! `α 0111 β = α 10 β` if β starts with a 1, or has an even number of 1s, none at all included; trailing 0s are deleted.
//!
//! A line is kept here as its *runs*: the number of 1s before its first 0, between each 0 and the next, and after the last.
//! A reduction takes three 1s from one run and gives one to the run before. Whether it may depends on that run and the
//! parity of those behind, and all these are settled when runs are dealt with from the last to the first: one pass is
//! enough.

use std::fmt;

use super::line::Line;

/// A line to which no reduction applies.
///
/// Every run but the first has at most three 1s, and three only if an odd number of 1s follow. The last run has a 1, unless
/// it is the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    runs: Vec<u32>,
}

impl Reduced {
    /// The runs.
    pub(super) fn runs(&self) -> &[u32] {
        &self.runs
    }

    /// The line.
    pub fn line(&self) -> Line {
        let mut coins = Vec::new();
        for (i, &run) in self.runs.iter().enumerate() {
            if i > 0 {
                coins.push(false);
            }
            coins.resize(coins.len() + run as usize, true);
        }
        Line::new(coins)
    }
}

impl From<&Line> for Reduced {
    fn from(line: &Line) -> Self {
        let mut runs: Vec<u32> =
            line.coins().split(|&coin| !coin).map(|run| u32::try_from(run.len()).unwrap_or(u32::MAX)).collect();
        let kept = reduce(&mut runs);
        runs.truncate(kept);
        Self { runs }
    }
}

impl fmt::Display for Reduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line().fmt(f)
    }
}

/// Reduces the runs of a line, of which there is at least one; returns how many are left.
#[inline]
pub(super) fn reduce(runs: &mut [u32]) -> usize {
    let mut kept = runs.len();
    let mut even_behind = true;
    for i in (1..runs.len()).rev() {
        let run = runs[i];
        // While there are four or more, and once more at three if it may be.
        let times = if run > 3 { (run - 1) / 3 } else { 0 };
        let times = times + u32::from(run - 3 * times == 3 && even_behind);
        runs[i - 1] += times;
        runs[i] -= 3 * times;
        if kept == i + 1 && runs[i] == 0 {
            kept = i;
        }
        even_behind ^= runs[i] % 2 == 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(text: &str) -> String {
        Reduced::from(&text.parse::<Line>().expect("a line")).to_string()
    }

    #[test]
    fn the_examples_of_the_paper() {
        assert_eq!(reduced("10011110110110111011110011"), "1010110001010011");
        assert_eq!(reduced("01001110110111011101"), "01010100011101");
        assert_eq!(reduced("0101011111"), "01011011");
        assert_eq!(reduced("0110110110111"), "1");
        assert_eq!(reduced("0111"), "1");
        assert_eq!(reduced("1001101"), "1001101");
        assert_eq!(reduced("1001110"), "101");
        assert_eq!(reduced("1111111"), "1111111");
        assert_eq!(reduced("0"), "0");
    }

    /// Every line that one reduction of the text makes of another.
    fn steps(text: &str) -> Vec<String> {
        let may = |rest: &str| rest.starts_with('1') || rest.matches('1').count().is_multiple_of(2);
        text.match_indices("0111")
            .filter(|(place, pattern)| may(&text[place + pattern.len()..]))
            .map(|(place, pattern)| format!("{}10{}", &text[..place], &text[place + pattern.len()..]))
            .map(|line| line.trim_end_matches('0').to_owned())
            .collect()
    }

    #[test]
    fn every_order_of_reductions_ends_in_the_same_line() {
        for code in 0..1 << 13 {
            let text = Line::from_code(code).to_string();
            let text = text.trim_end_matches('0');
            let end = reduced(if text.is_empty() { "0" } else { text });
            let mut open = vec![text.to_owned()];
            while let Some(line) = open.pop() {
                let next = steps(&line);
                if next.is_empty() {
                    assert_eq!(if line.is_empty() { "0" } else { &line }, end, "{text}");
                }
                open.extend(next);
            }
        }
    }

    #[test]
    fn a_long_line_takes_no_time() {
        let text = format!("0{}", "1".repeat(9_999));
        assert_eq!(reduced(&text), "1".repeat(3333));
        assert_eq!(reduced(&"0111".repeat(2500)), format!("1{}", "01".repeat(2499)));
    }
}
