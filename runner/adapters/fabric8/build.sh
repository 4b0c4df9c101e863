#!/bin/sh
# Builds the fabric8 adapter.
#
#   build.sh [PATH]
#
# PATH is the file to write; without it, target/skewer-fabric8-adapter at the root of the repository. Needs a JDK 17
# and Maven.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
path=${1:-$here/../../../target/skewer-fabric8-adapter}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp -R "$here/pom.xml" "$here/src" "$build"
mvn --batch-mode --quiet -f "$build/pom.xml" -DskipTests package

mkdir -p "$(dirname -- "$path")"
# A jar may begin with other bytes: here with a shell script that runs the jar.
{
    echo '#!/bin/sh'
    echo 'exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss8m -Xmx1g \'
    echo '    -Dslf4j.internal.verbosity=ERROR -jar "$0" "$@"'
    cat "$build/target/skewer-fabric8-1.jar"
} >"$path.new"
chmod +x "$path.new"
mv "$path.new" "$path"
