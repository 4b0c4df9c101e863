"""Tests of the openshift adapter, with the Python that build.sh installed openshift for:

    target/skewer-openshift-adapter/bin/python -m unittest discover runner/adapters/openshift
"""

import json
import pathlib
import subprocess
import sys
import unittest

ADAPTER = pathlib.Path(__file__).with_name("adapter.py")
SERVICE = {"root": "core.v1.Service", "openapi": {"components": {"schemas": {"core.v1.Service": {}}}}}


class Openshift(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # It is started once, because importing the library takes a second.
        cls.adapter = subprocess.Popen([sys.executable, ADAPTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @classmethod
    def tearDownClass(cls):
        cls.adapter.communicate()

    def ask(self, request):
        self.adapter.stdin.write(json.dumps(request).encode() + b"\n")
        self.adapter.stdin.flush()
        return json.loads(self.adapter.stdout.readline())

    def three_way(self, last_applied, modified, live, **more):
        documents = {"lastApplied": last_applied, "modified": modified, "live": live}
        request = {"kind": "run", "seq": 1, "operation": "json-merge-three-way", "documents": documents, **more}
        return self.ask(request)

    def patch(self, *documents, **more):
        return self.three_way(*documents, **more)["result"]

    def test_it_says_what_it_is(self):
        reply = self.ask({"kind": "start", "protocol": 1})
        self.assertEqual((reply["name"], reply["version"]), ("openshift", "0.13.2"))
        self.assertEqual(reply["supports"]["operations"], ["json-merge-three-way"])

    def test_only_fields_of_last_applied_are_deleted(self):
        self.assertEqual(self.patch({"a": 1, "b": 1}, {"b": 2}, {"a": 1, "b": 1, "c": 1}), {"a": None, "b": 2})

    def test_lists_merge_by_the_kind_of_the_object_or_of_the_schema(self):
        def service(*ports):
            return {"spec": {"ports": list(ports)}}

        ours, theirs = {"port": 80}, {"port": 81}
        documents = [service(ours), service(ours), service(ours, theirs)]
        with_kind = [{"kind": "Service", **value} for value in documents]
        merged, replaced = service(ours, theirs), service(ours)
        self.assertEqual(self.patch(*with_kind), merged)
        self.assertEqual(self.patch(*documents, schema=SERVICE), merged)
        self.assertEqual(self.patch(*documents), replaced)

    def test_falsy_items_of_lists_are_dropped(self):
        policy = {"spec": {"ingress": [{}]}}
        self.assertEqual(self.patch(policy, policy, policy), {"spec": {"ingress": []}})

    def test_errors_have_kinds(self):
        live = {"kind": "Service", "spec": {"ports": [{"name": "a"}]}}
        for reply, kind in [
            (self.three_way(live, live, live), "missing-merge-key"),
            (self.three_way({}, {"a": {"b": 1}}, {"a": 1}), "panic"),
            (self.three_way({}, [], {}), "invalid-document"),
        ]:
            self.assertEqual(reply["error"]["kind"], kind, reply)

    def test_what_it_cannot_do(self):
        preconditions = {"preconditions": [{"keyUnchanged": "kind"}]}
        self.assertEqual(self.three_way({}, {}, {}, options=preconditions)["kind"], "unsupported")
        self.assertEqual(self.three_way({}, {}, {}, operation="three-way")["kind"], "unsupported")


if __name__ == "__main__":
    unittest.main()
