#!/usr/bin/env bash
# Puts the program `skewer` on the path of the later steps: the binary of a release, whose checksum is verified, or a build of
# the source beside this script.
#
#   VERSION    the release, such as v0.1.0, or empty
set -euo pipefail

source_folder=$(cd "$(dirname "$0")/../.." && pwd)
folder=$RUNNER_TEMP/skewer
mkdir -p "$folder"
if [ -n "${VERSION:-}" ]; then
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) platform=x86_64-unknown-linux-gnu ;;
    Linux-aarch64) platform=aarch64-unknown-linux-gnu ;;
    Darwin-arm64) platform=aarch64-apple-darwin ;;
    *)
      echo "::error::there is no binary of Skewer for $(uname -s) $(uname -m): leave out the input version"
      exit 2
      ;;
  esac
  archive=skewer-$VERSION-$platform.tar.gz
  # The test sets another address.
  releases=${SKEWER_RELEASES:-https://github.com/skewer-rs/skewer/releases/download}
  curl --fail --silent --show-error --location --remote-name-all --output-dir "$folder" \
    "$releases/$VERSION/$archive" "$releases/$VERSION/$archive.sha256"
  cd "$folder"
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum --check --quiet "$archive.sha256"
  else # macOS
    shasum -a 256 --check --quiet "$archive.sha256"
  fi
  tar -xzf "$archive"
else
  # Cargo keeps the program if it is built already.
  cargo install --locked --quiet --path "$source_folder/runner" --features network --root "$folder"
  folder=$folder/bin
fi
echo "$folder" >>"$GITHUB_PATH"
"$folder/skewer" --version
