#!/bin/sh
# Builds the fabric8 adapter.
#
#   build.sh [PATH]
#
# PATH is the file to write; without it, target/skewer-fabric8-adapter at the root of the repository. Needs a JDK 17
# and Maven.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "$here/package.sh" "$here/pom.xml" "${1:-$here/../../../target/skewer-fabric8-adapter}" "$here/src"
