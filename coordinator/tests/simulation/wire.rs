//! What workers and the coordinator say to each other: lists of 64-bit words, each behind its length.
//!
//! One question, one answer, in turn; whoever gets something else closes the connection. So an answer that comes too late
//! is never taken for that to a later question.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use turmoil::net::TcpStream;

/// More words than any message has.
const MOST: u32 = 1000;

/// What a worker asks.
#[derive(Clone, Debug)]
pub enum Request {
    /// It may acquire tasks from now on.
    Register { worker: u64, memory: u64 },
    /// It wants at most so many tasks near a place.
    Acquire { worker: u64, most: u64, memory: u64, place: u64 },
    /// A sign of life.
    Heartbeat { worker: u64, epochs: Vec<u64> },
    /// A result.
    Deliver { worker: u64, task: u64, epoch: u64, value: u64, check: u64 },
    /// It gives leases back.
    Release { worker: u64, epochs: Vec<u64> },
    /// It will not come back soon.
    Leave { worker: u64 },
}

/// What the coordinator answers.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Nothing to say.
    Done,
    /// Tasks and epochs in turn.
    Leases(Vec<u64>),
    /// The worker must register.
    Unknown,
    /// The worker gets nothing any more.
    SetAside,
    /// Epochs of leases that the worker has no more.
    Gone(Vec<u64>),
    /// Whether the result is there now, from whomever.
    Delivered(bool),
}

impl Request {
    /// As words.
    pub fn words(&self) -> Vec<u64> {
        match self {
            &Self::Register { worker, memory } => vec![0, worker, memory],
            &Self::Acquire { worker, most, memory, place } => vec![1, worker, most, memory, place],
            Self::Heartbeat { worker, epochs } => [&[2, *worker], epochs.as_slice()].concat(),
            &Self::Deliver { worker, task, epoch, value, check } => vec![3, worker, task, epoch, value, check],
            Self::Release { worker, epochs } => [&[4, *worker], epochs.as_slice()].concat(),
            &Self::Leave { worker } => vec![5, worker],
        }
    }

    /// From words; `None` if they are no request.
    pub fn parse(words: &[u64]) -> Option<Self> {
        Some(match *words {
            [0, worker, memory] => Self::Register { worker, memory },
            [1, worker, most, memory, place] => Self::Acquire { worker, most, memory, place },
            [2, worker, ref epochs @ ..] => Self::Heartbeat { worker, epochs: epochs.to_vec() },
            [3, worker, task, epoch, value, check] => Self::Deliver { worker, task, epoch, value, check },
            [4, worker, ref epochs @ ..] => Self::Release { worker, epochs: epochs.to_vec() },
            [5, worker] => Self::Leave { worker },
            _ => return None,
        })
    }
}

impl Reply {
    /// As words.
    pub fn words(&self) -> Vec<u64> {
        match self {
            Self::Done => vec![0],
            Self::Leases(leases) => [&[1], leases.as_slice()].concat(),
            Self::Unknown => vec![2],
            Self::SetAside => vec![3],
            Self::Gone(epochs) => [&[4], epochs.as_slice()].concat(),
            &Self::Delivered(there) => vec![5, u64::from(there)],
        }
    }

    /// From words; `None` if they are no reply.
    pub fn parse(words: &[u64]) -> Option<Self> {
        Some(match *words {
            [0] => Self::Done,
            [1, ref leases @ ..] => Self::Leases(leases.to_vec()),
            [2] => Self::Unknown,
            [3] => Self::SetAside,
            [4, ref epochs @ ..] => Self::Gone(epochs.to_vec()),
            [5, there] => Self::Delivered(there != 0),
            _ => return None,
        })
    }
}

/// Sends a message, in one piece.
///
/// # Errors
/// The connection is broken.
pub async fn send(stream: &mut TcpStream, words: &[u64]) -> io::Result<()> {
    let mut bytes = (words.len() as u32).to_le_bytes().to_vec();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    stream.write_all(&bytes).await
}

/// Waits for a message.
///
/// # Errors
/// The connection is broken or closed, or the message is too long.
pub async fn receive(stream: &mut TcpStream) -> io::Result<Vec<u64>> {
    let words = stream.read_u32_le().await?;
    if words > MOST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = Vec::new();
    for _ in 0..words {
        message.push(stream.read_u64_le().await?);
    }
    Ok(message)
}
