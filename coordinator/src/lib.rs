//! Jobs, scheduling and leases: no service yet.
#![forbid(unsafe_code)]
