#!/usr/bin/env python3
"""A small Skewer adapter, to be read before writing one of your own.

It implements JSON merge patch (RFC 7386): apply and two-way. To everything else it answers "unsupported".
The protocol is described in ../PROTOCOL.md; conversation.py speaks it. Only the standard library is needed:

    skewer run --target exec:"python3 runner/adapters/examples/python/adapter.py"
"""

from conversation import Adapter, Refused, converse, document


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


def run_apply(request):
    return apply_merge(document(request, "live", {}), document(request, "patch"))


def run_two_way(request):
    original, modified = document(request, "original", {}), document(request, "modified")
    for value in (original, modified):
        if not isinstance(value, dict):
            raise Refused("invalid-document", "only objects can be compared")
    return diff_merge(original, modified)


if __name__ == "__main__":
    operations = {"json-merge-apply": run_apply, "json-merge-two-way": run_two_way}
    converse(Adapter("skewer-python-example", "1", operations))
