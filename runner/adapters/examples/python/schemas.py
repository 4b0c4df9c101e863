"""The schemas of requests, as OpenAPI v3 (../PROTOCOL.md, Schemas)."""

import re

from conversation import BadRequest, Refused

PREFIX = "#/components/schemas/"
# How Skewer and Kubernetes name the components of built-in types: core.v1.Pod, io.k8s.api.core.v1.Pod.
BUILT_IN = re.compile(r"(?:io\.k8s\.api\.)?[a-z0-9]+\.v[0-9]+(?:(?:alpha|beta)[0-9]+)?\.([A-Z]\w*)")


class Schema:
    """One type: a component, and those that it refers to."""

    def __init__(self, root, components):
        self.root = root
        self.components = components

    def built_in_kind(self):
        """The kind of a built-in type, and None for any other type.

        A component says it with the extension of Kubernetes, or with its name. A name without group and version
        does not count: it can be any type that is called Pod.
        """
        extension = self.components[self.root].get("x-kubernetes-group-version-kind")
        if isinstance(extension, list) and len(extension) == 1:
            extension = extension[0]
        if isinstance(extension, dict) and isinstance(extension.get("kind"), str):
            return extension["kind"]
        name = BUILT_IN.fullmatch(self.root)
        return name[1] if name else None

    def merge_key(self, path):
        """The merge key of a list, or None. The path has the names of fields, joined by dots, without list items."""
        field = self._field(self.components[self.root], path)
        strategies = str(field.get("x-kubernetes-patch-strategy", "")).split(",") if field else []
        return field.get("x-kubernetes-patch-merge-key") if "merge" in strategies else None

    def _resolve(self, schema):
        """The schema that a reference leads to, alone or as the only item of allOf."""
        for _ in range(len(self.components) + 1):
            parts = schema.get("allOf") or []
            target = schema.get("$ref") or (parts[0].get("$ref") if len(parts) == 1 else None)
            if target is None:
                return schema
            name = target.removeprefix(PREFIX)
            if name not in self.components:
                raise Refused("invalid-schema", f"unable to resolve {target}")
            schema = self.components[name]
        raise Refused("invalid-schema", "a reference leads to itself")

    def _field(self, schema, path):
        """The property at a path, with its own extensions, or None."""
        schema = self._resolve(schema)
        while "items" in schema:
            schema = self._resolve(schema["items"])
        for name, field in schema.get("properties", {}).items():
            if path == name:
                return field
            if path.startswith(name + "."):
                found = self._field(field, path[len(name) + 1 :])
                if found is not None:
                    return found
        values = schema.get("additionalProperties")
        if isinstance(values, dict):
            # A key of a map can contain dots, so that each of them may be its end.
            for end in (i for i, character in enumerate(path) if character == "."):
                found = self._field(values, path[end + 1 :])
                if found is not None:
                    return found
        return None


class Schemas:
    """The schemas of one conversation, by id."""

    def __init__(self):
        self._schemas = {}

    def keep(self, request):
        """Keeps the schema of a request, if it is there in full and has an id."""
        schema = request.get("schema")
        if schema is not None and "openapi" in schema and schema.get("id") is not None:
            self._schemas[schema["id"]] = schema

    def read(self, request):
        """The schema of a request, or None if it has none."""
        schema = request.get("schema")
        if schema is None:
            return None
        full = schema if "openapi" in schema else self._schemas.get(schema.get("id"))
        if full is None:
            raise BadRequest(f"a schema with id {schema.get('id')!r} has not been sent")
        components = full["openapi"].get("components", {}).get("schemas", {})
        root = schema.get("root", full.get("root"))
        if root not in components:
            raise Refused("invalid-schema", f"the schema has no component {root!r}")
        return Schema(root, components)
