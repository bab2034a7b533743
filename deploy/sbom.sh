#!/usr/bin/env bash
# Writes what the program is made of, as CycloneDX: every crate with version, licence and checksum.
#
#   sbom.sh [FILE]       antichain.cdx.json if none is named
#
# Wants cargo-cyclonedx (cargo install cargo-cyclonedx --locked).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
file=$(realpath -m "${1:-antichain.cdx.json}")
command -v cargo-cyclonedx >/dev/null || { echo "sbom.sh: cargo-cyclonedx is missing: cargo install cargo-cyclonedx --locked" >&2; exit 1; }

# It writes beside every manifest, so that is done to a copy.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$(git -C "$here" rev-parse --show-toplevel)
git -C "$root" archive --format=tar HEAD | tar -x -C "$folder"
cargo cyclonedx --manifest-path "$folder/cli/Cargo.toml" --format json --spec-version 1.5 --describe binaries \
    --target "$(rustc -vV | sed -n 's/^host: //p')" --quiet >&2
sed "s|$folder|/antichain|g" "$folder/cli/antichain_bin.cdx.json" >"$file"
echo "$file"
