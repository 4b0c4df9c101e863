"""Tests of the oper8 adapter, with the Python that build.sh installed oper8 for:

    target/skewer-oper8-adapter/bin/python -m unittest discover runner/adapters/oper8
"""

import functools
import json
import pathlib
import subprocess
import sys
import unittest

ADAPTER = pathlib.Path(__file__).with_name("adapter.py")
PORTS = {"type": "array", "items": {"$ref": "#/components/schemas/Port"}}
MERGED = {"x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "id"}
COMPONENTS = {
    "core.v1.Service": {"type": "object", "properties": {}},
    "Named": {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Service"}]},
    "Widget": {"type": "object", "properties": {"ports": {**PORTS, **MERGED}, "others": PORTS}},
    "Port": {"properties": {"id": {"type": "integer"}, "inner": {"allOf": [{"$ref": "#/components/schemas/Widget"}]}}},
}
TCP, UDP = {"name": "tcp", "port": 53, "protocol": "TCP"}, {"name": "udp", "port": 53, "protocol": "UDP"}


@functools.cache
def start(*arguments):
    """The adapter with these arguments. It is started once, because importing oper8 takes a second."""
    return subprocess.Popen([sys.executable, ADAPTER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def tearDownModule():
    for adapter in (start(), start("--table-only")):
        adapter.communicate()


def converse(*requests, arguments=()):
    adapter = start(*arguments)
    adapter.stdin.write("".join(json.dumps(request) + "\n" for request in requests).encode())
    adapter.stdin.flush()
    return [json.loads(adapter.stdout.readline()) for _ in requests]


def request(root, live, patch, **more):
    schema = {"root": root, "openapi": {"components": {"schemas": COMPONENTS}}}
    documents = {"live": live, "patch": patch}
    return {"kind": "run", "seq": 1, "operation": "apply", "schema": schema, "documents": documents, **more}


def apply(root, live, patch, arguments=(), **more):
    (reply,) = converse(request(root, live, patch, **more), arguments=arguments)
    return reply


class Oper8(unittest.TestCase):
    def refused(self, reply, kind, directive=None):
        self.assertEqual((reply["error"]["kind"], reply["error"].get("directive")), (kind, directive), reply)

    def test_it_says_what_it_is(self):
        (reply,) = converse({"kind": "start", "protocol": 1})
        self.assertEqual((reply["name"], reply["version"]), ("oper8", "0.1.40"))
        self.assertEqual(reply["supports"]["operations"], ["apply"])

    def test_built_in_types_have_the_keys_of_the_table(self):
        live, patch = {"spec": {"ports": [{"port": 1}, {"port": 2}]}}, {"spec": {"ports": [{"port": 2, "name": "b"}]}}
        expected = {"spec": {"ports": [{"port": 1}, {"port": 2, "name": "b"}]}}
        for root in ("core.v1.Service", "Named"):
            self.assertEqual(apply(root, live, patch)["result"], expected)
            self.assertEqual(apply(root, {"kind": "Service", **live}, patch)["result"], {"kind": "Service", **expected})

    def test_one_of_two_ports_with_one_number_is_lost(self):
        live = {"spec": {"ports": [TCP, UDP]}}
        for ports, expected in [([], [UDP]), ([{"port": 80}], [UDP, {"port": 80}])]:
            reply = apply("core.v1.Service", live, {"spec": {"ports": ports}})
            self.assertEqual(reply["result"], {"spec": {"ports": expected}})

    def test_unknown_directives_are_stored(self):
        patch = {"spec": {"$retainKeys": ["a"], "a": 1}}
        expected = {"spec": {"b": 1, **patch["spec"]}}
        self.assertEqual(apply("core.v1.Service", {"spec": {"b": 1}}, patch)["result"], expected)

    def test_other_types_have_the_keys_of_the_schema(self):
        live = {"ports": [{"id": 1, "inner": {"ports": [{"id": 1}]}}], "others": [{"id": 1}]}
        patch = {"ports": [{"id": 1, "inner": {"ports": [{"id": 2}]}}], "others": [{"id": 2}]}
        expected = {"ports": [{"id": 1, "inner": {"ports": [{"id": 1}, {"id": 2}]}}], "others": [{"id": 2}]}
        self.assertEqual(apply("Widget", live, patch)["result"], expected)
        self.assertEqual(apply("Widget", live, patch, ["--table-only"])["kind"], "unsupported")
        self.assertEqual(apply("core.v1.Service", live, patch, ["--table-only"])["kind"], "result")

    def test_errors_have_kinds(self):
        live = {"ports": [{"id": 1}], "scalars": ["a"], "text": "a"}
        self.refused(apply("Widget", live, {"ports": [{"name": "a"}]}), "missing-merge-key")
        self.refused(apply("Widget", live, {"ports": [{"id": 1, "$patch": "x"}]}), "invalid-directive", "$patch")
        self.refused(apply("Widget", live, {"ports": [{"id": 2, "$patch": "delete"}]}), "unclassified")
        directive = "$deleteFromPrimitiveList"
        self.refused(apply("Widget", live, {f"{directive}/scalars": "a"}), "invalid-directive", directive)
        self.refused(apply("Widget", live, {f"{directive}/scalars": ["b"]}), "unclassified")
        self.refused(apply("Widget", live, {f"{directive}/text": ["b"]}), "wrong-kind")
        self.refused(apply("Widget", {"ports": [{"id": {}}]}, {"ports": []}), "panic")
        self.refused(apply("Widget", [], {}), "invalid-document")
        self.refused(apply("Nothing", {}, {}), "invalid-schema")

    def test_profiles(self):
        for profile, kind in [
            ({"without": ["$retainKeys"]}, "result"),
            ({"without": ["$patch"]}, "unsupported"),
            ({"with": ["$patchMergeKey"]}, "unsupported"),
        ]:
            self.assertEqual(apply("Widget", {}, {}, profile=profile)["kind"], kind)

    def test_a_schema_is_kept_even_if_the_operation_is_unsupported(self):
        full = request("Widget", {}, {})
        full["schema"]["id"] = "w"
        full["operation"] = "two-way"
        again = {"kind": "run", "seq": 2, "operation": "apply", "schema": {"id": "w"}, "documents": {"patch": {"a": 1}}}
        never = {**again, "schema": {"id": "x"}}
        self.assertEqual([reply["kind"] for reply in converse(full, again, never)], ["unsupported", "result", "error"])


if __name__ == "__main__":
    unittest.main()
