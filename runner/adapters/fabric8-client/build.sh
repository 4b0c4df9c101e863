#!/bin/sh
# Builds the adapter of fabric8's client for one release.
#
#   build.sh RELEASE [PATH]
#
# RELEASE is one of those in releases/. PATH is the file to write; without it, target/skewer-fabric8-client-RELEASE at the root of
# the repository. Needs a JDK 17 and Maven.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
release=${1:-}
if [ -z "$release" ] || [ ! -f "$here/releases/$release.xml" ]; then
  releases=$(cd "$here/releases" && printf '%s\n' *.xml | sed 's/\.xml$//' | tr '\n' ' ')
  echo "build.sh: expected a release, but got '$release'. The releases are: ${releases% }" >&2
  exit 2
fi
# The conversation is that of the other adapter of fabric8.
exec "$here/../fabric8/package.sh" "$here/releases/$release.xml" "${2:-$here/../../../target/skewer-fabric8-client-$release}" \
  "$here/src" "$here/../fabric8/src/main/java/skewer/fabric8/Conversation.java" \
  "$here/../fabric8/src/main/java/skewer/fabric8/Json.java" "$here/../fabric8/src/main/java/skewer/fabric8/Main.java" \
  "$here/../fabric8/src/main/java/skewer/fabric8/Replies.java"
