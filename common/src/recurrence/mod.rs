//! Recurrences: how the value of an ideal follows from the values of smaller ideals.
//!
//! Values of games are bytes and have rules of one file each (`outcome.rs`, `grundy.rs`, `remoteness.rs`), which the
//! engine of the game Chomp (`chomp/`) is compiled for.

pub mod chomp;
pub mod extensions;
pub mod grundy;
pub mod limbs;
pub mod outcome;
pub mod remoteness;
pub mod rule;
