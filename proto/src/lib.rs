//! The wire of Antichain (package `antichain.v1`): messages and services, made from the `.proto` files beside this crate.
//!
//! | service | who asks whom |
//! |---|---|
//! | [`v1::jobs_server`] | users a coordinator: plan, submit, watch, pause, resume, cancel |
//! | [`v1::work_server`] | workers a coordinator: register, acquire, heartbeat, deliver, release |
//! | [`v1::tables_server`] | workers a coordinator, or one another: blocks of bases and values |
//! | [`v1::values_server`] | users a coordinator: positions, certificates, verification |
//!
//! Besides, what both sides must agree on to find and trust each other: where a coordinator listens ([`url`]), the secret
//! it wants to see ([`token`]) and what it opens ([`rights`]), the file that tells both to the same user's commands ([`access`]), and how to connect
//! ([`connect`]).
#![forbid(unsafe_code)]

pub mod access;
pub mod connect;
pub mod limits;
pub mod rights;
pub mod secret;
pub mod token;
pub mod url;

/// Version 1 of the package.
#[allow(missing_docs, clippy::all, reason = "made by a program; the `.proto` files say what everything is")]
pub mod v1 {
    tonic::include_proto!("antichain.v1");
}

/// What the messages and services are, for the reflection service.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// Version of the protocol; both sides must have the same.
pub const PROTOCOL: u32 = 6;

/// Version of the engine: programs with the same one compute the same bytes.
pub const ENGINE: &str = "3";
