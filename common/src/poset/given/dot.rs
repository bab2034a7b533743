//! Digraphs of Graphviz: an edge `a -> b` says that a is below b, a node alone is an element. Attributes say nothing of the order.

use super::order::Relations;
use super::{GivenError, GivenFault};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name, and whether it was in quotes: then it is no keyword.
    Name(String, bool),
    /// `->`
    Arrow,
    /// One of `{ } [ ] ; , = :`
    Sign(char),
}

/// A token and its line.
type Placed = (Token, usize);

pub(super) fn read(text: &str) -> Result<Relations, GivenError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, relations: Relations::default() };
    parser.graph()?;
    Ok(parser.relations)
}

fn tokens(text: &str) -> Result<Vec<Placed>, GivenError> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_line_of_preprocessor =
            c == '#' && (rest.len() == text.len() || text[..text.len() - rest.len()].ends_with('\n'));
        let length = if c == '\n' {
            line += 1;
            1
        } else if c.is_whitespace() {
            c.len_utf8()
        } else if rest.starts_with("//") || is_line_of_preprocessor {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            let length = rest.find("*/").ok_or(GivenFault::Dot("a remark has no end").at(line))? + 2;
            line += rest[..length].matches('\n').count();
            length
        } else if c == '"' {
            let (name, length) = quoted(&rest[1..]).ok_or(GivenFault::Unclosed.at(line))?;
            tokens.push((Token::Name(name, true), line));
            line += rest[..length + 1].matches('\n').count();
            length + 1
        } else if rest.starts_with("->") {
            tokens.push((Token::Arrow, line));
            2
        } else if rest.starts_with("--") {
            return Err(GivenFault::Undirected.at(line));
        } else if "{}[];,=:".contains(c) {
            tokens.push((Token::Sign(c), line));
            1
        } else if c == '<' {
            return Err(GivenFault::Dot("names in HTML are not read").at(line));
        } else {
            let is_end = |c: char| c.is_whitespace() || "{}[];,=:\"<".contains(c);
            let end = rest.find(is_end).unwrap_or(rest.len());
            // A number may begin with a minus, and no name has one before an arrow.
            let (first, after) = rest[..end].split_at(c.len_utf8());
            let end = after.find("->").or_else(|| after.find("--")).map_or(end, |at| first.len() + at);
            tokens.push((Token::Name(rest[..end].to_owned(), false), line));
            end
        };
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// A name up to its closing quote, and how long it is with that.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((name, at + 1)),
            '\\' => match chars.next()?.1 {
                '"' => name.push('"'),
                '\n' => {}
                other => name.extend(['\\', other]),
            },
            c => name.push(c),
        }
    }
    None
}

struct Parser<'t> {
    tokens: &'t [Placed],
    at: usize,
    relations: Relations,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn line(&self) -> usize {
        let at = self.at.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(at).map_or(1, |&(_, line)| line)
    }

    fn fault(&self, what: &'static str) -> GivenError {
        GivenFault::Dot(what).at(self.line())
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_there = self.peek() == Some(token);
        self.at += usize::from(is_there);
        is_there
    }

    fn takes_sign(&mut self, sign: char) -> bool {
        self.takes(&Token::Sign(sign))
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek(), Some(Token::Name(name, false)) if name.eq_ignore_ascii_case(word));
        self.at += usize::from(is_there);
        is_there
    }

    fn graph(&mut self) -> Result<(), GivenError> {
        self.takes_word("strict");
        if self.takes_word("graph") {
            self.at -= 1;
            return Err(GivenFault::Undirected.at(self.line()));
        }
        if !self.takes_word("digraph") {
            return Err(self.fault("a digraph begins with `digraph`"));
        }
        if let Some(Token::Name(..)) = self.peek() {
            self.at += 1;
        }
        if !self.takes_sign('{') {
            return Err(self.fault("`{` is missing"));
        }
        self.statements(0)?;
        if self.at < self.tokens.len() { Err(self.fault("something follows the digraph")) } else { Ok(()) }
    }

    /// Statements up to the closing brace, and the elements that are in them.
    fn statements(&mut self, depth: usize) -> Result<Vec<usize>, GivenError> {
        const DEEPEST: usize = 64;
        if depth > DEEPEST {
            return Err(self.fault("braces within braces, too deep"));
        }
        let mut all = Vec::new();
        loop {
            if self.takes_sign('}') {
                // One that is named again is no other one.
                all.sort_unstable();
                all.dedup();
                return Ok(all);
            }
            if self.takes_sign(';') || self.takes_sign(',') {
                continue;
            }
            if self.peek().is_none() {
                return Err(self.fault("`}` is missing"));
            }
            all.extend(self.statement(depth)?);
        }
    }

    fn statement(&mut self, depth: usize) -> Result<Vec<usize>, GivenError> {
        if ["node", "edge", "graph"].iter().any(|word| self.takes_word(word)) {
            self.attributes()?;
            return Ok(Vec::new());
        }
        let is_setting = matches!(self.tokens.get(self.at + 1), Some((Token::Sign('='), _)));
        if is_setting && matches!(self.peek(), Some(Token::Name(..))) {
            self.at += 3;
            return Ok(Vec::new());
        }
        let mut below = self.operand(depth)?;
        let mut all = below.clone();
        loop {
            let line = self.line();
            if !self.takes(&Token::Arrow) {
                break;
            }
            let above = self.operand(depth)?;
            for &x in &below {
                for &y in &above {
                    self.relations.relate(x, y, line)?;
                }
            }
            all.extend(&above);
            below = above;
        }
        self.attributes()?;
        Ok(all)
    }

    /// An element, or all of a group.
    fn operand(&mut self, depth: usize) -> Result<Vec<usize>, GivenError> {
        let is_group = self.takes_word("subgraph");
        if is_group && let Some(Token::Name(..)) = self.peek() {
            self.at += 1;
        }
        if self.takes_sign('{') {
            return self.statements(depth + 1);
        }
        let line = self.line();
        let Some(Token::Name(name, _)) = self.peek().cloned().filter(|_| !is_group) else {
            return Err(self.fault("the name of an element is missing"));
        };
        self.at += 1;
        let x = self.relations.element(&name, line)?;
        // Ports say where a line ends, and the like.
        while self.takes_sign(':') {
            self.at += usize::from(matches!(self.peek(), Some(Token::Name(..))));
        }
        Ok(vec![x])
    }

    /// Passes over `[...]`, as often as it is there.
    fn attributes(&mut self) -> Result<(), GivenError> {
        while self.takes_sign('[') {
            while !self.takes_sign(']') {
                if self.peek().is_none() {
                    return Err(self.fault("`]` is missing"));
                }
                self.at += 1;
            }
        }
        Ok(())
    }
}
