//! What this program is: version, commit, and what it was made with.

/// The commit that it was made from; `unknown` outside a checkout.
pub const COMMIT: &str = env!("ANTICHAIN_COMMIT");

/// For `--version`.
pub const DESCRIPTION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit:   ",
    env!("ANTICHAIN_COMMIT"),
    "\ntarget:   ",
    env!("ANTICHAIN_TARGET"),
    "\nfeatures: ",
    env!("ANTICHAIN_FEATURES")
);
