//! Amounts of memory and spans of time, as users write them (`8GiB`, `10s`) and as they are shown.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// An amount of memory or disk in bytes.
///
/// Written with a unit: `512MiB`, `1.5GiB`, `8G` (powers of 1024), `8GB` (powers of 1000); without one it is bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// Why an amount could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AmountError {
    /// No number at the start.
    #[error("it does not start with a number; write for example {0}")]
    NoNumber(&'static str),
    /// A unit that is none.
    #[error("`{unit}` is no unit; use {units}")]
    Unit {
        /// What stood behind the number.
        unit: String,
        /// The units there are.
        units: &'static str,
    },
    /// Nothing at all.
    #[error("it must be more than zero")]
    Zero,
    /// Beyond what can be counted.
    #[error("that is too much")]
    TooLarge,
}

const BYTE_UNITS: [(&str, f64); 14] = [
    ("", 1.0),
    ("B", 1.0),
    ("K", 1024.0),
    ("KiB", 1024.0),
    ("KB", 1e3),
    ("M", 1_048_576.0),
    ("MiB", 1_048_576.0),
    ("MB", 1e6),
    ("G", 1_073_741_824.0),
    ("GiB", 1_073_741_824.0),
    ("GB", 1e9),
    ("T", 1_099_511_627_776.0),
    ("TiB", 1_099_511_627_776.0),
    ("TB", 1e12),
];

const TIME_UNITS: [(&str, f64); 6] =
    [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0), ("w", 604_800.0)];

impl FromStr for Bytes {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let bytes = amount(text, &BYTE_UNITS, "8GiB", "B, KiB, MiB, GiB or TiB")?;
        // 2^63 rather than 2^64: no budget comes near, and sums of two budgets cannot overflow.
        if bytes < 9.2e18 { Ok(Self(bytes as u64)) } else { Err(AmountError::TooLarge) }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut amount = self.0 as f64;
        let mut unit = "bytes";
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
            if amount < 1024.0 {
                break;
            }
            amount /= 1024.0;
            unit = larger;
        }
        let decimals = usize::from(unit != "bytes" && amount < 100.0);
        write!(f, "{amount:.decimals$} {unit}")
    }
}

/// Shows an amount of memory or disk that is only estimated, and may be more than any machine has: beyond exbibytes as a
/// power of ten.
pub fn show_bytes(number: f64) -> String {
    if number < (1u64 << 63) as f64 {
        Bytes(number as u64).to_string()
    } else {
        format!("{} bytes", show_large(number))
    }
}

/// Shows a number with three significant digits, as a power of ten.
pub fn show_large(number: f64) -> String {
    format!("{number:.2e}").replace('e', " * 10^")
}

/// Reads a span of time: `100ms`, `10s`, `2m`, `1.5h`, `3d`, `2w`.
pub fn parse_duration(text: &str) -> Result<Duration, AmountError> {
    let seconds = amount(text, &TIME_UNITS, "10s", "ms, s, m, h, d or w")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| AmountError::TooLarge)
}

/// Reads a span of time that may be none: `0s` besides what [`parse_duration`] reads.
pub fn parse_duration_or_none(text: &str) -> Result<Duration, AmountError> {
    if matches!(text.trim(), "0" | "0s") { Ok(Duration::ZERO) } else { parse_duration(text) }
}

/// Shows a span of time with as many digits as anybody wants to read: `0.042 s`, `12.3 s`, `4 min 10 s`, `2 h 5 min`, `14 days`.
pub fn show_duration(span: Duration) -> String {
    let seconds = span.as_secs_f64();
    let whole = seconds.round() as u64;
    let both = |large: u64, unit: &str, small: u64, smaller: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {smaller}"),
    };
    match seconds {
        s if s < 1.0 => format!("{s:.3} s"),
        s if s < 60.0 => format!("{s:.1} s"),
        _ if whole < 3600 => both(whole / 60, "min", whole % 60, "s"),
        _ if whole < 172_800 => both(whole / 3600, "h", whole % 3600 / 60, "min"),
        _ => both(whole / 86_400, "days", whole % 86_400 / 3600, "h"),
    }
}

/// Shows a span of time that is only estimated: in whole seconds.
pub fn show_estimate(span: Duration) -> String {
    match span.as_secs_f64().round() as u64 {
        0 => "less than a second".to_owned(),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds => show_duration(Duration::from_secs(seconds)),
    }
}

/// Shows an estimated number of seconds: in years where it has many.
pub fn show_seconds(seconds: f64) -> String {
    /// Beyond a year, days are no longer of interest.
    const YEAR: f64 = 365.25 * 86_400.0;
    let years = seconds / YEAR;
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if years < 2.0 => show_estimate(span),
        _ if years < 1e6 => format!("{years:.0} years"),
        _ => format!("{} years", show_large(years)),
    }
}

/// A positive number with one of `units`, in the base unit.
fn amount(text: &str, units: &[(&str, f64)], example: &'static str, names: &'static str) -> Result<f64, AmountError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().map_err(|_| AmountError::NoNumber(example))?;
    let unit = text[end..].trim();
    let scale = units
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
        .ok_or_else(|| AmountError::Unit { unit: unit.to_owned(), units: names })?
        .1;
    if number == 0.0 {
        return Err(AmountError::Zero);
    }
    Ok(number * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        for (text, bytes) in [
            ("8GiB", 8 << 30),
            ("8G", 8 << 30),
            ("8gib", 8 << 30),
            ("8GB", 8_000_000_000),
            ("512 MiB", 512 << 20),
            ("1.5KiB", 1536),
            ("1000", 1000),
            ("1B", 1),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_of_memory() {
        assert_eq!("much".parse::<Bytes>(), Err(AmountError::NoNumber("8GiB")));
        assert_eq!("-1GiB".parse::<Bytes>(), Err(AmountError::NoNumber("8GiB")));
        assert_eq!("1.2.3GiB".parse::<Bytes>(), Err(AmountError::NoNumber("8GiB")));
        assert!(matches!("8GiBs".parse::<Bytes>(), Err(AmountError::Unit { unit, .. }) if unit == "GiBs"));
        assert_eq!("0GiB".parse::<Bytes>(), Err(AmountError::Zero));
        assert_eq!("99999999999TiB".parse::<Bytes>(), Err(AmountError::TooLarge));
    }

    #[test]
    fn spans_of_time() {
        for (text, milliseconds) in
            [("100ms", 100), ("10s", 10_000), ("2m", 120_000), ("1.5h", 5_400_000), ("2w", 1_209_600_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert!(matches!(parse_duration("10"), Err(AmountError::Unit { .. })), "a bare number says no unit");
        assert_eq!(parse_duration("0s"), Err(AmountError::Zero));
        assert!(parse_duration("1e9s").is_err(), "no exponents");
    }

    #[test]
    fn what_no_machine_has_is_a_power_of_ten() {
        assert_eq!(show_bytes(1536.0), "1.5 KiB");
        assert_eq!(show_bytes(2f64.powi(62)), "4.0 EiB");
        assert_eq!(show_bytes(2f64.powi(64)), "1.84 * 10^19 bytes");
        assert_eq!(show_bytes(6.4e24), "6.40 * 10^24 bytes");
        assert_eq!(show_seconds(12.3), "12 s");
        assert_eq!(show_seconds(3.2e9), "101 years");
        assert_eq!(show_seconds(3.2e18), "1.01 * 10^11 years");
        assert_eq!(show_seconds(1e300), "3.17 * 10^292 years");
    }

    #[test]
    fn shown_for_people() {
        assert_eq!(Bytes(17).to_string(), "17 bytes");
        assert_eq!(Bytes(1536).to_string(), "1.5 KiB");
        assert_eq!(Bytes(200 << 20).to_string(), "200 MiB");
        assert_eq!(show_duration(Duration::from_millis(42)), "0.042 s");
        assert_eq!(show_duration(Duration::from_millis(12_340)), "12.3 s");
        assert_eq!(show_duration(Duration::from_secs(250)), "4 min 10 s");
        assert_eq!(show_duration(Duration::from_secs(7500)), "2 h 5 min");
        assert_eq!(show_duration(Duration::from_secs(7200)), "2 h");
        assert_eq!(show_duration(Duration::from_secs(14 * 86_400)), "14 days");
        assert_eq!(show_estimate(Duration::from_millis(300)), "less than a second");
        assert_eq!(show_estimate(Duration::from_millis(12_340)), "12 s");
        assert_eq!(show_estimate(Duration::from_secs(250)), "4 min 10 s");
    }
}
