//! Recurrences: how the value of an ideal follows from the values of smaller ideals. One folder each.

pub mod extensions;
pub mod limbs;
