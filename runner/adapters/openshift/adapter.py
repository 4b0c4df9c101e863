#!/usr/bin/env python3
"""A Skewer adapter of the three-way merge of openshift, the Python client. README.md says what it asks of it."""

import importlib.metadata
import pathlib
import sys

# The part of the protocol that adapters in Python share.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples" / "python"))

from conversation import Adapter, Refused, converse, document  # noqa: E402
from openshift.dynamic.apply import merge  # noqa: E402
from openshift.dynamic.exceptions import ApplyException  # noqa: E402
from schemas import Schemas  # noqa: E402

# The path that stands for an object without a kind. No path of the library's merge keys begins with it.
NO_KIND = "(no kind)"


def position(modified, schema):
    """The beginning of the paths that the library looks merge keys up by. None means the kind of the object."""
    if isinstance(modified.get("kind"), str):
        return None
    return (schema.built_in_kind() if schema else None) or NO_KIND


def three_way(request, schemas):
    documents = [document(request, "lastApplied", {}), document(request, "modified"), document(request, "live", {})]
    for value in documents:
        if not isinstance(value, dict):
            raise Refused("invalid-document", "a document is an object")
    last_applied, modified, live = documents
    try:
        return merge(last_applied, modified, live, position(modified, schemas.read(request)))
    except ApplyException as error:
        # The only one that the merge raises.
        raise Refused("missing-merge-key", str(error)) from error


def main():
    schemas = Schemas()
    converse(
        Adapter(
            name="openshift",
            version=importlib.metadata.version("openshift"),
            operations={"json-merge-three-way": lambda request: three_way(request, schemas)},
            keep_schema=schemas.keep,
        )
    )


if __name__ == "__main__":
    main()
