//! How far a search is that workers share: rows for people, and a document.

use antichain_proto::v1::{SearchProgress, Tally};
use serde::Serialize;

use crate::output::grouped;
use crate::progress::scaled;

/// Positions in the hands of workers that are listed, at most.
const LISTED: usize = 4;

/// How far a search is, as a JSON document.
#[derive(Debug, Serialize)]
pub struct SearchProgressDocument<'a> {
    nodes: u64,
    settled: u64,
    options: TallyDocument,
    replies: TallyDocument,
    searched_now: &'a [String],
    predicted_first: f64,
    predicted_now: f64,
    model: ModelDocument,
    proving: bool,
}

#[derive(Debug, Default, Serialize)]
struct TallyDocument {
    all: u64,
    won: u64,
    lost: u64,
    open: u64,
}

/// The natural logarithm of the number of positions visited is base + slope * elements.
#[derive(Debug, Serialize)]
struct ModelDocument {
    base: f64,
    slope: f64,
    learnt_from: u64,
}

impl From<Tally> for TallyDocument {
    fn from(Tally { all, won, lost }: Tally) -> Self {
        Self { all, won, lost, open: all.saturating_sub(won.saturating_add(lost)) }
    }
}

impl<'a> From<&'a SearchProgress> for SearchProgressDocument<'a> {
    fn from(search: &'a SearchProgress) -> Self {
        Self {
            nodes: search.nodes,
            settled: search.settled,
            options: search.options.unwrap_or_default().into(),
            replies: search.replies.unwrap_or_default().into(),
            searched_now: &search.searched_now,
            predicted_first: search.predicted_first,
            predicted_now: search.predicted_now,
            model: ModelDocument { base: search.base, slope: search.slope, learnt_from: search.learnt_from },
            proving: search.proving,
        }
    }
}

/// The same for people.
pub fn rows(search: &SearchProgress) -> Vec<(&'static str, String)> {
    let mut rows = vec![(
        "visited",
        format!("{} positions, {} settled with work", grouped(&search.nodes), grouped(&search.settled)),
    )];
    if search.proving {
        rows.push(("stage", "the outcome is known, and its proof is being made".to_owned()));
        return rows;
    }
    rows.push((
        "predicted",
        format!("{} positions in all; at first {}", scaled(search.predicted_now), scaled(search.predicted_first)),
    ));
    let factor = search.slope.exp();
    rows.push((
        "by",
        format!("a factor of {factor:.3} an element, learnt from {} positions", grouped(&search.learnt_from)),
    ));
    let tally = |tally: Option<Tally>| {
        let TallyDocument { all, won, open, .. } = tally.unwrap_or_default().into();
        format!("{open} of {all} open, {won} won for who moves next")
    };
    rows.push(("moves", tally(search.options)));
    if search.replies.is_some_and(|replies| replies.all > 0) {
        rows.push(("replies", tally(search.replies)));
    }
    for position in search.searched_now.iter().take(LISTED) {
        rows.push(("at work on", position.clone()));
    }
    if search.searched_now.len() > LISTED {
        rows.push(("", format!("and {} more", search.searched_now.len() - LISTED)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_under_way() {
        let search = SearchProgress {
            nodes: 12_345,
            settled: 678,
            options: Some(Tally { all: 9, won: 4, lost: 0 }),
            searched_now: (0..6).map(|number| format!("01 {number}")).collect(),
            predicted_first: 1e6,
            predicted_now: 2e6,
            slope: 0.5,
            ..Default::default()
        };
        let shown = rows(&search);
        let text = |name| shown.iter().find(|(row, _)| *row == name).map(|(_, text)| text.as_str());
        assert_eq!(text("moves"), Some("5 of 9 open, 4 won for who moves next"));
        assert_eq!(text("predicted"), Some("2.00 M positions in all; at first 1.00 M"));
        assert_eq!((text(""), text("replies")), (Some("and 2 more"), None));
        let json = serde_json::to_value(SearchProgressDocument::from(&search)).expect("JSON");
        assert_eq!((json["options"]["open"].as_u64(), json["proving"].as_bool()), (Some(5), Some(false)));
    }
}
