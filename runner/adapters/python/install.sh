#!/bin/sh
# Installs an adapter in Python with its library.
#
#   install.sh ADAPTER PATH
#
# ADAPTER is the folder of the adapter (adapter.py, requirements.txt), and PATH the folder to install into.
# The packages come from the Python Package Index, or from where pip is configured to look, and must have the hashes
# of requirements.txt. Prints the path of the command.
set -eu

adapter=$(CDPATH='' cd -- "$1" && pwd)
mkdir -p "$2"
out=$(CDPATH='' cd -- "$2" && pwd)

"${PYTHON:-python3}" -m venv "$out" >&2
"$out/bin/python" -m pip install --require-hashes --only-binary :all: -r "$adapter/requirements.txt" >&2
command=$out/bin/skewer-$(basename -- "$adapter")-adapter
{
  echo '#!/bin/sh'
  echo "exec '$out/bin/python' '$adapter/adapter.py' \"\$@\""
} >"$command"
chmod +x "$command"
echo "$command"
