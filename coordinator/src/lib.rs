//! The coordinator: jobs, scheduling and leases, and the services that workers and users talk to.
//!
//! [`ledger`], [`course`] and [`plies`] are pure state machines; [`desk`] puts them on a store; [`service`] and [`server`] put the desk
//! on the network, and [`gate`] and [`doorman`] stand before them. What it counts ([`meters`]) becomes [`metrics`], shown over [`http`].
#![forbid(unsafe_code)]

pub mod course;
pub mod desk;
pub mod doorman;
pub mod gate;
pub mod http;
pub mod ledger;
pub mod meters;
pub mod metrics;
pub mod plies;
pub mod server;
pub mod service;
pub mod task_id;
