//! The user's words turned into questions, posets, limits and positions, with a reason and a hint where that fails.

pub mod coins;
pub mod given;
pub mod search;

use antichain_common::game::coins::TurningGame;
use antichain_common::ideal::Element;
use antichain_common::job::{JobSpec, Question, SizeLimits};
use antichain_common::poset::covers::CoverPoset;
use antichain_common::poset::given::short_name;
use antichain_common::poset::{Poset, parse_position};

use crate::args::LimitArgs;
use crate::output;

/// Input that is refused by the command line itself.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum InputError {
    /// A word that is no question.
    #[error("there is no such question")]
    Question(String),
    /// A coin-turning game where a question about ideals is needed.
    #[error("this is a coin-turning game, and no question about ideals")]
    CoinGame(String),
    /// An estimate where a question about ideals is needed.
    #[error("an estimate is no question about ideals")]
    Estimate,
    /// A time for workers that nobody has tried.
    #[error("workers are not tried beforehand, so nobody knows what they do in a time")]
    BudgetThere,
    /// Limits that no ideal can keep.
    #[error("no ideal has at least {min} and at most {max} elements")]
    Limits {
        /// The lower limit.
        min: usize,
        /// The upper limit.
        max: usize,
    },
    /// A limit beyond the poset.
    #[error("{poset} has {elements} elements, so no ideal has more")]
    LimitBeyond {
        /// The limit as it was given.
        limit: String,
        /// The poset.
        poset: String,
        /// Number of its elements.
        elements: usize,
    },
    /// A tablebase without a file to write it to.
    #[error("a tablebase is written to a file, and none is named")]
    NoOutput,
    /// Limits on what is only had whole.
    #[error("tablebases, truncations and proofs are exported whole, whatever the size of the ideals")]
    WholeOnly(SizeLimits),
    /// A value that no position has.
    #[error("this is no value of the question")]
    NoSuchValue(String),
    /// Sets of few points of a poset that has none.
    #[error("only Boolean lattices have games on sets of at most k of n points")]
    NoTruncations(String),
    /// Counts of a job that has none.
    #[error("a search has neither counts nor values of other positions")]
    ProofOnly(String),
    /// Positions of no value.
    #[error("which value positions are to have is missing")]
    NoValue,
    /// A position outside the limits.
    #[error("this ideal has {size} elements, outside the limits given")]
    PositionOutside {
        /// The position as it was given.
        position: String,
        /// Number of its elements.
        size: usize,
    },
}

impl InputError {
    /// What the user typed.
    pub fn input(&self) -> String {
        match self {
            Self::Question(word) | Self::CoinGame(word) | Self::ProofOnly(word) => word.clone(),
            Self::Estimate => Question::Estimate.name().to_owned(),
            Self::BudgetThere => "--budget".to_owned(),
            Self::Limits { min, max } => format!("--min-elements {min} --max-elements {max}"),
            Self::LimitBeyond { limit, .. } => limit.clone(),
            Self::NoOutput => "--format table".to_owned(),
            Self::WholeOnly(limits) => given(*limits),
            Self::NoValue => "--format positions".to_owned(),
            Self::NoSuchValue(value) => value.clone(),
            Self::NoTruncations(poset) => poset.clone(),
            Self::PositionOutside { position, .. } => position.clone(),
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Question(_) => format!(
                "questions are {}, and of coin-turning games {}",
                Question::ABOUT_IDEALS.map(Question::name).join(", "),
                TurningGame::ALL.map(TurningGame::name).join(", ")
            ),
            Self::CoinGame(word) => format!("`antichain run {word}` and `antichain coins value {word}` answer it"),
            Self::Estimate => "`antichain estimate extensions POSET` makes one, here or at a coordinator".to_owned(),
            Self::BudgetThere => {
                "say with --samples or --error how much they are to do, or have it done here with --data".to_owned()
            }
            Self::Limits { .. } => "let --min-elements be at most --max-elements".to_owned(),
            Self::LimitBeyond { elements, .. } => format!("give at most {elements}, or leave it out"),
            Self::NoOutput => "name a file with --output".to_owned(),
            Self::ProofOnly(_) => "`--format proof` writes its proof, `--format json` its certificate".to_owned(),
            Self::WholeOnly(_) => "leave the limit out, or take another --format".to_owned(),
            Self::NoSuchValue(_) => "give a number from 0 to 255, of outcomes N or P".to_owned(),
            Self::NoTruncations(_) => "`--format csv` has the positions by size and value".to_owned(),
            Self::NoValue => "add it with --value, as in --value 0 for the lost positions".to_owned(),
            Self::PositionOutside { .. } => "change --min-elements or --max-elements, or leave them out".to_owned(),
        }
    }
}

/// The question of that name.
pub fn question(word: &str) -> Result<Question, InputError> {
    match word.parse() {
        Ok(Question::Ruler) => Err(InputError::CoinGame(word.to_owned())),
        Ok(Question::Estimate) => Err(InputError::Estimate),
        Ok(question) => Ok(question),
        Err(_) if word.parse::<TurningGame>().is_ok() => Err(InputError::CoinGame(word.to_owned())),
        Err(_) => Err(InputError::Question(word.to_owned())),
    }
}

/// The job of a question about a poset.
pub fn job(word: &str, poset: &str, args: LimitArgs, json: bool) -> anyhow::Result<JobSpec> {
    let limits = limits(args)?;
    if word == Question::Ruler.name() {
        coins::no_limits(limits)?;
        poset.parse::<CoverPoset>()?;
        return Ok(JobSpec::read(Question::Ruler, poset, limits)?);
    }
    let (question, poset) = (question(word)?, given::poset(poset, json)?);
    Ok(JobSpec::new(question, &poset, limits_for(&poset, args)?))
}

/// Limits as they were given.
fn given(limits: SizeLimits) -> String {
    match limits {
        SizeLimits { min, max: None } => format!("--min-elements {min}"),
        SizeLimits { max: Some(max), .. } => format!("--max-elements {max}"),
    }
}

/// The limits on sizes.
pub fn limits(args: LimitArgs) -> Result<SizeLimits, InputError> {
    let limits = SizeLimits { min: args.min_elements, max: args.max_elements };
    match limits.max {
        Some(max) if max < limits.min => Err(InputError::Limits { min: limits.min, max }),
        _ => Ok(limits),
    }
}

/// The limits on the sizes of ideals of a poset.
pub fn limits_for(poset: &Poset, args: LimitArgs) -> Result<SizeLimits, InputError> {
    let limits = limits(args)?;
    let beyond =
        |limit| InputError::LimitBeyond { limit, poset: short_name(&poset.name()).into_owned(), elements: poset.len() };
    match limits {
        SizeLimits { min, .. } if min > poset.len() => Err(beyond(format!("--min-elements {min}"))),
        SizeLimits { max: Some(max), .. } if max > poset.len() => Err(beyond(format!("--max-elements {max}"))),
        _ => Ok(limits),
    }
}

/// Whether an ideal of that size is within the limits.
pub fn is_within(limits: SizeLimits, size: usize) -> bool {
    size >= limits.min && limits.max.is_none_or(|max| size <= max)
}

/// The positions, each with the text it was given as. Doubtful ones are warned about.
pub fn positions(
    poset: &Poset,
    texts: Vec<String>,
    limits: SizeLimits,
    json: bool,
) -> anyhow::Result<Vec<(String, Vec<Element>)>> {
    if let Some(whole) = one_position_unquoted(poset, &texts) {
        let count = texts.len();
        output::warning(json, &format!("taken as {count} positions; if they are one, quote it: '{whole}'"));
    }
    let mut positions = Vec::with_capacity(texts.len());
    for text in texts {
        let parsed = parse_position(poset, &text)?;
        for warning in &parsed.warnings {
            output::warning(json, warning);
        }
        let size = parsed.members.len();
        if !is_within(limits, size) {
            return Err(InputError::PositionOutside { position: text, size }.into());
        }
        positions.push((text, parsed.members));
    }
    Ok(positions)
}

/// The arguments joined, where they look like one position whose quotes were forgotten: each names a single element, and
/// all together they are an antichain.
fn one_position_unquoted(poset: &Poset, texts: &[String]) -> Option<String> {
    if texts.len() < 2 || texts.iter().any(|text| text.contains(char::is_whitespace)) {
        return None;
    }
    let whole = texts.join(" ");
    parse_position(poset, &whole).ok().filter(|parsed| parsed.warnings.is_empty()).map(|_| whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_ideals_and_others() {
        assert_eq!(question("ideals"), Ok(Question::Ideals));
        let coins = question("ruler").expect_err("no question about ideals");
        assert!(coins.hint().contains("antichain coins value ruler"));
        let unknown = question("extension").expect_err("no question");
        assert!(unknown.hint().contains("extensions, ideals"));
    }

    #[test]
    fn limits_must_leave_something() {
        let given = |min_elements, max_elements| limits(LimitArgs { max_elements, min_elements });
        assert_eq!(given(0, None), Ok(SizeLimits::NONE));
        assert_eq!(given(3, Some(3)), Ok(SizeLimits { min: 3, max: Some(3) }));
        assert_eq!(given(4, Some(3)), Err(InputError::Limits { min: 4, max: 3 }));
    }

    #[test]
    fn limits_are_within_the_poset() {
        let poset: Poset = "boolean:3".parse().expect("a poset");
        let given = |min_elements, max_elements| limits_for(&poset, LimitArgs { max_elements, min_elements });
        assert_eq!(given(8, Some(8)), Ok(SizeLimits { min: 8, max: Some(8) }));
        assert_eq!(given(0, Some(0)), Ok(SizeLimits { min: 0, max: Some(0) }));
        for (min, max, input) in [(9, None, "--min-elements 9"), (0, Some(9), "--max-elements 9")] {
            let error = given(min, max).expect_err("beyond");
            assert_eq!((error.input().as_str(), error.hint().contains("at most 8")), (input, true));
        }
    }

    #[test]
    fn a_position_without_its_quotes_is_noticed() {
        let words = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let boolean: Poset = "boolean:5".parse().expect("a poset");
        assert_eq!(one_position_unquoted(&boolean, &words(&["012", "34"])), Some("012 34".to_owned()));
        assert_eq!(one_position_unquoted(&boolean, &words(&["012 34"])), None, "quoted");
        assert_eq!(one_position_unquoted(&boolean, &words(&["012 3", "34"])), None, "two positions");
        assert_eq!(one_position_unquoted(&boolean, &words(&["01", "012"])), None, "no antichain");
        let chain: Poset = "chain:5".parse().expect("a poset");
        assert_eq!(one_position_unquoted(&chain, &words(&["1", "2"])), None, "no antichain");
    }
}
