#!/bin/sh
# Installs an adapter in Python with its library.
#
#   install.sh ADAPTER PATH [REQUIREMENTS]
#
# ADAPTER is the folder of the adapter (adapter.py, requirements.txt), and PATH the folder to install into. REQUIREMENTS are those
# of a release, in another file.
# The packages come from the Python Package Index, or from where pip is configured to look, and must have the hashes
# of requirements.txt. The folder gets a copy of the adapter, and can be moved. Prints the path of the command.
set -eu

adapter=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$2"
out=$(CDPATH='' cd -- "$2" && pwd)

"${PYTHON:-python3}" -m venv "$out" >&2
"$out/bin/python" -m pip install --require-hashes --only-binary :all: -r "${3:-$adapter/requirements.txt}" >&2

# The adapter finds the shared modules beside its folder.
name=$(basename -- "$adapter")
shared=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
rm -rf "$out/adapters"
mkdir -p "$out/adapters/$name" "$out/adapters/examples/python"
cp "$adapter"/*.py "$out/adapters/$name/"
cp "$shared"/*.py "$out/adapters/examples/python/"
rm -f "$out"/adapters/*/test_*.py "$out"/adapters/examples/python/test_*.py

command=$out/bin/skewer-$name-adapter
cat >"$command" <<EOF_COMMAND
#!/bin/sh
here=\$(CDPATH='' cd -- "\$(dirname -- "\$0")" && pwd)
exec "\$here/python" "\$here/../adapters/$name/adapter.py" "\$@"
EOF_COMMAND
chmod +x "$command"
echo "$command"
