package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"skewer.dev/conversation"
)

// widgetSchema has a field for every topology. V2 calls `count` `size`.
const widgetSchema = `{"components":{"schemas":{
  "Widget":{"type":"object","properties":{
    "apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"#/components/schemas/ObjectMeta"},
    "status":{"type":"object","properties":{"ready":{"type":"boolean"}}},
    "spec":{"$ref":"#/components/schemas/Spec"}}},
  "Spec":{"type":"object","properties":{
    "count":{"type":"integer"},
    "name":{"type":"string"},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "sub":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}},
    "whole":{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-map-type":"atomic"},
    "atomic":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"atomic"},
    "numbers":{"type":"array","items":{"type":"number"},"x-kubernetes-list-type":"set"},
    "strings":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
    "anything":{"x-kubernetes-preserve-unknown-fields":true},
    "ports":{"type":"array","items":{"$ref":"#/components/schemas/Port"},
      "x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"]}}},
  "Port":{"type":"object","properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},
    "name":{"type":"string"}}},
  "WidgetV2":{"type":"object","properties":{
    "apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"#/components/schemas/ObjectMeta"},
    "config":{"type":"object","properties":{"size":{"type":"integer"}}},
    "spec":{"$ref":"#/components/schemas/SpecV2"}}},
  "SpecV2":{"type":"object","properties":{"name":{"type":"string"},"size":{"type":"string"}}},
  "ObjectMeta":{"type":"object","properties":{
    "name":{"type":"string"},"uid":{"type":"string"},
    "annotations":{"type":"object","additionalProperties":{"type":"string"}},
    "managedFields":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"object","properties":{
      "manager":{"type":"string"},"operation":{"type":"string"},"apiVersion":{"type":"string"},
      "time":{"type":"string","format":"date-time"},"fieldsType":{"type":"string"},"subresource":{"type":"string"},
      "fieldsV1":{"type":"object"}}}}}}
}}}`

// widgetVersions declares V1 and V2.
const widgetVersions = `"versions":[
  {"apiVersion":"example.com/v1","root":"Widget"},
  {"apiVersion":"example.com/v2","root":"WidgetV2","renames":[{"hub":["spec","count"],"version":["config","size"]}]}]`

// widgets is a conversation about one object, which is stored after each request that succeeds.
type widgets struct {
	t       *testing.T
	schemas schemaCache
	schema  string
	// options are members of the options of each request.
	options string
	live    json.RawMessage
}

func newWidgets(t *testing.T) *widgets {
	return &widgets{t: t, schemas: newSchemaCache(), schema: `{"root":"Widget","openapi":` + widgetSchema + `}`}
}

// widget is an object with this spec.
func widget(fields string) string {
	return `{"apiVersion":"example.com/v1","kind":"Widget","spec":` + fields + `}`
}

// request sends a document. The options are members of the JSON object.
func (w *widgets) request(operation, document, options string) outcome {
	w.t.Helper()
	role := map[string]string{"server-side-apply": "configuration", "managed-update": "new"}[operation]
	documents := map[string]json.RawMessage{}
	if document != "" {
		documents[role] = json.RawMessage(document)
	}
	if w.live != nil {
		documents["live"] = w.live
	}
	if w.options != "" {
		options += "," + w.options
	}
	line := map[string]any{
		"operation": operation, "documents": documents, "options": json.RawMessage("{" + options + "}"),
	}
	if w.schema != "" {
		line["schema"] = json.RawMessage(w.schema)
	}
	text, err := json.Marshal(line)
	if err != nil {
		w.t.Fatal(err)
	}
	var req request
	if err := json.Unmarshal(text, &req); err != nil {
		w.t.Fatal(err)
	}
	o := runRequest(&w.schemas, &req)
	if o.Result != nil {
		w.live = o.Result
	}
	return o
}

// apply applies a configuration and expects success.
func (w *widgets) apply(manager, document string) {
	w.t.Helper()
	w.succeed("server-side-apply", document, fmt.Sprintf(`"manager":%q`, manager))
}

// forceApply applies a configuration over conflicts.
func (w *widgets) forceApply(manager, document string) {
	w.t.Helper()
	w.succeed("server-side-apply", document, fmt.Sprintf(`"manager":%q,"force":true`, manager))
}

// update writes an object that has no managed fields of its own.
func (w *widgets) update(manager, document string) {
	w.t.Helper()
	w.succeed("managed-update", document, fmt.Sprintf(`"manager":%q`, manager))
}

func (w *widgets) succeed(operation, document, options string) {
	w.t.Helper()
	if o := w.request(operation, document, options); o.Result == nil {
		w.t.Fatalf("%s of %s with %s is %+v %+v", operation, document, options, o, o.Refusal)
	}
}

// refuse expects that a request is refused with this kind.
func (w *widgets) refuse(kind, operation, document, options string) *refusal {
	w.t.Helper()
	o := w.request(operation, document, options)
	if o.Refusal == nil || o.Refusal.Kind != kind {
		w.t.Fatalf("%s of %s: expected %s, but got %s %+v", operation, document, kind, o.Result, o.Refusal)
	}
	return o.Refusal
}

// expectObject compares the stored object without its managed fields.
func (w *widgets) expectObject(expected string) {
	w.t.Helper()
	var is, want map[string]any
	if err := errors.Join(json.Unmarshal(w.live, &is), json.Unmarshal([]byte(expected), &want)); err != nil {
		w.t.Fatal(err)
	}
	if metadata, ok := is["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
		if len(metadata) == 0 {
			delete(is, "metadata")
		}
	}
	if !reflect.DeepEqual(is, want) {
		w.t.Errorf("object\n is       %s\n expected %s", w.live, expected)
	}
}

// owners are the managed fields, one line per entry.
func (w *widgets) owners() []string {
	w.t.Helper()
	var object struct {
		Metadata struct{ ManagedFields []map[string]string }
	}
	if err := json.Unmarshal(w.live, &object); err != nil {
		w.t.Fatal(err)
	}
	var lines []string
	for _, entry := range object.Metadata.ManagedFields {
		if entry["fieldsType"] != "FieldsV1" {
			w.t.Errorf("an entry without its type: %v", entry)
		}
		known := []string{"apiVersion", "fieldsType", "fieldsV1", "manager", "operation"}
		line := fmt.Sprintf("%s %s %s", entry["manager"], entry["operation"], entry["apiVersion"])
		if subresource, ok := entry["subresource"]; ok {
			line += "/" + subresource
			known = append(known, "subresource")
		}
		if names := slices.Sorted(maps.Keys(entry)); !slices.Equal(names, known) {
			w.t.Errorf("an entry has the members %v", names)
		}
		lines = append(lines, line+" "+entry["fieldsV1"])
	}
	return lines
}

// expectOwners compares the managed fields of the group example.com.
func (w *widgets) expectOwners(expected ...string) {
	w.t.Helper()
	is := w.owners()
	for i := range is {
		is[i] = strings.Replace(is[i], "example.com/", "", 1)
	}
	if !slices.Equal(is, expected) {
		w.t.Errorf("managed fields\n is       %s\n expected %s",
			strings.Join(is, "\n          "), strings.Join(expected, "\n          "))
	}
}

func TestOwnersOfAppliedFields(t *testing.T) {
	for _, tc := range []struct{ name, spec, fields string }{
		{"a scalar", `{"count":1}`, `{"f:spec":{"f:count":{}}}`},
		{"null", `{"count":null}`, `{"f:spec":{"f:count":{}}}`},
		{"an empty map", `{"labels":{}}`, `{"f:spec":{"f:labels":{}}}`},
		{"an undeclared key", `{"labels":{"a":"1"}}`, `{"f:spec":{"f:labels":{"f:a":{}}}}`},
		{"an atomic map", `{"whole":{"a":"1"}}`, `{"f:spec":{"f:whole":{}}}`},
		{"an atomic list", `{"atomic":["a"]}`, `{"f:spec":{"f:atomic":{}}}`},
		{"items of a set", `{"strings":["b","a"]}`, `{"f:spec":{"f:strings":{"v:\"a\"":{},"v:\"b\"":{}}}}`},
		{"items with a default key", `{"ports":[{"port":80}]}`,
			`{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}`},
		{"escaped items", `{"strings":["<&>"]}`, `{"f:spec":{"f:strings":{"v:\"\\u003c\\u0026\\u003e\"":{}}}}`},
		{"keys that are not escaped", `{"labels":{"<&>":"1"}}`, `{"f:spec":{"f:labels":{"f:<&>":{}}}}`},
		{"numbers in the order of their values", `{"numbers":[10,9,1e21,0.0000001]}`,
			`{"f:spec":{"f:numbers":{"v:1e-07":{},"v:9":{},"v:10":{},"v:1e+21":{}}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWidgets(t)
			w.apply("a", widget(tc.spec))
			w.expectOwners("a Apply v1 " + tc.fields)
			// The entries survive being read and written.
			w.apply("b", widget(`{"name":"b"}`))
			w.expectOwners("a Apply v1 "+tc.fields, `b Apply v1 {"f:spec":{"f:name":{}}}`)
		})
	}
	t.Run("an empty granular list has no owner", func(t *testing.T) {
		w := newWidgets(t)
		w.apply("a", widget(`{"ports":[]}`))
		w.expectOwners()
		w.expectObject(widget(`{"ports":[]}`))
	})
	t.Run("an update owns containers", func(t *testing.T) {
		w := newWidgets(t)
		w.update("u", widget(`{"sub":{"a":"1"},"ports":[{"port":80}]}`))
		w.expectOwners(`u Update v1 {"f:spec":{".":{},"f:ports":{".":{},` +
			`"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:sub":{".":{},"f:a":{}}}}`)
	})
}

func TestSequencesOfRequests(t *testing.T) {
	for _, tc := range []struct {
		name     string
		run      func(*widgets)
		expected string
	}{
		{"pruning leaves a null", func(w *widgets) {
			w.apply("a", widget(`{"count":1}`))
			w.apply("a", widget(`{}`))
			w.expectOwners(`a Apply v1 {"f:spec":{}}`)
		}, `null`},
		{"a field that another applier owns stays", func(w *widgets) {
			w.apply("a", widget(`{"count":1,"name":"x"}`))
			w.apply("b", widget(`{"count":1}`))
			w.apply("a", widget(`{"name":"x"}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:name":{}}}`, `b Apply v1 {"f:spec":{"f:count":{}}}`)
		}, `{"count":1,"name":"x"}`},
		{"a field that an updater took over stays", func(w *widgets) {
			w.apply("a", widget(`{"count":1,"name":"x"}`))
			w.update("u", widget(`{"count":2,"name":"x"}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:name":{}}}`, `u Update v1 {"f:spec":{"f:count":{}}}`)
			w.apply("a", widget(`{"name":"x"}`))
		}, `{"count":2,"name":"x"}`},
		{"an item that is dropped takes what an updater set inside it with it", func(w *widgets) {
			w.apply("a", widget(`{"name":"x","ports":[{"port":80}]}`))
			w.update("u", widget(`{"name":"x","ports":[{"port":80,"name":"web"}]}`))
			w.apply("a", widget(`{"name":"x"}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:name":{}}}`)
		}, `{"name":"x","ports":null}`},
		{"force takes ownership", func(w *widgets) {
			w.apply("a", widget(`{"count":1}`))
			w.forceApply("b", widget(`{"count":2}`))
			w.expectOwners(`b Apply v1 {"f:spec":{"f:count":{}}}`)
		}, `{"count":2}`},
		{"a null struct takes the container and changes nothing", func(w *widgets) {
			w.apply("a", widget(`{"sub":{"a":"1"}}`))
			w.apply("b", widget(`{"sub":null}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:sub":{"f:a":{}}}}`, `b Apply v1 {"f:spec":{"f:sub":{}}}`)
		}, `{"sub":{"a":"1"}}`},
		{"a partial key is another item", func(w *widgets) {
			w.apply("a", widget(`{"ports":[{"protocol":"UDP"},{"port":53,"protocol":"UDP"}]}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:ports":{"k:{\"port\":53,\"protocol\":\"UDP\"}":{".":{},` +
				`"f:port":{},"f:protocol":{}},"k:{\"protocol\":\"UDP\"}":{".":{},"f:protocol":{}}}}}`)
		}, `{"ports":[{"protocol":"UDP"},{"port":53,"protocol":"UDP"}]}`},
		{"duplicate live items conflict, and collapse when forced", func(w *widgets) {
			w.update("u", widget(`{"ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]}`))
			w.expectOwners(`u Update v1 {"f:spec":{".":{},"f:ports":{".":{},` +
				`"k:{\"port\":80,\"protocol\":\"TCP\"}":{}}}}`)
			w.refuse(kindConflict, "server-side-apply", widget(`{"ports":[{"port":80}]}`), `"manager":"a"`)
			w.forceApply("a", widget(`{"ports":[{"port":80}]}`))
		}, `{"ports":[{"port":80}]}`},
		{"an applied list is in the order of the configuration", func(w *widgets) {
			w.apply("a", widget(`{"strings":["x","y"]}`))
			w.apply("b", widget(`{"strings":["z","y","x"]}`))
		}, `{"strings":["z","y","x"]}`},
		{"the empty manager is unknown", func(w *widgets) {
			w.update("", widget(`{"count":1}`))
			w.expectOwners(`unknown Update v1 {"f:spec":{".":{},"f:count":{}}}`)
		}, `{"count":1}`},
		{"numbers pass through floats", func(w *widgets) {
			w.apply("a", widget(`{"numbers":[9007199254740993]}`))
			w.apply("b", widget(`{"name":"x"}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:numbers":{"v:9007199254740992":{}}}}`,
				`b Apply v1 {"f:spec":{"f:name":{}}}`)
		}, `{"name":"x","numbers":[9007199254740993]}`},
		{"an object without managed fields gets an owner for what is there", func(w *widgets) {
			w.live = json.RawMessage(widget(`{"count":1}`))
			w.apply("a", widget(`{"name":"x"}`))
			w.expectOwners(`a Apply v1 {"f:spec":{"f:name":{}}}`,
				`before-first-apply Update v1 {"f:spec":{".":{},"f:count":{}}}`)
		}, `{"count":1,"name":"x"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWidgets(t)
			tc.run(w)
			w.expectObject(widget(tc.expected))
		})
	}
}

func TestConflicts(t *testing.T) {
	w := newWidgets(t)
	w.apply("b\"", widget(`{"count":1,"strings":["x"],"sub":{"b":"1","a":"1"}}`))
	w.options = `"subresource":"scale"`
	w.update("a", strings.Replace(string(w.live), `"count":1`, `"count":1,"name":"n"`, 1))
	w.options = ""
	r := w.refuse(kindConflict, "server-side-apply",
		widget(`{"count":2,"name":"m","sub":{"b":"2","a":"2"},"strings":["x"]}`), `"manager":"c"`)
	expected := []applyConflict{
		{Manager: "a", Operation: "Update", APIVersion: "example.com/v1", Subresource: "scale", Path: ".spec.name"},
		{Manager: `b"`, Operation: "Apply", Path: ".spec.count"},
		{Manager: `b"`, Operation: "Apply", Path: ".spec.sub.a"},
		{Manager: `b"`, Operation: "Apply", Path: ".spec.sub.b"},
	}
	if !slices.Equal(r.Conflicts, expected) {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
	message := "Apply failed with 4 conflicts: conflicts with \"a\" with subresource \"scale\" using example.com/v1:\n" +
		"- .spec.name\nconflicts with \"b\\\"\":\n- .spec.count\n- .spec.sub.a\n- .spec.sub.b"
	if r.Message != message {
		t.Errorf("message %q", r.Message)
	}
	r = w.refuse(kindConflict, "server-side-apply", widget(`{"count":2}`), `"manager":"c"`)
	if r.Message != `Apply failed with 1 conflict: conflict with "b\"": .spec.count` {
		t.Errorf("message %q", r.Message)
	}
}

// The reply lists conflicts and kinds as PROTOCOL.md says.
func TestRefusalsOnTheWire(t *testing.T) {
	r := &refusal{Kind: "a", Kinds: []string{"a", "b"}, Message: "m", Conflicts: []applyConflict{
		{Manager: "m", Operation: "Apply", Path: ".p"},
		{Manager: "m", Operation: "Update", APIVersion: "v1", Subresource: "s", Path: ".p"},
	}}
	expected := `{"kind":"a","kinds":["a","b"],"message":"m","conflicts":[{"manager":"m","operation":"Apply","path":".p"},` +
		`{"manager":"m","operation":"Update","apiVersion":"v1","subresource":"s","path":".p"}]}`
	if is := string(conversation.AppendRefusal(nil, r)); is != expected {
		t.Errorf("written as %s", is)
	}
}

func TestRefusalsOfFieldManagers(t *testing.T) {
	apply, update := "server-side-apply", "managed-update"
	managed := func(entries string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"managedFields":` + entries + `}}`
	}
	for _, tc := range []struct{ kind, live, operation, document, options string }{
		{kindFieldNotDeclared, ``, apply, widget(`{"other":1}`), ``},
		{kindFieldNotDeclared, widget(`{"other":1}`), apply, widget(`{"count":1}`), ``},
		{kindFieldNotDeclared, ``, update, widget(`{"other":1}`), ``},
		{kindDuplicateListItem, ``, apply, widget(`{"ports":[{"port":1},{"port":1,"protocol":"TCP"}]}`), ``},
		{kindDuplicateListItem, ``, apply, widget(`{"strings":["a","a"]}`), ``},
		{kindDuplicateListItem, ``, apply, widget(`{"numbers":[1,1.0]}`), ``},
		{kindInvalidListItem, ``, apply, widget(`{"ports":[null]}`), ``},
		{kindInvalidListItem, ``, apply, widget(`{"ports":["a"]}`), ``},
		{kindInvalidListItem, ``, apply, widget(`{"strings":[null]}`), ``},
		{kindInvalidListItem, ``, apply, widget(`{"strings":[{}]}`), ``},
		{kindInvalidListItem, ``, apply, widget(`{"strings":[[]]}`), ``},
		{kindWrongKind, ``, apply, widget(`{"count":"1"}`), ``},
		{kindWrongKind, ``, apply, widget(`{"name":1}`), ``},
		{kindWrongKind, ``, apply, widget(`{"strings":{}}`), ``},
		{kindWrongKind, ``, apply, widget(`[]`), ``},
		// The message has the value, whatever it says.
		{kindWrongKind, ``, apply, widget(`{"sub":"duplicate entries for key"}`), ``},
		{kindInvalidManagedFields, ``, apply, managed(`[]`), ``},
		{kindInvalidManagedFields, managed(`[{"operation":"Apply","apiVersion":"v1"}]`), apply, widget(`{}`), ``},
		{kindInvalidManagedFields, managed(`[{"operation":"Get","apiVersion":"v1","fieldsType":"FieldsV1"}]`), apply, widget(`{}`), ``},
		{kindInvalidManagedFields, managed(`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":"{"}]`),
			apply, widget(`{}`), ``},
		{kindInvalidManagedFields, managed(`[{"operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":"{\"xx\":{}}"}]`),
			apply, widget(`{}`), ``},
		{kindInvalidManagedFields, managed(`[{"operation":"Apply","apiVersion":"a/b/c","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]`),
			apply, widget(`{}`), ``},
		{kindInvalidManagedFields, ``, update,
			managed(`[{"operation":"Update","apiVersion":"a/b/c","fieldsType":"FieldsV1","fieldsV1":{}}]`), ``},
		{kindWrongAPIVersion, ``, apply, widget(`{}`), `"apiVersion":"example.com/v2",` + widgetVersions},
		{kindConversionFailed, `{"apiVersion":"example.com/v3","kind":"Widget"}`, apply, widget(`{}`), ``},
		// Neither is config a map in V2, nor does V2 have a spec.
		{kindConversionFailed, `{"apiVersion":"example.com/v1","kind":"Widget","config":1,"spec":{"count":1}}`, update,
			`{"apiVersion":"example.com/v2","kind":"Widget"}`, widgetVersions},
		{kindIndistinctNumbers, widget(`{"numbers":[9007199254740992,9007199254740993]}`), apply, widget(`{"numbers":[9007199254740992.0]}`), ``},
		{kindIndistinctNumbers, ``, apply, widget(`{"numbers":[9223372036854775806,1,9223372036854775807]}`), ``},
		{kindIndistinctNumbers, ``, update, widget(`{"numbers":[-9007199254740993,-9007199254740992]}`), ``},
		{kindIndistinctNumbers, ``, apply,
			widget(`{"ports":[{"port":9007199254740993,"protocol":"TCP"},{"port":9007199254740992}]}`), ``},
		{kindIndistinctNumbers, widget(`{"ports":[{"port":9007199254740993},{"port":9007199254740992}]}`), apply,
			widget(`{"anything":{"ports":[{"port":9007199254740992.0}]}}`), ``},
		{kindInvalidDocument, ``, apply, `{"spec":{}}`, ``},
		{kindInvalidDocument, ``, apply, `[]`, ``},
		{kindInvalidDocument, `[]`, update, widget(`{}`), ``},
		{kindInvalidSchema, ``, apply, widget(`{}`), `"versions":[{"apiVersion":"example.com/v1","root":"Nowhere"}]`},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			w := newWidgets(t)
			if tc.live != "" {
				w.live = json.RawMessage(tc.live)
			}
			w.options = tc.options
			if r := w.refuse(tc.kind, tc.operation, tc.document, `"manager":"m"`); r.Message == "" {
				t.Error("the refusal has no message")
			}
		})
	}
	t.Run("an item without any key", func(t *testing.T) {
		w := newWidgets(t)
		w.schema = strings.Replace(w.schema, `"default":"TCP"`, `"format":""`, 1)
		w.refuse(kindMissingListKeys, apply, widget(`{"ports":[{"name":"a"}]}`), `"manager":"m"`)
	})
	t.Run("several kinds", func(t *testing.T) {
		w := newWidgets(t)
		r := w.refuse(kindDuplicateListItem, apply, widget(`{"strings":["a","a"],"count":"x","numbers":[1,1]}`), `"manager":"m"`)
		if !slices.Equal(r.Kinds, []string{kindDuplicateListItem, kindWrongKind}) {
			t.Errorf("kinds %v", r.Kinds)
		}
	})
}

func TestIntegersThatFloatsTellApart(t *testing.T) {
	w := newWidgets(t)
	w.apply("a", widget(`{"numbers":[9007199254740992,9007199254740994,-9007199254740992]}`))
	w.apply("b", widget(`{"numbers":[9007199254740992.0],"ports":[{"port":9007199254740993}]}`))
	// Neither are these integers the identities of items, nor is an item with another protocol the same.
	w.apply("c", widget(`{"anything":[9007199254740992,9007199254740993]}`))
	w.apply("d", widget(`{"ports":[{"port":9007199254740993},{"port":9007199254740992,"protocol":"UDP"}]}`))
}

func TestRequestsOfFieldManagersWithoutSenseAreErrors(t *testing.T) {
	for _, tc := range []struct{ name, operation, document, options string }{
		{"no configuration", "server-side-apply", ``, ``},
		{"no new object", "managed-update", ``, ``},
		{"no live object", "upgrade-managed-fields", ``, ``},
		{"a version that is not declared", "server-side-apply", widget(`{}`), `"versions":[{"apiVersion":"example.com/v2"}]`},
		{"a version that is none", "server-side-apply", widget(`{}`), `"apiVersion":"a/b/c"`},
		{"a declared version that is none", "managed-update", widget(`{}`), `"versions":[{"apiVersion":"a/b/c"}]`},
		{"a version declared twice", "managed-update", widget(`{}`),
			`"versions":[{"apiVersion":"example.com/v1"},{"apiVersion":"example.com/v1"}]`},
		{"a rename to nothing", "managed-update", widget(`{}`),
			`"versions":[{"apiVersion":"example.com/v1","renames":[{"hub":["a"],"version":[]}]}]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if o := newWidgets(t).request(tc.operation, tc.document, tc.options); o.Broken == "" {
				t.Errorf("got %+v", o)
			}
		})
	}
}

// Errors of comparing and merging have no types left when they reach the adapter.
func TestKindsOfErrorsThatAreText(t *testing.T) {
	for _, tc := range []struct {
		message string
		kinds   []string
	}{
		{"failed to merge config: .spec.a: duplicate entries for key [=1]", []string{kindDuplicateListItem}},
		{"failed to compare objects: errors:\n  .spec.a: element 0: associative list with keys may not have a null element\n" +
			"  .spec.b: schema error: no type found matching: B", []string{kindInvalidListItem, kindInvalidSchema}},
		{"failed to panic", []string{kindUnclassified}},
	} {
		m := &fieldManagement{resource: &resource{}, types: &recordingTypeConverter{}}
		o := outcomeOf(m.classify(errors.New(tc.message), ""))
		if o.Refusal == nil || o.Refusal.Kind != tc.kinds[0] || o.Refusal.Message != tc.message {
			t.Fatalf("%s is %+v", tc.message, o.Refusal)
		}
		if len(tc.kinds) > 1 && !slices.Equal(o.Refusal.Kinds, tc.kinds) {
			t.Errorf("%s has the kinds %v", tc.message, o.Refusal.Kinds)
		}
	}
}
