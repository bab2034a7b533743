//! Jobs, scheduling and leases: the ledger of leases so far, no service yet.
#![forbid(unsafe_code)]

pub mod course;
pub mod ledger;
