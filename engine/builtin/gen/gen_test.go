package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func testDirs() moduleDirs {
	return moduleDirs{
		apiPath:       filepath.Join("testdata", "api"),
		machineryPath: filepath.Join("testdata", "machinery"),
	}
}

// Each line contains one type or one field of the expected declarations.
const expectedTypes = `[
{"name":"core/v1.Bytes","shape":{"alias":{"scalar":"bytes"}}},
{"name":"core/v1.Color","shape":{"enum":{"values":[{"name":"Red","value":"red"},{"name":"Green","value":"green"}],"closed":true}},
 "markers":[{"name":"enum"}]},
{"name":"core/v1.Part","shape":{"struct":[{"name":"parts","goName":"Parts","type":{"list":{"named":"core/v1.Part"}}}]}},
{"name":"core/v1.Shade","shape":{"enum":{"values":[{"name":"Dark","value":"x-dark"}],"closed":false}}},
{"name":"core/v1.Source","shape":{"struct":[{"name":"other","goName":"Other","type":{"pointer":{"scalar":"int32"}}}]}},
{"name":"core/v1.Widget","shape":{"struct":[
 {"goName":"TypeMeta","type":{"named":"meta/v1.TypeMeta"},"inline":true},
 {"goName":"Source","type":{"pointer":{"named":"core/v1.Source"}},"inline":true},
 {"name":"name","goName":"Name","type":{"scalar":"string"},"required":true,
  "markers":[{"name":"required"},{"name":"featureGate","value":"=A"}]},
 {"name":"color","goName":"Color","type":{"named":"core/v1.Color"},"omitEmpty":true,"required":false,"default":"red",
  "markers":[{"name":"optional"},{"name":"default","value":"=ref(Red)"}]},
 {"name":"shade","goName":"Shade","type":{"pointer":{"named":"core/v1.Shade"}},"omitEmpty":true,"required":false,
  "default":{"a":[1]},"markers":[{"name":"k8s:optional"},{"name":"default","value":"={\"a\": [1]}"}]},
 {"name":"parts","goName":"Parts","type":{"list":{"named":"core/v1.Part"}},
  "patch":{"strategies":["merge","retainKeys"],"mergeKey":["name"]},
  "markers":[{"name":"k8s:beta","value":"(since: \"1.37\")=+k8s:optional"}]},
 {"name":"keyed","goName":"Keyed","type":{"list":{"named":"core/v1.Part"}},"omitZero":true,
  "patch":{"listType":"map","listMapKeys":["a","b"]},
  "markers":[{"name":"listType","value":"=map"},{"name":"listMapKey","value":"=a"},{"name":"listMapKey","value":"=b"},
   {"name":"k8s:listType","value":"=map"},{"name":"k8s:listMapKey","value":"=a"}]},
 {"name":"data","goName":"Data","type":{"map":{"scalar":"bytes"}},"omitEmpty":true},
 {"name":"bytes","goName":"Bytes","type":{"named":"core/v1.Bytes"},"omitEmpty":true},
 {"name":"time","goName":"Time","type":{"pointer":{"scalar":"time"}},"omitEmpty":true},
 {"name":"raw","goName":"Raw","type":"rawExtension","omitEmpty":true},
 {"name":"object","goName":"Object","type":"any","omitEmpty":true},
 {"name":"numbers","goName":"Numbers","type":{"map":{"scalar":"number"}},"omitEmpty":true},
 {"name":"Plain","goName":"Plain","type":{"scalar":"boolean"}}
]},"markers":[{"name":"k8s:gvk","value":"example.io/v1/Widget"},{"name":"k8s:supportsSubresource","value":"=\"/status\""}]},
{"name":"meta/v1.Status","shape":{"struct":[
 {"goName":"TypeMeta","type":{"named":"meta/v1.TypeMeta"},"inline":true},
 {"name":"code","goName":"Code","type":{"scalar":"int32"}}
]},"markers":[{"name":"k8s:gvk","value":"v1/Status"}]},
{"name":"meta/v1.TypeMeta","shape":{"struct":[{"name":"kind","goName":"Kind","type":{"scalar":"string"},"omitEmpty":true}]}}
]`

func TestDeclarationsOfAModule(t *testing.T) {
	types, err := declare(testDirs())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(types)
	if err != nil {
		t.Fatal(err)
	}
	var is, expected []map[string]any
	if err := json.Unmarshal(text, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(expectedTypes), &expected); err != nil {
		t.Fatal(err)
	}
	if len(is) != len(expected) {
		t.Fatalf("%d types instead of %d: %s", len(is), len(expected), text)
	}
	for i := range expected {
		if !reflect.DeepEqual(is[i], expected[i]) {
			isText, _ := json.Marshal(is[i])
			expectedText, _ := json.Marshal(expected[i])
			t.Errorf("type %d\n is       %s\n expected %s", i, isText, expectedText)
		}
	}
}

// The generator fails on unsupported declarations and does not skip them. The error names the declaration.
func TestUnsupportedDeclarationIsAnError(t *testing.T) {
	for _, tc := range []struct{ name, from, to, message string }{
		{"a type of another module", `json:"-"`, `json:"hidden"`, "core/v1.Widget: Hidden"},
		{"a map with other keys", "map[Shade]float64", "map[int]float64", "core/v1.Widget: Numbers"},
		{"numbers in strings", `json:"parts"`, `json:"parts,string"`, `"string"`},
		{"a default that is not JSON", `{"a": [1]}`, `{a}`, "core/v1.Widget: Shade"},
		{"a default that refers to a missing constant", "ref(Red)", "ref(Blue)", "Blue is not a string constant"},
		{"a channel", "Plain   bool", "Plain   chan int", "core/v1.Widget: Plain"},
		{"a kind that is not a type", "&Widget{}", "&Gadget{}", `unknown type "Gadget"`},
		{"a kind that is not a literal", "&Widget{}", "widget()", "AddKnownTypes is not supported"},
		{"another way to register", "AddKnownTypes(SchemeGroupVersion,", "AddKnownTypeWithName(SchemeGroupVersion,", "AddKnownTypeWithName"},
		{"a group version that is not a literal", `schema.GroupVersion{Group: GroupName, Version: "v1"}`, "version()", "not a literal"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
				t.Fatal(err)
			}
			changed := false
			for _, name := range []string{"types.go", "register.go"} {
				name = filepath.Join(dir, "api", "core", "v1", name)
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				replaced := strings.Replace(string(text), tc.from, tc.to, 1)
				changed = changed || replaced != string(text)
				if err := os.WriteFile(name, []byte(replaced), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !changed {
				t.Fatal("the test data do not contain the text to replace")
			}
			_, err := declare(moduleDirs{apiPath: filepath.Join(dir, "api"), machineryPath: filepath.Join(dir, "machinery")})
			if err == nil || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("got error %v, expected an error that contains %q", err, tc.message)
			}
		})
	}
}

func TestMarkers(t *testing.T) {
	for _, tc := range []struct {
		comment  string
		expected []marker
	}{
		{"// +optional", []marker{{Name: "optional"}}},
		{"//+optional", []marker{{Name: "optional"}}},
		{"// +optional, really", []marker{{Name: "optional", Value: ", really"}}},
		{`// +k8s:unionMember(union: "a")="b"`, []marker{{Name: "k8s:unionMember", Value: `(union: "a")="b"`}}},
		{"// +unionMember=ALPHA,optional", []marker{{Name: "unionMember", Value: "=ALPHA,optional"}}},
		{"// +k8s:deepcopy-gen:interfaces=a", nil},
		{"// +k8s:prerelease-lifecycle-gen:introduced=1.1", nil},
		{"// +genclient:nonNamespaced", nil},
		{"// +protobuf.nullable=true", nil},
		{"// +-----+", nil},
		{"// + text", nil},
		{"// text +optional", nil},
		{"/* +optional */", nil},
	} {
		is := readMarkers(&ast.CommentGroup{List: []*ast.Comment{{Text: tc.comment}}})
		if !reflect.DeepEqual(is, tc.expected) {
			t.Errorf("%s: %v, expected %v", tc.comment, is, tc.expected)
		}
	}
}

func TestReleases(t *testing.T) {
	if is, err := kubernetesRelease("v0.37.2"); is != "1.37" || err != nil {
		t.Errorf("got %s, %v", is, err)
	}
	for _, version := range []string{"", "latest", "v1.2.3", "v0.37", "0.37.2"} {
		if is, err := kubernetesRelease(version); err == nil {
			t.Errorf("%q is accepted as %s", version, is)
		}
	}
}

func TestCompressionIsReproducible(t *testing.T) {
	text := []byte(strings.Repeat("text", 1000))
	first, err := compress(text)
	if err != nil {
		t.Fatal(err)
	}
	second, err := compress(text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the same text was compressed in two ways")
	}
	// The byte of the flags, and the four bytes of the time.
	if !bytes.Equal(first[3:8], make([]byte, 5)) {
		t.Errorf("the header contains a name or a time: %x", first[:10])
	}
}
