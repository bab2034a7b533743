//! Finds the commit that the program is made from, where there is one.

use std::process::Command;

fn main() {
    let commit = std::env::var("ANTICHAIN_COMMIT").ok().or_else(of_checkout).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=ANTICHAIN_COMMIT={commit}");
    println!("cargo::rustc-env=ANTICHAIN_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    let features = if std::env::var_os("CARGO_FEATURE_OTEL").is_some() { "tls, otel" } else { "tls" };
    println!("cargo::rustc-env=ANTICHAIN_FEATURES={features}");
    println!("cargo::rerun-if-env-changed=ANTICHAIN_COMMIT");
    println!("cargo::rerun-if-changed=../.git/HEAD");
    println!("cargo::rerun-if-changed=../.git/refs/heads");
}

/// Twelve digits of the commit that is checked out.
fn of_checkout() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !commit.is_empty()).then_some(commit)
}
