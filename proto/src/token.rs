//! The secret that a coordinator shares with those who may use it.
//!
//! A token is never shown: not by `Debug`, not in an error, not in the list of a request's headers.

use std::fmt;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// Bytes of randomness in a token.
const TOKEN_BYTES: usize = 32;

/// Header that carries the token.
const AUTHORIZATION: &str = "authorization";

/// What stands before the token in the header.
const SCHEME: &str = "Bearer ";

/// A shared secret.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(String);

/// The system has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random bytes: {0}")]
pub struct NoRandomness(getrandom::Error);

/// A token that no header can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token is made of visible ASCII characters, without spaces, and is not empty")]
pub struct TokenError;

impl Token {
    /// A token that nobody can guess, in hexadecimal digits.
    ///
    /// # Errors
    /// [`NoRandomness`], from the operating system.
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(NoRandomness)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// A token that was made elsewhere; white space around it is dropped.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(TokenError) }
    }

    /// The secret itself, for those who pass it on.
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Whether `other` is this token, in a time that does not tell how much of it is right.
    pub fn is(&self, other: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(other).into()
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.is(other.0.as_bytes())
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Puts the token, where there is one, into every request.
#[derive(Clone, Debug, Default)]
pub struct Bearer {
    header: Option<MetadataValue<Ascii>>,
}

impl Bearer {
    /// An interceptor that shows this token.
    ///
    /// # Errors
    /// [`TokenError`] if the token, from a file that was written by hand, fits no header.
    pub fn new(token: Option<&Token>) -> Result<Self, TokenError> {
        let Some(token) = token else { return Ok(Self::default()) };
        let mut header: MetadataValue<Ascii> =
            format!("{SCHEME}{}", Token::new(&token.0)?.0).parse().map_err(|_| TokenError)?;
        header.set_sensitive(true);
        Ok(Self { header: Some(header) })
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.header {
            request.metadata_mut().insert(AUTHORIZATION, header.clone());
        }
        Ok(request)
    }
}

/// The token that a request shows, for servers.
pub fn shown_in(metadata: &MetadataMap) -> Option<&[u8]> {
    shown_by(metadata.get(AUTHORIZATION)?.as_bytes())
}

/// The token in the value of an `authorization` header.
pub fn shown_by(header: &[u8]) -> Option<&[u8]> {
    header.strip_prefix(SCHEME.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (Token::random().expect("random"), Token::random().expect("random"));
        assert_eq!(a.secret().len(), 64);
        assert!(a.secret().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(a, b);
    }

    #[test]
    fn tokens_are_not_shown() {
        let token = Token::new("secret").expect("a token");
        assert!(!format!("{token:?}").contains("secret"));
        let bearer = Bearer::new(Some(&token)).expect("fits");
        assert!(!format!("{bearer:?}").contains("secret"), "{bearer:?}");
    }

    #[test]
    fn what_no_header_can_carry_is_no_token() {
        assert_eq!(Token::new(" abc\n").map(|token| token.0), Ok("abc".to_owned()));
        for text in ["", " ", "a b", "a\nb", "schlüssel"] {
            assert_eq!(Token::new(text).err(), Some(TokenError), "{text}");
        }
    }

    #[test]
    fn the_right_token_opens_and_nothing_else() {
        let token = Token::new("0123").expect("a token");
        let shown = |text: Option<&str>| {
            let bearer = text.map(|text| Token::new(text).expect("a token"));
            let mut bearer = Bearer::new(bearer.as_ref()).expect("fits");
            let request = bearer.call(Request::new(())).expect("passes");
            shown_in(request.metadata()).is_some_and(|shown| token.is(shown))
        };
        assert!(shown(Some("0123")));
        for wrong in [None, Some("012"), Some("01234"), Some("0124")] {
            assert!(!shown(wrong), "{wrong:?}");
        }
        let mut bare = MetadataMap::new();
        bare.insert(AUTHORIZATION, "0123".parse().expect("a header"));
        assert!(shown_in(&bare).is_none(), "without its scheme");
    }
}
