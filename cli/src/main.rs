//! The binary `antichain`.
#![forbid(unsafe_code)]
fn main() {}
