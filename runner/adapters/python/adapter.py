#!/usr/bin/env python3
"""A small Skewer adapter, to be read before writing one of your own.

It implements JSON merge patch (RFC 7386): apply and two-way. To everything else it answers "unsupported".
The protocol is described in ../PROTOCOL.md. Only the standard library is needed:

    skewer run --target exec:"python3 runner/adapters/python/adapter.py"
"""

import json
import platform
import sys

PROTOCOL = 1


class Refused(Exception):
    """A failure of the operation, with the id of the error kind."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class BadRequest(Exception):
    """The request makes no sense."""


def integer(text):
    """Numbers without fraction are integers if 64 bits hold them, and floats if not."""
    value = int(text) if len(text) < 25 else None
    if value is not None and -(2**63) <= value < 2**63:
        return value
    return finite(text)


def finite(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"number out of range: {text[:40]}")
    return value


def no_constant(text):
    raise ValueError(f"{text} is not JSON")


def decode(line):
    return json.loads(line, parse_int=integer, parse_float=finite, parse_constant=no_constant)


def same(left, right):
    """Equality of documents. In Python 1 == 1.0 == True, in Kubernetes these are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def apply_merge(live, patch):
    """The MergePatch function of RFC 7386. Its arguments stay as they are."""
    if not isinstance(patch, dict):
        return patch
    result = dict(live) if isinstance(live, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = apply_merge(result.get(key), value)
    return result


def diff_merge(original, modified):
    """The patch that makes modified of original, as far as one exists: no patch can set a null."""
    patch = {key: None for key in original if key not in modified}
    for key, value in modified.items():
        if key not in original:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(original[key], dict):
            inner = diff_merge(original[key], value)
            if inner:
                patch[key] = inner
        elif not same(value, original[key]):
            patch[key] = value
    return patch


def document(documents, name, default=None):
    if name in documents:
        return documents[name]
    if default is None:
        raise BadRequest(f'the document "{name}" is missing')
    return default


def run_apply(documents):
    return apply_merge(document(documents, "live", {}), document(documents, "patch"))


def run_two_way(documents):
    original, modified = document(documents, "original", {}), document(documents, "modified")
    for value in (original, modified):
        if not isinstance(value, dict):
            raise Refused("invalid-document", "only objects can be compared")
    return diff_merge(original, modified)


OPERATIONS = {"json-merge-apply": run_apply, "json-merge-two-way": run_two_way}


def run(request):
    """The reply to one run request, without its seq."""
    operation = OPERATIONS.get(request.get("operation"))
    if operation is None:
        return {"kind": "unsupported", "reason": f"operation {request.get('operation')!r} is not implemented"}
    if request.get("options", {}).get("preconditions"):
        return {"kind": "unsupported", "reason": "preconditions are not implemented"}
    try:
        return {"kind": "result", "result": operation(request.get("documents", {}))}
    except Refused as e:
        return {"kind": "refused", "error": {"kind": e.kind, "message": str(e)}}
    except BadRequest as e:
        return {"kind": "error", "message": str(e)}
    except RecursionError:
        return {"kind": "refused", "error": {"kind": "too-deep", "message": "too deep for Python's stack"}}
    except Exception as e:  # What the implementation did not foresee costs this request only.
        return {"kind": "refused", "error": {"kind": "panic", "message": repr(e)}}


def answer(line):
    """The reply to one line, or None for stop."""
    try:
        request = decode(line)
        if not isinstance(request, dict):
            raise ValueError("a request is an object")
    except (ValueError, RecursionError) as e:
        return {"kind": "error", "message": f"the line is not a request: {e}"}
    kind = request.get("kind")
    if kind == "stop":
        return None
    if kind == "start":
        if request.get("protocol") != PROTOCOL:
            return {"kind": "error", "message": f"this adapter speaks protocol {PROTOCOL}"}
        return {
            "kind": "started",
            "protocol": PROTOCOL,
            "name": "skewer-python-example",
            "version": "1",
            "language": f"python {platform.python_version()}",
            "supports": {"operations": list(OPERATIONS)},
        }
    seq = request.get("seq")
    if type(seq) is not int:
        return {"kind": "error", "message": 'a request needs a "seq"'}
    if kind != "run":
        return {"kind": "error", "seq": seq, "message": f"requests of kind {kind!r} are not known"}
    return {"seq": seq, **run(request)}


def main():
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        reply = answer(line)
        if reply is None:
            break
        # ASCII output: no encoding of the terminal or of Python can spoil it.
        text = json.dumps(reply, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        sys.stdout.buffer.write(text.encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
