#!/usr/bin/env python3
"""An adapter for JSON merge patch (RFC 7386). Let `apply` call your implementation."""

import json
import sys


def apply(live, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(live) if isinstance(live, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply(result.get(key), value)
    return result


def reply_to(request):
    if request["kind"] == "start":
        supports = {"operations": ["json-merge-apply"]}
        return {"kind": "started", "protocol": 1, "name": "example-adapter", "version": "1", "supports": supports}
    documents = request["documents"]
    live, patch = documents.get("live", {}), documents["patch"]
    if live is None or not isinstance(patch, (dict, list)):
        error = {"kind": "invalid-document", "message": "the patch must be an object or a list"}
        return {"kind": "refused", "seq": request["seq"], "error": error}
    return {"kind": "result", "seq": request["seq"], "result": apply(live, patch)}


for line in sys.stdin:
    message = json.loads(line)
    if message["kind"] == "stop":
        break
    print(json.dumps(reply_to(message)), flush=True)
