#!/usr/bin/env bash
# Builds the static binary of a commit twice, in other folders, from another registry and with another target, and compares them.
#
#   reproduce.sh [COMMIT]      its SHA-256 on standard output, if both are the same; HEAD if none is named
#
# Takes twice the time of container/build.sh, and some 4 GB below TMPDIR. Another toolchain makes other bytes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
commit=$(git -C "$here" rev-parse --verify "${1:-HEAD}^{commit}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for place in one another/place; do
    mkdir -p "$folder/$place"
    git -C "$here/.." archive --format=tar "$commit" |
        tar -x -C "$folder/$place"
done
# What was downloaded already, under another name.
mkdir -p "$folder/home"
cargo fetch --locked --manifest-path "$folder/one/Cargo.toml" >&2
cp -al "${CARGO_HOME:-$HOME/.cargo}/registry" "$folder/home/registry" 2>/dev/null ||
    cp -a "${CARGO_HOME:-$HOME/.cargo}/registry" "$folder/home/registry"

export ANTICHAIN_COMMIT=${commit:0:12}
first=$("$folder/one/deploy/container/build.sh" --binary-only)
cp "$first" "$folder/first"
rm -rf "$folder/one"
second=$(CARGO_HOME="$folder/home" CARGO_TARGET_DIR="$folder/elsewhere" "$folder/another/place/deploy/container/build.sh" --binary-only)
cmp "$folder/first" "$second"
sha256sum <"$second" | cut -d ' ' -f 1
echo "$(stat -c %s "$second") bytes, $(rustc --version), $commit: the same from both" >&2
