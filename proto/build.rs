//! Makes the bindings from the `.proto` files, without an installed `protoc`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message;

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
    let described = PathBuf::from(std::env::var("OUT_DIR")?).join("descriptors.bin");
    std::fs::write(described, descriptors.encode_to_vec())?;
    tonic_prost_build::configure().bytes(".").compile_fds(descriptors)?;
    Ok(())
}
