//! Who may do what at a coordinator: what a token opens.
//!
//! | right | may |
//! |---|---|
//! | [`Right::Owner`] | everything |
//! | [`Right::Worker`] | work: take tasks, deliver results, fetch tables |
//! | [`Right::Reader`] | ask: plans, jobs, positions, certificates, metrics; and change nothing |

use tonic::metadata::MetadataMap;

use crate::token::{Token, shown_in};

/// What whoever shows a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Everything.
    Owner,
    /// Work, and nothing else.
    Worker,
    /// Ask, and change nothing.
    Reader,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To take tasks, deliver results, and fetch what they need.
    Work,
    /// To ask, and change nothing.
    Ask,
    /// To begin, steer or remove a job.
    Change,
}

impl Right {
    /// Whether it covers that.
    pub fn covers(self, purpose: Purpose) -> bool {
        match self {
            Self::Owner => true,
            Self::Worker => purpose == Purpose::Work,
            Self::Reader => purpose == Purpose::Ask,
        }
    }
}

/// The tokens that open a coordinator; without any, anybody is welcome.
#[derive(Clone, Debug, Default)]
pub struct Tokens(Vec<(Token, Right)>);

impl Tokens {
    /// The owner's, and no other.
    pub fn of_owner(token: Token) -> Self {
        Self(vec![(token, Right::Owner)])
    }

    /// Another one, with less rights than the owner's.
    #[must_use]
    pub fn with(mut self, token: Token, right: Right) -> Self {
        self.0.push((token, right));
        self
    }

    /// What a request may do by the token that it shows; `None` if it shows none of these. How long that takes does not
    /// tell how much of a token is right.
    pub fn right_of(&self, metadata: &MetadataMap) -> Option<Right> {
        if self.0.is_empty() {
            return Some(Right::Owner);
        }
        self.right_of_token(shown_in(metadata)?)
    }

    /// What a token opens.
    pub fn right_of_token(&self, shown: &[u8]) -> Option<Right> {
        // All of them are compared, so that the time does not tell which one it was.
        self.0.iter().fold(None, |right, (token, of)| if token.is(shown) { right.or(Some(*of)) } else { right })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_opens_what_it_is_for() {
        let token = |text| Token::new(text).expect("a token");
        let tokens = Tokens::of_owner(token("o")).with(token("w"), Right::Worker).with(token("r"), Right::Reader);
        let may = |shown: &str| {
            let purposes = [Purpose::Work, Purpose::Ask, Purpose::Change];
            tokens.right_of_token(shown.as_bytes()).map(|right| purposes.map(|purpose| right.covers(purpose)))
        };
        assert_eq!(may("o"), Some([true; 3]));
        assert_eq!(may("w"), Some([true, false, false]));
        assert_eq!(may("r"), Some([false, true, false]));
        assert_eq!(may("x"), None);
        assert_eq!(tokens.right_of(&MetadataMap::new()), None);
        assert_eq!(Tokens::default().right_of(&MetadataMap::new()), Some(Right::Owner));
    }
}
