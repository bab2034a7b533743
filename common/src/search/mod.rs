//! Single positions of the game Chomp that are too large for a table, and proofs of who wins them.

pub mod proof;
