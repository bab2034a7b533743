//! The coordinator: jobs, scheduling and leases, and the services that workers and users talk to.
//!
//! [`ledger`], [`course`] and [`plies`] are pure state machines; [`desk`] puts them on a store; [`service`] and [`server`] put the desk
//! on the network.
#![forbid(unsafe_code)]

pub mod course;
pub mod desk;
pub mod ledger;
pub mod plies;
pub mod server;
pub mod service;
pub mod task_id;
