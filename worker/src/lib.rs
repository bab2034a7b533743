//! A worker: takes tasks from a coordinator, computes, and delivers what it found.
//!
//! ```text
//! link ──leases──▶ lanes (three threads: one reads, one computes, one delivers) ──results──▶ link
//!                    │
//!                    └── shop: engines, bases, indices and tables at hand; fetched when they are not
//! ```
//! A worker keeps nothing that matters: whatever becomes of it, its tasks are handed out again.
#![forbid(unsafe_code)]

pub mod cache;
mod calls;
mod deliver;
mod error;
mod fetch;
mod fill;
mod lanes;
mod link;
mod made;
mod peers;
mod replicas;
mod run;
mod search;
mod session;
mod shop;
mod table;

pub use error::WorkerError;
pub use run::{Settings, run};
