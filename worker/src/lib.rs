//! Task execution for a coordinator: no client yet.
#![forbid(unsafe_code)]
