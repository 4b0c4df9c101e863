package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"skewer.dev/requests"
)

const widget = `"schema":{"root":"Widget","openapi":{"components":{"schemas":{"Widget":{"type":"object","properties":{
	"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
	"size":{"type":"integer"},
	"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
		"items":{"type":"object","properties":{"name":{"type":"string"},"v":{"type":"string"}}}}}}}}}}`

func ask(t *testing.T, operation, schema, documents, options string) string {
	t.Helper()
	line := `{"kind":"run","seq":1,"operation":"` + operation + `",`
	if schema != "" {
		line += schema + ","
	}
	line += `"documents":` + documents + `,"options":` + options + `}`
	var in, out bytes.Buffer
	in.WriteString(`{"kind":"start","protocol":1}` + "\n")
	if err := json.Compact(&in, []byte(line)); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if err := requests.NewServer(implementation(), &in, &out).Serve(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")[1]
}

// object is an object whose managed fields have these entries: manager, operation and fields, three strings each.
func object(content string, entries ...string) string {
	var list []string
	for i := 0; i < len(entries); i += 3 {
		fields, _ := json.Marshal(entries[i+2])
		list = append(list, `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":`+string(fields)+`,"manager":"`+entries[i]+
			`","operation":"`+entries[i+1]+`"}`)
	}
	metadata := ""
	if len(list) > 0 {
		metadata = `,"metadata":{"managedFields":[` + strings.Join(list, ",") + `]}`
	}
	if content != "" {
		content = "," + content
	}
	return `{"apiVersion":"v1","kind":"Widget"` + metadata + content + `}`
}

func TestServerSideApply(t *testing.T) {
	const size, parts = `{"f:size":{}}`, `{"f:parts":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}`
	for _, tc := range []struct{ name, live, configuration, options, expected string }{
		{"create", `{}`, object(`"size":1`), `{"manager":"a"}`, object(`"size":1`, "a", "Apply", size)},
		{"conflict", object(`"size":1`, "b", "Update", size), object(`"size":2`), `{"manager":"a"}`, ``},
		{"force", object(`"size":1`, "b", "Update", size), object(`"size":2`), `{"manager":"a","force":true}`,
			object(`"size":2`, "a", "Apply", size)},
		{"share", object(`"size":1`, "b", "Update", size), object(`"size":1`), `{"manager":"a"}`,
			object(`"size":1`, "a", "Apply", size, "b", "Update", size)},
		{"give up", object(`"size":1`, "a", "Apply", size), object(``), `{"manager":"a"}`,
			`{"apiVersion":"v1","kind":"Widget","metadata":{}}`},
		{"an item", object(`"parts":[{"name":"a"}]`), object(`"parts":[{"name":"b"}]`), `{"manager":"a"}`,
			object(`"parts":[{"name":"a"},{"name":"b"}]`, "a", "Apply", parts)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reply := ask(t, "server-side-apply", widget,
				`{"live":`+tc.live+`,"configuration":`+tc.configuration+`}`, tc.options)
			if tc.expected == "" {
				const conflict = `"conflicts":[{"manager":"b","operation":"Update","apiVersion":"v1","path":".size"}]`
				if !strings.Contains(reply, `{"kind":"conflict"`) || !strings.Contains(reply, conflict) {
					t.Errorf("got %s", reply)
				}
				return
			}
			expect(t, reply, tc.expected)
		})
	}
}

func expect(t *testing.T, reply, expected string) {
	t.Helper()
	var got struct{ Result any }
	var wanted any
	if json.Unmarshal([]byte(reply), &got) != nil || json.Unmarshal([]byte(expected), &wanted) != nil {
		t.Fatalf("got %s, expected %s", reply, expected)
	}
	first, _ := json.Marshal(got.Result)
	second, _ := json.Marshal(wanted)
	if !bytes.Equal(first, second) {
		t.Errorf("got %s, expected %s", reply, expected)
	}
}

func TestManagedUpdate(t *testing.T) {
	reply := ask(t, "managed-update", widget, `{"live":`+object(`"size":1`, "a", "Apply", `{"f:size":{}}`)+
		`,"new":`+object(`"size":2`)+`}`, `{"manager":"b"}`)
	expect(t, reply, object(`"size":2`, "b", "Update", `{"f:size":{}}`))
}

func TestTypesAreDeduced(t *testing.T) {
	reply := ask(t, "server-side-apply", "", `{"configuration":`+object(`"parts":[{"name":"a"}]`)+`}`, `{"manager":"a"}`)
	expect(t, reply, object(`"parts":[{"name":"a"}]`, "a", "Apply", `{"f:parts":{}}`))
}

func TestOtherReplies(t *testing.T) {
	for _, tc := range []struct{ configuration, options, reply string }{
		{object(`"other":1`), `{}`, `"kind":"refused","seq":1,"error":{"kind":"field-not-declared"`},
		{object(`"size":"1"`), `{}`, `"kind":"refused","seq":1,"error":{"kind":"wrong-kind"`},
		{object(`"parts":[{"name":"a"},{"name":"a"}]`), `{}`, `"error":{"kind":"duplicate-list-item"`},
		{object(`"parts":[{"v":"a"}]`), `{}`, `"error":{"kind":"missing-list-keys"`},
		{object(`"size":1`), `{"apiVersion":"v2"}`, `"error":{"kind":"wrong-api-version"`},
		{object(`"size":1`, "a", "Apply", `{}`), `{}`, `"error":{"kind":"invalid-managed-fields"`},
		{object(`"size":9007199254740993`), `{}`, `"kind":"unsupported"`},
		{`{"size":1}`, `{}`, `"error":{"kind":"invalid-document"`},
	} {
		reply := ask(t, "server-side-apply", widget, `{"configuration":`+tc.configuration+`}`, tc.options)
		if !strings.Contains(reply, tc.reply) {
			t.Errorf("%s: got %s", tc.configuration, reply)
		}
	}
}
