package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever comes in, what goes out is JSON Lines, with at most one reply per line.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{"patch":{"a":null}}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"json-patch-apply","documents":{"live":[1],"patch":[{"op":"move","from":"/0","path":""}]}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"apply","schema":{"root":"A","openapi":{"components":{"schemas":{"A":{"properties":{"a":{"type":"array","items":{"$ref":"#/components/schemas/A"},"x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"b"}}}}}}},"documents":{"live":{"a":[{"b":1}]},"patch":{"$setElementOrder/a":[{"b":1}],"a":[{"b":1,"$patch":"delete"}]}},"options":{"lookup":"struct"}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"validate-union","documents":{"old":{},"new":{"a":1}},"union":{"kind":"exactly-one","members":[{"field":"a"}]}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"server-side-apply","schema":{"root":"A","openapi":{"components":{"schemas":{"A":{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"integer"}}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["b"]}}}}}}},"documents":{"live":{"apiVersion":"v1","kind":"A","a":[{"b":1}],"metadata":{"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":"{\"f:a\":{}}"}]}},"configuration":{"apiVersion":"v1","kind":"A","a":[{"b":2}]}},"options":{"manager":"m","versions":[{"apiVersion":"v1","renames":[{"hub":["c"],"version":["a"]}]}]}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"managed-update","documents":{"new":{"apiVersion":"v1","kind":"A","a":[{"b":2}]}},"options":{"manager":"m"}}`))
	f.Add([]byte(`{"kind":"run","seq":1,"operation":"upgrade-managed-fields","documents":{"live":{"metadata":{"managedFields":[{"manager":"m","operation":"Update","fieldsV1":{}}]}}},"options":{"csaManagers":["m"],"manager":"n"}}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		in := append([]byte(startLine+"\n"), input...)
		if err := newServer(bytes.NewReader(in), &out, "", 1<<16).Serve(); err != nil {
			t.Fatal(err)
		}
		replies := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
		if lines := bytes.Count(in, []byte("\n")) + 1; len(replies) > lines {
			t.Fatalf("%d lines, but %d replies", lines, len(replies))
		}
		for _, reply := range replies {
			if !json.Valid(reply) {
				t.Fatalf("not JSON: %q", reply)
			}
		}
	})
}
