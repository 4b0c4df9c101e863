"""Tests of the example adapter: python3 -m unittest discover runner/adapters/examples/python"""

import json
import pathlib
import subprocess
import sys
import unittest

ADAPTER = pathlib.Path(__file__).with_name("adapter.py")


def converse(*lines):
    """The replies to lines, as text."""
    done = subprocess.run(
        [sys.executable, ADAPTER], input="\n".join(lines).encode() + b"\n", stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode().splitlines()


def ask(operation, documents, **more):
    request = {"kind": "run", "seq": 1, "operation": operation, "documents": documents, **more}
    (reply,) = converse(json.dumps(request))
    return reply


class Adapter(unittest.TestCase):
    def test_a_conversation(self):
        replies = converse('{"kind":"start","protocol":1}', "", "oops", '{"kind":"stop"}', '{"kind":"start","protocol":1}')
        self.assertEqual([json.loads(reply)["kind"] for reply in replies], ["started", "error"])
        self.assertEqual(json.loads(converse('{"kind":"start","protocol":2}')[0])["kind"], "error")

    def test_apply_follows_the_rfc(self):
        for live, patch, expected in [
            ('{"a":"b"}', '{"a":"c"}', '{"a":"c"}'),
            ('{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'),
            ('{"a":["b"]}', '{"a":{"c":1}}', '{"a":{"c":1}}'),
            ("{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'),
            ("[1]", '{"a":1.0}', '{"a":1.0}'),
            ('{"a":9007199254740993}', "{}", '{"a":9007199254740993}'),
        ]:
            line = f'{{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{{"live":{live},"patch":{patch}}}}}'
            self.assertEqual(converse(line), [f'{{"seq":1,"kind":"result","result":{expected}}}'])

    def test_two_way_tells_kinds_of_values_apart(self):
        original = {"a": 1, "b": 1, "c": {"d": 1, "e": 1}, "f": [1], "g": 1}
        modified = {"a": 1.0, "b": True, "c": {"d": 1}, "f": [1], "h": 1}
        expected = '{"g":null,"a":1.0,"b":true,"c":{"e":null},"h":1}'
        reply = ask("json-merge-two-way", {"original": original, "modified": modified})
        self.assertEqual(reply, f'{{"seq":1,"kind":"result","result":{expected}}}')

    def test_what_it_cannot_do(self):
        for reply, kind in [
            (ask("apply", {"patch": {}}), "unsupported"),
            (ask("json-merge-two-way", {"modified": {}}, options={"preconditions": [{"keyUnchanged": "a"}]}), "unsupported"),
            (ask("json-merge-apply", {}), "error"),
            (ask("json-merge-two-way", {"modified": []}), "refused"),
            (converse('{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{"patch":{"a":1e400}}}')[0], "error"),
            (converse('{"kind":"run","seq":1,"operation":"json-merge-apply","documents":[]}')[0], "error"),
        ]:
            self.assertEqual(json.loads(reply)["kind"], kind)


if __name__ == "__main__":
    unittest.main()
