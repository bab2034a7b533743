//! Words of a text: as they are typed, or between double quotes where they have spaces, commas or the like.

/// What a text is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A label, without its quotes.
    Word(String),
    /// A character that stands for itself.
    Sign(char),
}

/// A quotation without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unclosed;

/// Takes a text apart. Spaces separate, `signs` do so and are pieces of their own; between double quotes both are part of a
/// word, and there `\"` is a quote and `\\` a backslash.
pub(super) fn pieces(text: &str, signs: &[char]) -> Result<Vec<Piece>, Unclosed> {
    let mut pieces = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == '"' {
            quoted(&mut rest, word.get_or_insert_default())?;
        } else if c.is_whitespace() || signs.contains(&c) {
            pieces.extend(word.take().map(Piece::Word));
            pieces.extend(signs.contains(&c).then_some(Piece::Sign(c)));
        } else {
            word.get_or_insert_default().push(c);
        }
    }
    pieces.extend(word.map(Piece::Word));
    Ok(pieces)
}

fn quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), Unclosed> {
    loop {
        match rest.next().ok_or(Unclosed)? {
            '"' => return Ok(()),
            '\\' => match rest.next().ok_or(Unclosed)? {
                c @ ('"' | '\\') => word.push(c),
                c => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

/// A label as a word that is read as this label: in quotes where it needs them.
pub(super) fn quote(label: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | ',' | '<' | '{' | '}' | '#');
    if !label.is_empty() && label.chars().all(is_plain) && !label.starts_with('-') {
        return label.to_owned();
    }
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let pieces = pieces(text, &[',']).expect("closed quotes");
        pieces.into_iter().filter_map(|piece| if let Piece::Word(word) = piece { Some(word) } else { None }).collect()
    }

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(words("a b,c"), ["a", "b", "c"]);
        assert_eq!(words(r#""a b" "c, \"d\"" \e"#), ["a b", "c, \"d\"", "\\e"]);
        assert_eq!(words(r#""" x"#), ["", "x"]);
        assert_eq!(pieces("\"a", &[]), Err(Unclosed));
        assert_eq!(pieces("a<b", &['<']).expect("closed").len(), 3);
    }

    proptest! {
        #[test]
        fn whatever_is_quoted_reads_back(labels in proptest::collection::vec("\\PC{0,6}|[ \",\\\\<{}#-]{0,4}", 1..4)) {
            let text: Vec<String> = labels.iter().map(|label| quote(label)).collect();
            prop_assert_eq!(words(&text.join(" ")), labels);
        }
    }
}
