#!/usr/bin/env python3
"""A Skewer adapter of oper8's strategic merge patch. README.md says what it asks of oper8."""

import importlib.metadata
import pathlib
import sys

# The part of the protocol that adapters in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples" / "python"))

from conversation import Adapter, Refused, Unsupported, converse, document  # noqa: E402
from oper8.patch_strategic_merge import patch_strategic_merge  # noqa: E402
from schemas import Schemas  # noqa: E402

# oper8 reads `$patch` in items of lists only.
DIRECTIVES = ["$patch", "$deleteFromPrimitiveList"]

# The beginnings of oper8's messages that an error kind stands for, with the directive. oper8 refuses more: to delete
# an item or a scalar that is not there, which Kubernetes does silently. No error kind stands for these refusals.
ERRORS = [
    ("Bad primitive list delete directive. Patch must be a list", "invalid-directive", "$deleteFromPrimitiveList"),
    ("Bad primitive list delete directive. Target must be a list", "wrong-kind", None),
    ("Invalid directive:", "invalid-directive", "$patch"),
    ("Current at [", "missing-merge-key", None),
    ("Desired at [", "missing-merge-key", None),
]


class SchemaKeys:
    """A table of merge keys, as oper8 reads it, of a type that oper8's own table does not have.

    It is no dict, because a type that contains itself has no end of paths.
    """

    def __init__(self, schema):
        self._schema = schema

    def get(self, position):
        # The kind comes first.
        _, _, path = position.partition(".")
        return self._schema.merge_key(path)


def merge_patch_keys(schema, use_schema):
    """The table of merge keys to pass. None is oper8's own."""
    if schema.built_in_kind():
        return None
    if not use_schema:
        raise Unsupported(f"{schema.root!r} is no built-in type, and the table of oper8 has only those")
    return SchemaKeys(schema)


def as_object(value):
    """A document of strategic merge patch: null is an empty object."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Refused("invalid-document", "a document is an object")
    return value


def check_profile(profile):
    for directive in profile.get("without", []):
        if directive in DIRECTIVES:
            raise Unsupported(f"{directive} is built into oper8 and cannot be left out")
    for directive in profile.get("with", []):
        raise Unsupported(f"oper8 does not know {directive}")


def apply(request, schemas, use_schema):
    check_profile(request.get("profile", {}))
    if request.get("options", {}).get("lookup", "openapi") != "openapi":
        raise Unsupported("oper8 has one way to look up merge keys")
    schema = schemas.read(request)
    if schema is None:
        raise Refused("invalid-schema", "strategic merge patch needs a schema")
    keys = merge_patch_keys(schema, use_schema)
    live, patch = as_object(document(request, "live", {})), as_object(document(request, "patch", {}))
    # oper8 finds merge keys by the object's kind, and does not work without one.
    lacks_kind = "kind" not in live
    if lacks_kind:
        live = {**live, "kind": schema.built_in_kind() or schema.root}
    try:
        result = patch_strategic_merge(live, patch, keys)
    except ValueError as error:
        raise classify(error) from error
    if lacks_kind and "kind" not in patch:
        result.pop("kind", None)
    return result


def classify(error):
    for beginning, kind, directive in ERRORS:
        if str(error).startswith(beginning):
            return Refused(kind, str(error), directive)
    return Refused("unclassified", str(error))


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ["--table-only"]):
        sys.exit("usage: adapter.py [--table-only]")
    schemas = Schemas()
    converse(
        Adapter(
            name="oper8",
            version=importlib.metadata.version("oper8"),
            operations={"apply": lambda request: apply(request, schemas, not arguments)},
            # `directives` is left out: oper8 stores other directives as data, and the cells about them show it.
            keep_schema=schemas.keep,
        )
    )


if __name__ == "__main__":
    main()
