//! Makes the bindings from the `.proto` files, without an installed `protoc`.

use std::error::Error;

const FILES: [&str; 5] = [
    "antichain/v1/job.proto",
    "antichain/v1/jobs.proto",
    "antichain/v1/tables.proto",
    "antichain/v1/values.proto",
    "antichain/v1/work.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=antichain");
    let descriptors = protox::compile(FILES, ["."])?;
    tonic_prost_build::configure().bytes(".").compile_fds(descriptors)?;
    Ok(())
}
