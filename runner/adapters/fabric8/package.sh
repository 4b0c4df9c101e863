#!/bin/sh
# Packages an adapter in Java as one file that can be run.
#
#   package.sh POM PATH SOURCES [FILE…]
#
# PATH is the file to write, SOURCES the folder src, and each FILE another source. Needs a JDK 17 and Maven.
set -eu

pom=$1 path=$2 sources=$3
shift 3

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp "$pom" "$build/pom.xml"
cp -R "$sources" "$build/src"
for file in "$@"; do
    cp "$file" "$build/src/main/java/skewer/fabric8"
done
mvn --batch-mode --quiet -f "$build/pom.xml" -DskipTests package

mkdir -p "$(dirname -- "$path")"
# A jar may begin with other bytes: here with a shell script that runs the jar.
{
    echo '#!/bin/sh'
    echo 'exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss8m -Xmx1g \'
    echo '    -Dslf4j.internal.verbosity=ERROR -jar "$0" "$@"'
    cat "$build"/target/skewer-fabric8*-1.jar
} >"$path.new"
chmod +x "$path.new"
mv "$path.new" "$path"
