#!/usr/bin/env python3
"""A directive that Skewer does not have, in front of an implementation that has everything else.

The directive is `$exampleDirective/FIELD: true`: the client promises that its patch only adds to the list, and a server that
knows the directive refuses a patch that deletes from it. All else is done by the adapter whose command is given. It can be
the built-in engine (`skewer serve`), or a library of Kubernetes (`skewer target install apimachinery`):

    skewer run --corpus version-skew.yaml --target exec:"python3 adapter.py skewer serve"

The suite declares the directive. With --beside-retain-keys, the directive has a defect that `skewer laws` finds. The protocol
is runner/adapters/PROTOCOL.md in the repository of Skewer. Only the standard library is needed.
"""

import json
import os
import subprocess
import sys

NAME = "$exampleDirective"
OPERATIONS = {"apply", "two-way", "three-way"}


class Refused(Exception):
    """The patch breaks its promise, or the directive is malformed."""

    def __init__(self, kind, message, key):
        super().__init__(message)
        self.error = {"kind": kind, "message": message, "path": key, "directive": NAME}


def fields_of(patch):
    return [key.partition("/")[2] for key in patch if key.startswith(NAME + "/")]


def deletes(patch, field):
    if f"$deleteFromPrimitiveList/{field}" in patch or patch.get(field, ()) is None:
        return True
    items = patch.get(field)
    return isinstance(items, list) and any(isinstance(item, dict) and "$patch" in item for item in items)


# EDIT: what a server does that knows the directive.
def checked(patch):
    """The patch without the directive, for a server that knows it."""
    if isinstance(patch, list):
        return [checked(item) for item in patch]
    if not isinstance(patch, dict):
        return patch
    for field in fields_of(patch):
        key = f"{NAME}/{field}"
        if patch[key] is not True:
            raise Refused("invalid-directive", f"expected true, found {json.dumps(patch[key])}", key)
        if deletes(patch, field):
            raise Refused("precondition-failed", f"the patch deletes from {field}, to which it promises only to add", key)
    return {key: checked(value) for key, value in patch.items() if not key.startswith(NAME + "/")}


# EDIT: what a client writes that knows the directive.
def promised(patch, beside_retain_keys):
    """The patch with the directive, for each list to which it only adds. Merging lists have an order in the patch."""
    if isinstance(patch, list):
        return [promised(item, beside_retain_keys) for item in patch]
    if not isinstance(patch, dict):
        return patch
    result = {key: promised(value, beside_retain_keys) for key, value in patch.items() if not key.startswith("$")}
    result.update({key: value for key, value in patch.items() if key.startswith("$")})
    # An old server takes the key for a field, which $retainKeys does not list, and refuses the patch.
    if "$retainKeys" in patch and not beside_retain_keys:
        return result
    for field, items in patch.items():
        if isinstance(items, list) and items and f"$setElementOrder/{field}" in patch and not deletes(patch, field):
            result[f"{NAME}/{field}"] = True
    return result


class Implementation:
    """The adapter behind this one."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", bufsize=1)

    def ask(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        reply = self.process.stdout.readline()
        if not reply:
            sys.exit("the implementation has ended")
        return json.loads(reply)


def started(reply):
    if reply["kind"] == "started":
        supports = reply["supports"]
        supports["operations"] = [name for name in supports["operations"] if name in OPERATIONS]
        supports["directives"] = supports.get("directives", []) + [NAME]
        reply["name"] = f"example-directive over {reply['name']}"
    return reply


def run(implementation, request, beside_retain_keys):
    known = request.get("profile", {}).get("with", [])
    is_known = NAME in known
    if is_known:
        request["profile"]["with"] = [name for name in known if name != NAME]
    if request["operation"] != "apply" or not is_known:
        reply = implementation.ask(request)
        if is_known and reply["kind"] == "result":
            reply["result"] = promised(reply["result"], beside_retain_keys)
        return reply
    try:
        request["documents"]["patch"] = checked(request["documents"]["patch"])
    except Refused as refused:
        # The implementation sees the request all the same, because it can have the first use of a schema.
        implementation.ask(request)
        return {"kind": "refused", "seq": request["seq"], "error": refused.error}
    return implementation.ask(request)


def main():
    arguments = sys.argv[1:]
    beside_retain_keys = arguments[:1] == ["--beside-retain-keys"]
    implementation = Implementation(arguments[1:] if beside_retain_keys else arguments)
    for line in sys.stdin:
        message = json.loads(line)
        if message["kind"] == "stop":
            break
        if message["kind"] == "start":
            reply = started(implementation.ask(message))
        else:
            reply = run(implementation, message, beside_retain_keys)
        print(json.dumps(reply), flush=True)
    # The implementation ends with its input.
    implementation.process.stdin.close()
    implementation.process.wait()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
