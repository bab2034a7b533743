#!/usr/bin/env bash
# Builds the static binary, and an image with it and nothing else.
#
#   build.sh                 binary and image antichain:VERSION, antichain:latest
#   build.sh --binary-only   the binary alone; its path is written to standard output
#   build.sh --binary FILE   the image alone, with a static binary that is there already
#
# Variables: ANTICHAIN_IMAGE, the name of the image (antichain); ANTICHAIN_PROFILE, of cargo (dist; release is built faster);
# ANTICHAIN_BUILDER, what makes images (docker build); CARGO_TARGET_DIR. Wants Rust and a C compiler, of musl its own one.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
image=${ANTICHAIN_IMAGE:-antichain}
profile=${ANTICHAIN_PROFILE:-dist}
read -ra builder <<<"${ANTICHAIN_BUILDER:-docker build}"

say() { printf '%s\n' "$*" >&2; }
fail() { say "build.sh: $*"; exit 1; }

# The target whose C library can be linked in whole: musl where it is installed, else the host's own.
target() {
    local host musl
    host=$(rustc -vV | sed -n 's/^host: //p')
    musl=${host%%-*}-unknown-linux-musl
    if command -v rustup >/dev/null && rustup target list --installed | grep -qx "$musl"; then
        echo "$musl"
    else
        echo "$host"
    fi
}

build() {
    local triple binary output
    triple=$(target)
    output=${CARGO_TARGET_DIR:-$root/target}
    say "building for $triple"
    # The folders of this machine are none of the program's business. --target even where it is the
    # host: build scripts and macros are then built without these flags.
    RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static --remap-path-prefix=$root=/antichain \
--remap-path-prefix=$output=/target --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" \
        cargo build --profile "$profile" --locked --manifest-path "$root/Cargo.toml" --target "$triple" --bin antichain >&2
    binary=$output/$triple/$profile/antichain
    [[ -x $binary ]] || fail "there is no $binary after the build"
    echo "$binary"
}

# Whether no other file is needed to run it.
is_static() { ! LC_ALL=C readelf --program-headers "$1" | grep -q INTERP; }

binary=
binary_only=
while (($#)); do
    case $1 in
    --binary) binary=${2:?--binary wants a file}; shift 2 ;;
    --binary-only) binary_only=yes; shift ;;
    *) fail "unknown option $1" ;;
    esac
done

[[ -n $binary ]] || binary=$(build)
[[ -f $binary ]] || fail "there is no $binary"
is_static "$binary" || fail "$binary is not static: it would not start in an empty image"
if [[ -n $binary_only ]]; then
    echo "$binary"
    exit
fi

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp "$here/Dockerfile" "$context/"
mkdir -p "$context/folders/data" "$context/folders/tmp"
chmod 0755 "$context/folders/data"
chmod 1777 "$context/folders/tmp"
cp "$binary" "$context/antichain"
chmod 0755 "$context/antichain"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
"${builder[@]}" -t "$image:$version" -t "$image:latest" "$context" >&2
say "image $image:$version, from $(stat -c %s "$context/antichain") bytes of program"
