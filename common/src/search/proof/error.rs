//! What is wrong with a file that was to be a proof: it cannot be read as one, or it proves nothing.

use std::io;

use super::format::{MAGIC, MAX_LINE, VERSION};
use crate::poset::{PosetError, PositionError};

/// Why a proof is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The file does not begin as a proof does.
    #[error("this is no proof: the first line is not `{MAGIC} {VERSION}`")]
    NotAProof,
    /// A proof of another version of the format.
    #[error("this is a proof of version {0}; this program reads {VERSION}")]
    OtherVersion(String),
    /// The file ends before its last line does.
    #[error("the proof is cut short: it ends in line {line}, without the last line `end ...`")]
    CutShort {
        /// The line in which the file ends.
        line: u64,
    },
    /// A line that no proof has.
    #[error("line {line} has more than {MAX_LINE} bytes")]
    LineTooLong {
        /// The line.
        line: u64,
    },
    /// A line that is not what belongs there.
    #[error("line {line} is not {expected}")]
    Malformed {
        /// The line.
        line: u64,
        /// What belongs there.
        expected: &'static str,
    },
    /// A poset that is not known.
    #[error(transparent)]
    Poset(#[from] PosetError),
    /// A text that is no position of the poset.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// The file cannot be read.
    #[error("the proof cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A step that does not hold.
    #[error("line {line}: `{position}` {fault}")]
    Refused {
        /// The line.
        line: u64,
        /// The position that the line is about.
        position: String,
        /// What is wrong.
        fault: Fault,
    },
    /// Other numbers of entries in the header, in the last line, or in between.
    #[error("line {line} says that there are {said} entries, but {found} were read")]
    Count {
        /// The line that tells another number.
        line: u64,
        /// The number it tells.
        said: u64,
        /// The number of entries there are.
        found: u64,
    },
    /// All steps hold, but what was read is not what was written.
    #[error(
        "the file is damaged: every step holds, but the digest in the last line is not that of the lines before it"
    )]
    Damaged,
    /// Something stands after the last line.
    #[error("the file goes on after line {line}, which ends the proof")]
    GoesOn {
        /// The line that ends the proof.
        line: u64,
    },
    /// A stop was asked for.
    #[error("stopped on request")]
    Stopped,
}

impl ProofError {
    /// Whether the file was read as a proof, and the proof does not hold.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Count { .. } | Self::Damaged)
    }
}

/// What is wrong with one step. Elements are written as the poset labels them, positions as
/// [`format_position`](crate::poset::format_position) does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A member without one that is below it.
    #[error("is listed, but is no position: it has {member} without {below}, which is below it")]
    NotAnIdeal {
        /// The member.
        member: String,
        /// What is missing.
        below: String,
    },
    /// An entry that does not come after the one before.
    #[error(
        "is listed a second time, or out of order: entries are sorted by number of members, then as binary numbers"
    )]
    Order,
    /// An entry about a position that is lost by definition.
    #[error("is listed, but has no move: it is lost by definition")]
    NoMove,
    /// More or fewer replies than moves.
    #[error("has {moves} moves, but the number of replies listed is {replies}")]
    Replies {
        /// Number of moves.
        moves: usize,
        /// Number of replies.
        replies: usize,
    },
    /// A reply that is no move in what is left.
    #[error("is not shown to be lost: the reply {reply} to the move {chosen} is no move, since {why}")]
    NoReply {
        /// The move.
        chosen: String,
        /// The reply.
        reply: String,
        /// Why it cannot be taken.
        why: &'static str,
    },
    /// A reply after which the position left is not known to be lost.
    #[error(
        "is not shown to be lost: the move {chosen} and the reply {reply} leave `{left}`, which is not listed as lost"
    )]
    Reply {
        /// The move.
        chosen: String,
        /// The reply.
        reply: String,
        /// What is left.
        left: String,
    },
    /// Images that are those of no automorphism.
    #[error("is not shown to be lost: the images of its mirror are no automorphism of the poset")]
    NoAutomorphism,
    /// An automorphism of another order than two.
    #[error("is not shown to be lost: its mirror, applied twice, moves {0}")]
    NoInvolution(String),
    /// A mirror that leads out of the position.
    #[error("is not mirrored to itself: {member} goes to {image}, which is not in it")]
    Elsewhere {
        /// The member.
        member: String,
        /// Its image.
        image: String,
    },
    /// A mirror that moves no member.
    #[error("is not shown to be lost: its mirror moves no member")]
    FixesAll,
    /// A fixed member above a moved one.
    #[error("is not shown to be lost: its mirror fixes {fixed}, but moves {moved}, which is below it")]
    NotClosed {
        /// The fixed member.
        fixed: String,
        /// The moved one.
        moved: String,
    },
    /// What a mirror fixes is not known to be lost.
    #[error("is not shown to be lost: its mirror fixes `{0}`, which is not listed as lost")]
    Fixed(String),
    /// The position of the proof is claimed to be lost and is not listed.
    #[error("is the position that the proof is about, but is not listed as lost")]
    RootNotListed,
    /// The winning move of the proof's position is none.
    #[error("is the position that the proof is about, but the winning move {0} is no move in it")]
    RootNoMove(String),
    /// The winning move leads to a position that is not listed.
    #[error(
        "is the position that the proof is about, but the winning move {by} leaves `{left}`, which is not listed as lost"
    )]
    RootMove {
        /// The move.
        by: String,
        /// What is left.
        left: String,
    },
}
