//! The wire of Antichain (package `antichain.v1`): no messages yet.
#![forbid(unsafe_code)]
