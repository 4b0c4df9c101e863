package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"

	"skewer.dev/requests"
)

const schemas = `{"components":{"schemas":{
	"Service":{"type":"object","properties":{
		"apiVersion":{"type":"string"},"kind":{"type":"string"},
		"spec":{"allOf":[{"$ref":"#/components/schemas/Spec"}],"x-skewer-go-pointer":true}}},
	"Spec":{"type":"object","properties":{
		"externalIPs":{"type":"array","items":{"type":"string"}},
		"selector":{"type":"object","additionalProperties":{"type":"string"}},
		"finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"},
		"containers":{"type":"array","items":{"$ref":"#/components/schemas/Container"},
			"x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name"},
		"ports":{"type":"array","items":{"$ref":"#/components/schemas/Port"},
			"x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"port",
			"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"]}}},
	"Container":{"type":"object","properties":{"name":{"type":"string"},"image":{"type":"string"}}},
	"Port":{"type":"object","properties":{"port":{"type":"integer"},"protocol":{"type":"string"}}}}}}`

// converse returns the replies to requests, which are JSON text.
func converse(t *testing.T, direction yaml.MergeOptionsListIncreaseDirection, lines ...string) []string {
	t.Helper()
	var in, out bytes.Buffer
	for _, line := range append([]string{`{"kind":"start","protocol":1}`}, lines...) {
		if err := json.Compact(&in, []byte(line)); err != nil {
			t.Fatal(err)
		}
		in.WriteByte('\n')
	}
	if err := requests.NewServer(implementation(direction), &in, &out).Serve(); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")[1:]
}

func apply(root, live, patch string) string {
	return `{"kind":"run","seq":1,"operation":"apply","schema":{"root":"` + root + `","openapi":` + schemas + `},
		"documents":{"live":` + live + `,"patch":` + patch + `}}`
}

func TestApply(t *testing.T) {
	for _, tc := range []struct{ name, live, patch, prepended, appended string }{
		{"maps merge", `{"selector":{"a":"1","b":"1"}}`, `{"selector":{"a":null,"c":"2"}}`,
			`{"selector":{"b":"1","c":"2"}}`, ``},
		{"lists without a strategy are replaced", `{"externalIPs":["a"]}`, `{"externalIPs":["b"]}`,
			`{"externalIPs":["b"]}`, ``},
		{"items are found by their key", `{"containers":[{"name":"a","image":"1"}]}`,
			`{"containers":[{"name":"a","image":"2"}]}`, `{"containers":[{"image":"2","name":"a"}]}`, ``},
		{"new items", `{"containers":[{"name":"a"}]}`, `{"containers":[{"name":"b"}]}`,
			`{"containers":[{"name":"b"},{"name":"a"}]}`, `{"containers":[{"name":"a"},{"name":"b"}]}`},
		{"new scalars", `{"finalizers":["a"]}`, `{"finalizers":["b"]}`,
			`{"finalizers":["b","a"]}`, `{"finalizers":["a","b"]}`},
		{"items are deleted", `{"containers":[{"name":"a"},{"name":"b"}]}`, `{"containers":[{"name":"a","$patch":"delete"}]}`,
			`{"containers":[{"name":"b"}]}`, ``},
		{"the keys of the list type come before the merge key",
			`{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}`,
			`{"ports":[{"port":53,"protocol":"UDP","$patch":"delete"}]}`, `{"ports":[{"port":53,"protocol":"TCP"}]}`, ``},
		{"other directives are stored", `{"finalizers":["a"]}`, `{"$deleteFromPrimitiveList/finalizers":["a"]}`,
			`{"finalizers":["a"],"$deleteFromPrimitiveList/finalizers":["a"]}`, ``},
		{"numbers stay what they are", `{"a":1.0,"b":9007199254740993}`, `{"c":1,"d":1e100,"e":"1"}`,
			`{"a":1.0,"b":9007199254740993,"c":1,"d":1e+100,"e":"1"}`, ``},
		{"the document is deleted", `{"a":1}`, `{"$patch":"delete"}`, `{}`, ``},
		{"null is the empty object", `null`, `{"a":"yes"}`, `{"a":"yes"}`, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.appended == "" {
				tc.appended = tc.prepended
			}
			for direction, expected := range map[yaml.MergeOptionsListIncreaseDirection]string{
				yaml.MergeOptionsListPrepend: tc.prepended,
				yaml.MergeOptionsListAppend:  tc.appended,
			} {
				reply := converse(t, direction, apply("Spec", tc.live, tc.patch))[0]
				if reply != `{"kind":"result","seq":1,"result":`+expected+`}` {
					t.Errorf("direction %v: expected %s, but got %s", direction, expected, reply)
				}
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct{ name, live, patch, reply string }{
		{"another kind", `{"selector":{"a":"1"}}`, `{"selector":["a"]}`, `"error":{"kind":"wrong-kind"`},
		{"another $patch", `{"selector":{"a":"1"}}`, `{"selector":{"$patch":"x"}}`,
			`"error":{"kind":"invalid-directive","directive":"$patch"`},
		{"no object", `{}`, `[]`, `"error":{"kind":"invalid-document"`},
		{"too large", `{}`, `{"a":1e999}`, `"error":{"kind":"invalid-document"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reply := converse(t, yaml.MergeOptionsListPrepend, apply("Spec", tc.live, tc.patch))[0]
			if !strings.HasPrefix(reply, `{"kind":"refused","seq":1,`+tc.reply) {
				t.Errorf("got %s", reply)
			}
		})
	}
}

func TestSchemasReplaceEachOther(t *testing.T) {
	live, patch := `{"l":["a"]}`, `{"l":["b"]}`
	request := func(schema string) string {
		return `{"kind":"run","seq":1,"operation":"apply","schema":` + schema + `,"documents":{"live":` + live +
			`,"patch":` + patch + `}}`
	}
	list := `{"components":{"schemas":{"T":{"properties":{"l":{"type":"array","items":{"type":"string"}%s}}}}}}`
	merged := strings.Replace(list, "%s", `,"x-kubernetes-patch-strategy":"merge"`, 1)
	replaced := strings.Replace(list, "%s", "", 1)
	replies := converse(t, yaml.MergeOptionsListPrepend,
		request(`{"id":"m","root":"T","openapi":`+merged+`}`), request(`{"id":"r","root":"T","openapi":`+replaced+`}`),
		request(`{"id":"m"}`), request(`{"id":"x"}`), request(`{"id":"m","root":"U"}`))
	for i, expected := range []string{
		`"result":{"l":["b","a"]}`, `"result":{"l":["b"]}`, `"result":{"l":["b","a"]}`, `"kind":"error"`,
		`"kind":"invalid-schema"`,
	} {
		if !strings.Contains(replies[i], expected) {
			t.Errorf("expected %s, but got %s", expected, replies[i])
		}
	}
}

func TestProfiles(t *testing.T) {
	for profile, kind := range map[string]string{
		`{"without":["$retainKeys"]}`:  "result",
		`{"without":["$patch"]}`:       "unsupported",
		`{"with":["$patchMergeKey"]}`:  "unsupported",
		`{"with":["$patch"]}`:          "result",
		`{"without":[],"with":[null]}`: "unsupported",
	} {
		request := strings.TrimSuffix(apply("Spec", `{}`, `{}`), "}") + `,"profile":` + profile + `}`
		if reply := converse(t, yaml.MergeOptionsListPrepend, request)[0]; !strings.HasPrefix(reply, `{"kind":"`+kind) {
			t.Errorf("%s: got %s", profile, reply)
		}
	}
}

// merge2.Merge finds the schema in the library's own OpenAPI document. What the adapter does must have the same result.
func TestTheAdapterDoesWhatMergeDoes(t *testing.T) {
	const head = `"apiVersion":"v1","kind":"Service"`
	for _, tc := range []struct{ live, patch string }{
		{`{"ports":[{"port":80,"protocol":"TCP","targetPort":1}]}`, `{"ports":[{"port":80,"targetPort":2}]}`},
		{`{"ports":[{"port":80,"targetPort":1}]}`, `{"ports":[{"port":80,"targetPort":2}]}`},
		{`{"ports":[{"port":80}]}`, `{"ports":[{"targetPort":2}]}`},
		{`{"ports":[{"port":53,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}`,
			`{"ports":[{"port":53,"protocol":"UDP","$patch":"delete"}]}`},
		{`{"ports":[{"port":53,"protocol":"TCP"}]}`, `{"ports":[{"port":53,"$patch":"delete"}]}`},
		{`{"selector":{"a":"1"}}`, `{"selector":{"$patch":"delete"}}`},
		{`{"externalIPs":["a"]}`, `{"externalIPs":["b"],"x":null,"y":{}}`},
	} {
		for _, direction := range []yaml.MergeOptionsListIncreaseDirection{
			yaml.MergeOptionsListPrepend, yaml.MergeOptionsListAppend,
		} {
			live, patch := `{`+head+`,"spec":`+tc.live+`}`, `{`+head+`,"spec":`+tc.patch+`}`
			openapi.ResetOpenAPI()
			merged, err := merge2.Merge(
				yaml.MustParse(patch), yaml.MustParse(live), yaml.MergeOptions{ListIncreaseDirection: direction})
			if err != nil {
				t.Fatal(err)
			}
			expected, err := merged.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var reply struct{ Result any }
			text := converse(t, direction, apply("Service", live, patch))[0]
			if err := json.Unmarshal([]byte(text), &reply); err != nil {
				t.Fatal(err)
			}
			if got, _ := json.Marshal(reply.Result); !bytes.Equal(got, expected) {
				t.Errorf("%s and %s: Merge returns %s, but the adapter %s", live, patch, expected, text)
			}
		}
	}
}
