package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tabs is a definition with the given schema of the spec.
func tabs(spec, subresources string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"tabs.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"tabs","kind":"Tab"},"versions":[{"name":"v1",
		"served":true,"storage":true,"subresources":` + subresources + `,"schema":{"openAPIV3Schema":{"type":"object",
		"properties":{"spec":` + spec + `,"status":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}]}}`
}

func tab(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Tab","metadata":{"name":"x","namespace":"d"},"spec":` + spec + `}`
}

func object(properties string) string {
	return `{"type":"object","properties":{` + properties + `}}`
}

// ask sends one request and returns the answer.
func ask(t *testing.T, definition, old, body, options string) map[string]any {
	t.Helper()
	oneLine := func(text string) string { return strings.ReplaceAll(text, "\n", " ") }
	in := `{"kind":"start","protocol":1}` + "\n" + fmt.Sprintf(
		`{"kind":"run","seq":1,"operation":"admit","documents":{"definition":%s,"old":%s,"new":%s},"options":%s}`+"\n",
		oneLine(definition), old, body, options)
	var out strings.Builder
	if err := newServer(strings.NewReader(in), &out).Serve(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(strings.NewReader(out.String()))
	lines.Scan()
	lines.Scan()
	var answer map[string]any
	if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return answer
}

// summary is the stored spec, or "KIND PATH" of each error.
func summary(t *testing.T, answer map[string]any) string {
	t.Helper()
	result, ok := answer["result"].(map[string]any)
	if !ok {
		t.Fatalf("no result: %v", answer)
	}
	if errs, ok := result["errors"].([]any); ok {
		var lines []string
		for _, each := range errs {
			err := each.(map[string]any)
			lines = append(lines, strings.TrimSpace(fmt.Sprint(err["kind"], " ", err["path"])))
		}
		return strings.Join(lines, ", ")
	}
	stored := result["object"].(map[string]any)
	text, err := json.Marshal(stored["spec"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSteps(t *testing.T) {
	const none = "null"
	rule := `{"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[%s]}`
	for _, test := range []struct{ name, spec, old, body, options, want string }{
		{"unknown fields are dropped", object(`"a":{"type":"integer"}`), none, `{"a":1,"b":2}`, `{}`, `{"a":1}`},
		{"strict validation refuses all unknown fields", object(`"a":` + object("")), none, `{"a":{"x":1},"b":2}`,
			`{"fieldValidation":"Strict"}`, "strict-unknown-field spec.a.x, strict-unknown-field spec.b"},
		{"fields are kept where the schema says so", `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, none,
			`{"b":{"c":1}}`, `{}`, `{"b":{"c":1}}`},
		{"nulls without default are dropped", object(`"a":{"type":"integer"}`), none, `{"a":null}`, `{}`, `{}`},
		{"nullable nulls are kept", object(`"a":{"type":"integer","nullable":true}`), none, `{"a":null}`, `{}`, `{"a":null}`},
		{"nulls get the default", object(`"a":{"type":"integer","default":3}`), none, `{"a":null}`, `{}`, `{"a":3}`},
		{"defaults are set inside defaults", object(`"a":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":1}}}`),
			none, `{}`, `{}`, `{"a":{"b":1}}`},
		{"wrong type and missing field", `{"type":"object","required":["r"],"properties":{"r":{"type":"string"},"a":{"type":"integer"}}}`,
			none, `{"a":"x"}`, `{}`, "undecodable spec.a, required-field-missing spec.r"},
		{"an enum", object(`"a":{"type":"string","enum":["x"]}`), none, `{"a":"y"}`, `{}`, "unknown-enum-value spec.a"},
		{"a bound", object(`"a":{"type":"integer","maximum":2}`), none, `{"a":3}`, `{}`, "invalid-value spec.a"},
		{"an alternative", object(`"a":{"type":"integer","anyOf":[{"minimum":3},{"maximum":1}]}`), none, `{"a":2}`, `{}`,
			"invalid-value spec.a, invalid-value spec.a"},
		{"a fraction", object(`"a":{"type":"integer"}`), none, `{"a":1.5}`, `{}`, "invalid-value spec.a, undecodable spec.a"},
		{"the key of a map is in the path", `{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}`,
			none, `{"k":["a","a"]}`, `{}`, "duplicate-value spec.k[1]"},
		{"embedded metadata", object(`"e":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}`),
			none, `{"e":{"apiVersion":"v1","kind":"K","metadata":{"labels":{"a b":"c"}}}}`, `{}`, "invalid-value spec.e.metadata.labels"},
		{"a bound in a value that did not change", object(`"a":{"type":"integer","maximum":2},"b":{"type":"integer"}`),
			`{"a":3}`, `{"a":3,"b":1}`, `{}`, `{"a":3,"b":1}`},
		{"the same without ratcheting", object(`"a":{"type":"integer","maximum":2},"b":{"type":"integer"}`),
			`{"a":3}`, `{"a":3,"b":1}`, `{"ratcheting":false}`, "invalid-value spec.a"},
		{"a rule", fmt.Sprintf(rule, `{"rule":"self.a > 1"}`), none, `{"a":1}`, `{}`, "invalid-value spec"},
		{"a rule with a field path and a reason", fmt.Sprintf(rule, `{"rule":"self.a > 1","fieldPath":".a","reason":"FieldValueForbidden"}`),
			none, `{"a":1}`, `{}`, "forbidden-value spec.a"},
		{"a rule about a change", fmt.Sprintf(rule, `{"rule":"self.a == oldSelf.a"}`), `{"a":1}`, `{"a":2}`, `{}`, "invalid-value spec"},
		{"rules after blocking errors", fmt.Sprintf(rule, `{"rule":"self.a > 1"}`), none, `{"a":"x"}`, `{}`, "undecodable spec.a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := test.old
			if old != none {
				old = tab(old)
			}
			got := summary(t, ask(t, tabs(test.spec, "{}"), old, tab(test.body), test.options))
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTheStatusIsKeptOnlyWithoutTheSubresource(t *testing.T) {
	body := strings.TrimSuffix(tab("{}"), "}") + `,"status":{"n":1}}`
	for subresources, want := range map[string]any{"{}": map[string]any{"n": 1.0}, `{"status":{}}`: nil} {
		answer := ask(t, tabs(object(""), subresources), "null", body, "{}")
		got := answer["result"].(map[string]any)["object"].(map[string]any)["status"]
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", subresources, got, want)
		}
	}
}

func TestTheScaleSubresourceIsValidated(t *testing.T) {
	definition := tabs(object(`"replicas":{"type":"integer"}`), `{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.n"}}`)
	if got := summary(t, ask(t, definition, "null", tab(`{"replicas":-1}`), "{}")); got != "invalid-value spec.replicas" {
		t.Error(got)
	}
}

func TestADefinitionThatAServerRefusesIsRefused(t *testing.T) {
	answer := ask(t, tabs(object(`"a":{}`), "{}"), "null", tab("{}"), "{}")
	if answer["kind"] != "refused" || answer["error"].(map[string]any)["kind"] != "invalid-schema" {
		t.Errorf("%v", answer)
	}
}

// The types in upstream.go must have the fields of the types of the same names in apiextensions-apiserver.
func TestLayouts(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", libraryPath).Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := structs(t, "upstream.go")
	theirs := structs(t, filepath.Join(strings.TrimSpace(string(dir)), "pkg/apiserver/customresource_handler.go"))
	if len(ours) != 2 {
		t.Fatalf("expected two types, found %d", len(ours))
	}
	for name, fields := range ours {
		if !reflect.DeepEqual(fields, theirs[name]) {
			t.Errorf("%s: ours has %v, theirs %v", name, fields, theirs[name])
		}
	}
}

// structs are the fields of the structs in a file, as "NAME TYPE".
func structs(t *testing.T, path string) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range body.Fields.List {
				names := []string{""}
				for i, name := range f.Names {
					names = append(names[:i], name.Name)
				}
				for _, name := range names {
					found[spec.Name.Name] = append(found[spec.Name.Name], name+" "+types.ExprString(f.Type))
				}
			}
		}
		return true
	})
	return found
}
