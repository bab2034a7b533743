//! Arguments of `query` and `moves`: positions, which may begin with the empty set, `-`.

use super::LimitArgs;
use crate::sizes::Bytes;

/// Arguments of `query`.
#[derive(Debug, clap::Args)]
pub struct QueryArgs {
    /// The question; --help lists them
    pub question: String,
    /// The poset, such as boolean:6; --help lists them
    pub poset: String,
    /// The positions, one argument each; before one that begins with the empty set and goes on, as '- 01', write --
    #[arg(required = true)]
    pub positions: Vec<String>,
    /// Limits on sizes.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

/// Arguments of `moves`.
#[derive(Debug, clap::Args)]
pub struct MovesArgs {
    /// The poset, such as boolean:6; --help lists them
    pub poset: String,
    /// The position
    #[arg(allow_hyphen_values = true, value_parser = parse_position_word)]
    pub position: String,
    /// The values: grundy, outcome or remoteness [default: grundy where these are known, otherwise outcome]
    #[arg(long)]
    pub question: Option<String>,
    /// Memory to stay within, such as 8GiB [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
}

/// Takes a word for a position, which may begin with the empty set, `-`, but not as an option does.
fn parse_position_word(text: &str) -> Result<String, String> {
    if text.starts_with("--") {
        return Err("there is no such option, and no position begins so".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    #[test]
    fn a_lone_dash_is_a_position() {
        let args = Args::try_parse_from(["antichain", "query", "extensions", "boolean:3", "-", "{}"]).expect("parses");
        let Command::Query(query) = args.command else { panic!("query") };
        assert_eq!(query.positions, ["-", "{}"]);
    }

    #[test]
    fn the_position_of_moves_may_begin_with_a_dash() {
        let args =
            Args::try_parse_from(["antichain", "moves", "boolean:3", "-,2", "--question", "grundy"]).expect("parses");
        let Command::Moves(moves) = args.command else { panic!("moves") };
        assert_eq!((moves.position.as_str(), moves.question.as_deref()), ("-,2", Some("grundy")));
    }

    #[test]
    fn options_may_follow_positions() {
        let words = ["antichain", "query", "extensions", "boolean:3", "01", "--memory", "1GiB", "--json"];
        let args = Args::try_parse_from(words).expect("parses");
        let Command::Query(query) = args.command else { panic!("query") };
        assert_eq!((query.positions, query.memory), (vec!["01".to_owned()], Some(Bytes(1 << 30))));
    }
}
