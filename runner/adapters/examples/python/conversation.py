"""The adapter protocol (../PROTOCOL.md), for adapters in Python. Only the standard library is needed.

An adapter describes itself with an `Adapter`, and calls `converse`. An operation is a function that takes the request
and returns the result. It raises `Refused`, `Unsupported` or `BadRequest` for the other replies.
"""

import dataclasses
import json
import sys
from typing import Any, Callable

PROTOCOL = 1


class Refused(Exception):
    """A failure of the operation, with the id of the error kind."""

    def __init__(self, kind, message, directive=None):
        super().__init__(message)
        self.kind = kind
        self.directive = directive


class Unsupported(Exception):
    """The implementation lacks a feature that the request needs."""


class BadRequest(Exception):
    """The request is not valid."""


@dataclasses.dataclass
class Adapter:
    """An implementation under test."""

    name: str
    version: str
    # The functions of the operations, by operation.
    operations: dict[str, Callable[[dict], Any]]
    # The known directives of strategic merge patch. None leaves the list out: the runner then asks about all.
    directives: list[str] | None = None
    # The tools as which the implementation applies manifests.
    tools: list[str] | None = None
    # Keeps the schema of every request, also of those that the adapter cannot run (schemas.Schemas.keep).
    keep_schema: Callable[[dict], None] = lambda request: None


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


def document(request, name, default=None):
    """The document of this name. Without a default, it is required."""
    documents = request.get("documents", {})
    if name in documents:
        return documents[name]
    if default is None:
        raise BadRequest(f'the document "{name}" is missing')
    return default


def run(adapter, request):
    """The reply to one run request, without its seq."""
    operation = adapter.operations.get(request.get("operation"))
    try:
        adapter.keep_schema(request)
        if operation is None:
            raise Unsupported(f"operation {request.get('operation')!r} is not implemented")
        if request.get("options", {}).get("preconditions"):
            raise Unsupported("preconditions are not implemented")
        return {"kind": "result", "result": operation(request)}
    except Refused as e:
        directive = {"directive": e.directive} if e.directive else {}
        return {"kind": "refused", "error": {"kind": e.kind, "message": str(e), **directive}}
    except Unsupported as e:
        return {"kind": "unsupported", "reason": str(e)}
    except BadRequest as e:
        return {"kind": "error", "message": str(e)}
    except RecursionError:
        return {"kind": "refused", "error": {"kind": "too-deep", "message": "too deep for Python's stack"}}
    except Exception as e:  # What the implementation did not foresee costs this request only.
        return {"kind": "refused", "error": {"kind": "panic", "message": repr(e)}}


def answer(adapter, line):
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
            "name": adapter.name,
            "version": adapter.version,
            "language": "python",
            "supports": {
                "operations": list(adapter.operations),
                **({} if adapter.directives is None else {"directives": adapter.directives}),
                **({} if adapter.tools is None else {"tools": adapter.tools}),
            },
        }
    seq = request.get("seq")
    if type(seq) is not int:
        return {"kind": "error", "message": 'a request needs a "seq"'}
    if kind != "run":
        return {"kind": "error", "seq": seq, "message": f"requests of kind {kind!r} are not known"}
    return {"seq": seq, **run(adapter, request)}


def encode(reply):
    """The line of a reply. It is ASCII: no encoding of the terminal or of Python can change it."""
    return json.dumps(reply, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def converse(adapter):
    """Answers the requests on standard input until it ends."""
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        reply = answer(adapter, line)
        if reply is None:
            break
        try:
            text = encode(reply)
        except (ValueError, TypeError, RecursionError) as e:
            # The result is the implementation's: it may contain itself, or values that JSON does not have.
            error = {"kind": "panic", "message": f"the result is not JSON: {e!r}"}
            text = encode({"kind": "refused", "seq": reply.get("seq"), "error": error})
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
