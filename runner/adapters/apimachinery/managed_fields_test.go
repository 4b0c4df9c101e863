package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// widgetWith is a live widget with managed fields.
func widgetWith(entries, spec string) json.RawMessage {
	return json.RawMessage(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"managedFields":[` + entries +
		`]},"spec":` + spec + `}`)
}

// entry is an entry of managed fields. Its fields are JSON text, which goes into a string.
func entry(manager, operation, version, fields string) string {
	return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":"example.com/%s","fieldsType":"FieldsV1","fieldsV1":%q}`,
		manager, operation, version, fields)
}

func TestVersions(t *testing.T) {
	v2 := func(members string) string { return `{"apiVersion":"example.com/v2","kind":"Widget",` + members + `}` }
	t.Run("a rename is the same field", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions
		w.apply("a", widget(`{"count":1,"name":"x"}`))
		r := w.refuse(kindConflict, "server-side-apply", v2(`"config":{"size":2}`), `"manager":"b"`)
		if path := r.Conflicts[0].Path; path != ".spec.count" {
			t.Errorf("the path is %s, and the owner's is .spec.count", path)
		}
		w.forceApply("b", v2(`"config":{"size":2}`))
		w.expectObject(v2(`"config":{"size":2},"spec":{"name":"x"}`))
		w.expectOwners(`a Apply v1 {"f:spec":{"f:name":{}}}`, `b Apply v2 {"f:config":{"f:size":{}}}`)
	})
	t.Run("a map that a move empties is removed", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions
		w.apply("a", widget(`{"count":1}`))
		w.update("u", v2(`"config":{"size":1}`))
		w.expectObject(v2(`"config":{"size":1}`))
		w.update("u", widget(`{"count":2}`))
		w.expectOwners(`u Update v1 {"f:spec":{"f:count":{}}}`)
	})
	t.Run("an applier prunes in the version in which it applied", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions
		w.apply("a", widget(`{"count":1,"name":"x"}`))
		w.apply("a", v2(`"spec":{"name":"x"}`))
		w.expectObject(v2(`"spec":{"name":"x"}`))
		w.expectOwners(`a Apply v2 {"f:spec":{"f:name":{}}}`)
	})
	t.Run("an updater has an entry for each version", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions
		w.update("u", widget(`{"count":1}`))
		w.update("u", v2(`"config":{"size":1},"spec":{"name":"x"}`))
		w.expectOwners(`u Update v1 {"f:spec":{".":{},"f:count":{}}}`, `u Update v2 {"f:spec":{".":{},"f:name":{}}}`)
	})
	t.Run("an applier whose version no longer exists prunes nothing", func(t *testing.T) {
		w := newWidgets(t)
		w.live = widgetWith(entry("a", "Apply", "v0", `{"f:spec":{"f:count":{}}}`)+","+
			entry("u", "Update", "v0", `{"f:spec":{"f:name":{}}}`), `{"count":1,"name":"x"}`)
		w.apply("a", widget(`{"strings":["s"]}`))
		w.expectObject(widget(`{"count":1,"name":"x","strings":["s"]}`))
		w.expectOwners(`a Apply v1 {"f:spec":{"f:strings":{"v:\"s\"":{}}}}`)
	})
	t.Run("an apply that changes nothing returns the live object", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions
		w.apply("a", widget(`{"count":1}`))
		w.apply("b", v2(`"config":{"size":1}`))
		w.expectObject(widget(`{"count":1}`))
		w.expectOwners(`a Apply v1 {"f:spec":{"f:count":{}}}`, `b Apply v2 {"f:config":{"f:size":{}}}`)
	})
	t.Run("two versions of one type", func(t *testing.T) {
		w := newWidgets(t)
		w.options = `"versions":[{"apiVersion":"example.com/v1"},{"apiVersion":"other.example.com/v1"}]`
		w.apply("a", widget(`{"count":1}`))
		w.refuse(kindConflict, "server-side-apply",
			`{"apiVersion":"other.example.com/v1","kind":"Widget","spec":{"count":2}}`, `"manager":"b"`)
	})
	t.Run("the endpoint of another version", func(t *testing.T) {
		w := newWidgets(t)
		w.options = widgetVersions + `,"apiVersion":"example.com/v2"`
		w.update("u", widget(`{"count":1}`))
		w.expectOwners(`u Update v2 {"f:config":{".":{},"f:size":{}}}`)
		w.expectObject(widget(`{"count":1}`))
	})
}

func TestMovesOfFields(t *testing.T) {
	for _, tc := range []struct{ name, before, from, to, after string }{
		{"between maps", `{"a":{"b":1,"c":2},"d":{"e":3}}`, "a.b", "d.b", `{"a":{"c":2},"d":{"b":1,"e":3}}`},
		{"into new maps", `{"a":1}`, "a", "b.c.d", `{"b":{"c":{"d":1}}}`},
		{"out of maps that become empty", `{"a":{"b":{"c":1}}}`, "a.b.c", "d", `{"d":1}`},
		{"an empty map beside the path stays", `{"a":{"b":{"c":1},"x":{}}}`, "a.b.c", "d", `{"a":{"x":{}},"d":1}`},
		{"a value that is null", `{"a":null}`, "a", "b", `{"b":null}`},
		{"no value", `{"a":{}}`, "a.b", "c", `{"a":{}}`},
		{"no map", `{"a":1}`, "a.b", "c", `{"a":1}`},
		{"over a value", `{"a":1,"b":2}`, "a", "b", `{"b":1}`},
		{"through null", `{"a":1,"b":null}`, "a", "b.c", `{"b":{"c":1}}`},
		{"into itself", `{"a":1}`, "a", "a.b", `{"a":{"b":1}}`},
		{"through a list", `{"a":1,"b":[]}`, "a", "b.c", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var object map[string]any
			if err := json.Unmarshal([]byte(tc.before), &object); err != nil {
				t.Fatal(err)
			}
			err := moveField(object, strings.Split(tc.from, "."), strings.Split(tc.to, "."))
			after, _ := json.Marshal(object)
			if (err != nil) != (tc.after == "") || (err == nil && string(after) != tc.after) {
				t.Errorf("got %s, %v", after, err)
			}
		})
	}
}

func TestResetFieldsHaveNoOwner(t *testing.T) {
	w := newWidgets(t)
	w.options = `"versions":[{"apiVersion":"example.com/v1","resetFields":[["status"],["spec","sub","a"]]}]`
	object := `{"apiVersion":"example.com/v1","kind":"Widget","spec":{"sub":{"a":"1","b":"1"}},"status":{"ready":true}}`
	w.apply("a", object)
	w.expectOwners(`a Apply v1 {"f:spec":{"f:sub":{"f:b":{}}}}`)
	w.update("u", strings.Replace(object, "true", "false", 1))
	w.expectOwners(`a Apply v1 {"f:spec":{"f:sub":{"f:b":{}}}}`)
	w.options = `"subresource":"status"`
	w.update("u", object)
	w.expectOwners(`a Apply v1 {"f:spec":{"f:sub":{"f:b":{}}}}`, `u Update v1/status {"f:status":{"f:ready":{}}}`)
}

func TestAtMostTenUpdaters(t *testing.T) {
	w := newWidgets(t)
	var entries []string
	for i := range 10 {
		e := entry(fmt.Sprintf("u%d", i), "Update", "v1", fmt.Sprintf(`{"f:spec":{"f:labels":{"f:l%d":{}}}}`, i))
		entries = append(entries, strings.Replace(e, `{`, fmt.Sprintf(`{"time":"2020-01-01T00:00:%02dZ",`, 59-i), 1))
	}
	w.live = widgetWith(strings.Join(entries, ","), `{"labels":{}}`)
	w.update("new", widget(`{"count":1,"labels":{}}`))
	owners := w.owners()
	if len(owners) != 10 {
		t.Fatalf("%d entries: %v", len(owners), owners)
	}
	// The two oldest entries are those with the highest numbers.
	expected := `ancient-changes Update example.com/v1 {"f:spec":{"f:labels":{"f:l8":{},"f:l9":{}}}}`
	if owners[0] != expected {
		t.Errorf("the oldest entry is %s", owners[0])
	}
	if !strings.HasPrefix(owners[9], "new ") || !strings.HasPrefix(owners[8], "u0 ") {
		t.Errorf("the newest entries are %v", owners[8:])
	}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func annotated(t *testing.T, annotation, spec string) string {
	t.Helper()
	text, err := json.Marshal(annotation)
	if err != nil {
		t.Fatal(err)
	}
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"annotations":{"` + lastApplied + `":` + string(text) +
		`}},"spec":` + spec + `}`
}

func TestKubectlTakesOverWhatItAppliedLast(t *testing.T) {
	old := widget(`{"count":1,"name":"x"}`)
	object := annotated(t, old, `{"count":1,"name":"x"}`)
	for _, manager := range []string{"kubectl", "kubectl-other"} {
		w := newWidgets(t)
		w.update("kubectl-client-side-apply", object)
		if manager != "kubectl" {
			w.refuse(kindConflict, "server-side-apply", widget(`{"count":2}`), `"manager":"kubectl-other"`)
			continue
		}
		w.apply("kubectl", widget(`{"count":2}`))
		w.expectObject(annotated(t, widget(`{"count":2}`)+"\n", `{"count":2,"name":"x"}`))
		w.expectOwners(`kubectl Apply v1 {"f:spec":{"f:count":{}}}`,
			`kubectl-client-side-apply Update v1 {"f:metadata":{"f:annotations":{".":{},"f:`+lastApplied+
				`":{}}},"f:spec":{".":{},"f:name":{}}}`)
	}
	t.Run("what somebody else changed since then still conflicts", func(t *testing.T) {
		w := newWidgets(t)
		w.update("kubectl-client-side-apply", object)
		w.update("u", annotated(t, old, `{"count":5,"name":"x"}`))
		r := w.refuse(kindConflict, "server-side-apply", widget(`{"count":2,"name":"y"}`), `"manager":"kubectl"`)
		if len(r.Conflicts) != 1 || r.Conflicts[0].Path != ".spec.count" {
			t.Errorf("conflicts %+v", r.Conflicts)
		}
	})
}

func TestManagedFieldsInUpdates(t *testing.T) {
	a := entry("a", "Apply", "v1", `{"f:spec":{"f:count":{}}}`)
	b := entry("b", "Apply", "v1", `{"f:spec":{"f:name":{}}}`)
	live := widgetWith(a, `{"count":1,"name":"x"}`)
	ownerOfA, ownerOfB := `a Apply v1 {"f:spec":{"f:count":{}}}`, `b Apply v1 {"f:spec":{"f:name":{}}}`
	with := func(managedFields string) string {
		return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"managedFields":` + managedFields +
			`},"spec":{"count":1,"name":"x"}}`
	}
	for _, tc := range []struct {
		name, managedFields, options string
		owners                       []string
	}{
		{"an empty list resets", `[]`, ``, nil},
		{"a list with an empty entry resets", `[{}]`, ``, nil},
		{"entries are adopted", `[` + b + `]`, ``, []string{ownerOfB}},
		{"null keeps the entries", `null`, ``, []string{ownerOfA}},
		{"what is no list keeps the entries", `"x"`, ``, []string{ownerOfA}},
		{"invalid entries keep the entries", `[{"operation":"Get"}]`, ``, []string{ownerOfA}},
		{"unreadable entries keep the entries", `[1]`, ``, []string{ownerOfA}},
		{"an unreadable time keeps the entries", `[` + strings.Replace(b, `{`, `{"time":"x",`, 1) + `]`, ``, []string{ownerOfA}},
		{"unreadable fields keep the entries", `[` + entry("b", "Apply", "v1", `{"xx":{}}`) + `]`, ``, []string{ownerOfA}},
		{"subresources reset nothing", `[]`, `"subresource":"status"`, []string{ownerOfA}},
		{"subresources adopt nothing", `[` + b + `]`, `"subresource":"status"`, []string{ownerOfA}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWidgets(t)
			w.live, w.options = live, tc.options
			w.update("u", with(tc.managedFields))
			if tc.owners == nil && strings.Contains(string(w.live), "managedFields") {
				t.Errorf("the managed fields are still there: %s", w.live)
			}
			w.expectOwners(tc.owners...)
		})
	}
	t.Run("an object with a uid and without managed fields is not tracked", func(t *testing.T) {
		for uid, owners := range map[string][]string{`"uid":"u1"`: nil, ``: {`u Update v1 {"f:spec":{"f:count":{}}}`}} {
			w := newWidgets(t)
			w.live = json.RawMessage(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{` + uid + `},"spec":{"count":1}}`)
			w.update("u", strings.Replace(string(w.live), `"count":1`, `"count":2`, 1))
			w.expectOwners(owners...)
		}
	})
}

func TestFieldsV1IsReadInBothForms(t *testing.T) {
	fields := `{"f:spec":{"f:strings":{"v:\"b\"":{},"v:\"a\"":{}},"z:future":{},"f:count":{}}}`
	for _, form := range []string{
		strings.Replace(entry("a", "Apply", "v1", ""), `""`, fields, 1),
		entry("a", "Apply", "v1", fields),
	} {
		w := newWidgets(t)
		w.live = widgetWith(form, `{"count":1,"strings":["a","b"]}`)
		w.apply("b", widget(`{"name":"x"}`))
		// Unknown elements are gone, and the others are in their order.
		w.expectOwners(`a Apply v1 {"f:spec":{"f:count":{},"f:strings":{"v:\"a\"":{},"v:\"b\"":{}}}}`,
			`b Apply v1 {"f:spec":{"f:name":{}}}`)
	}
	t.Run("null is no fields", func(t *testing.T) {
		for _, null := range []string{`null`, `"null"`} {
			w := newWidgets(t)
			w.live = widgetWith(strings.Replace(entry("a", "Apply", "v1", ""), `""`, null, 1), `{"count":1}`)
			w.apply("b", widget(`{"name":"x"}`))
			w.expectOwners(`b Apply v1 {"f:spec":{"f:name":{}}}`)
		}
	})
}

func TestWithoutASchemaTheTopologyIsDeduced(t *testing.T) {
	w := newWidgets(t)
	w.schema = ""
	w.apply("a", widget(`{"map":{"a":1},"list":[{"name":"a"}]}`))
	w.expectOwners(`a Apply v1 {"f:spec":{".":{},"f:list":{},"f:map":{".":{},"f:a":{}}}}`)
	w.apply("b", widget(`{"map":{"b":1}}`))
	w.refuse(kindConflict, "server-side-apply", widget(`{"list":[]}`), `"manager":"b"`)
}

func TestUpgradeOfManagedFields(t *testing.T) {
	csa, ssa := "kubectl-client-side-apply", "kubectl"
	upgrade := fmt.Sprintf(`"csaManagers":[%q],"manager":%q`, csa, ssa)
	old := entry(csa, "Update", "v1", `{"f:spec":{"f:count":{}}}`)
	for _, tc := range []struct {
		name, entries, options string
		owners                 []string
	}{
		{"the manager is renamed", old, upgrade, []string{`kubectl Apply v1 {"f:spec":{"f:count":{}}}`}},
		{"both are united", old + "," + entry(ssa, "Apply", "v1", `{"f:spec":{"f:name":{}}}`), upgrade,
			[]string{`kubectl Apply v1 {"f:spec":{"f:count":{},"f:name":{}}}`}},
		{"those of another version are dropped", old + "," + entry(ssa, "Apply", "v2", `{"f:spec":{"f:name":{}}}`), upgrade,
			[]string{`kubectl Apply v2 {"f:spec":{"f:name":{}}}`}},
		{"nothing to do", entry("u", "Update", "v1", `{"f:spec":{}}`), upgrade, []string{`u Update v1 {"f:spec":{}}`}},
		{"another subresource", old, upgrade + `,"subresource":"status"`,
			[]string{csa + ` Update v1 {"f:spec":{"f:count":{}}}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWidgets(t)
			w.live = widgetWith(tc.entries, `{"count":1}`)
			w.succeed("upgrade-managed-fields", "", tc.options)
			w.expectOwners(tc.owners...)
			w.expectObject(widget(`{"count":1}`))
		})
	}
	t.Run("fields that cannot be read", func(t *testing.T) {
		for _, fields := range []string{`{`, `null`} {
			w := newWidgets(t)
			w.live = widgetWith(entry(csa, "Update", "v1", fields), `{}`)
			w.refuse(kindInvalidManagedFields, "upgrade-managed-fields", "", upgrade)
		}
	})
}

func TestTypesAreBuiltOncePerSchemaAndVersions(t *testing.T) {
	w := newWidgets(t)
	w.schema = strings.Replace(w.schema, `{"root"`, `{"id":"s","root"`, 1)
	w.apply("a", widget(`{"count":1}`))
	w.schema = `{"id":"s"}`
	w.apply("b", widget(`{"count":1}`))
	types := w.schemas.byID["s"].typeConverters
	if len(types) != 1 {
		t.Errorf("%d resources after two requests for one", len(types))
	}
	w.options = widgetVersions
	w.apply("c", widget(`{"count":1}`))
	if len(types) != 2 {
		t.Errorf("%d resources after requests for two", len(types))
	}
	for i := range 3 * maxTypeConverters {
		w.live = nil
		w.apply("a", strings.Replace(widget(`{}`), "Widget", fmt.Sprint("Widget", i), 1))
	}
	if len(types) > maxTypeConverters {
		t.Errorf("%d resources are kept", len(types))
	}
}

// The request says which types the resource has, whatever the document says.
func TestVersionsOfTheDocumentDoNotCount(t *testing.T) {
	mark := `"Port":{"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Widget"}],`
	for range 30 {
		w := newWidgets(t)
		w.schema = strings.Replace(w.schema, `"Port":{`, mark, 1)
		w.apply("a", widget(`{"count":1}`))
	}
}

func TestCopiesOfObjectsKeepTheirManagedFields(t *testing.T) {
	fields := `{"f:b":{},"f:a":{}}`
	object, err := decodeManagedObject(widgetWith(entry("a", "Apply", "v1", fields), `{}`))
	if err != nil {
		t.Fatal(err)
	}
	copied := object.DeepCopyObject().(*managedObject)
	object.managedFields[0].FieldsV1.SetRawString("{}")
	object.SetName("other")
	if entries := copied.GetManagedFields(); len(entries) != 1 || entries[0].FieldsV1.GetRawString() != fields {
		t.Errorf("the entries of the copy are %v", entries)
	}
	if copied.GetName() != "" {
		t.Error("the copy shares its content")
	}
}

// The library adds back the fields of other owners version by version, in the order of a map. An item that an applier
// still applies, under another version, is there again before or after the field of the other owner.
func TestPruningDependsOnTheOrderOfVersions(t *testing.T) {
	item := `"f:spec":{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":`
	results := map[bool]int{}
	for range 200 {
		w := newWidgets(t)
		w.options = `"versions":[{"apiVersion":"example.com/v1"},{"apiVersion":"example.com/v2"},{"apiVersion":"example.com/v3"}]`
		w.live = widgetWith(
			entry("a", "Apply", "v3", `{`+item+`{".":{},"f:name":{},"f:port":{}}}}}`)+","+
				entry("u", "Update", "v1", `{`+item+`{"f:name":{}}}}}`),
			`{"ports":[{"name":"x","port":1}]}`)
		w.apply("a", `{"apiVersion":"example.com/v2","kind":"Widget","spec":{"ports":[{"port":1}]}}`)
		results[strings.Contains(string(w.live), `"name":"x"`)]++
	}
	if len(results) < 2 {
		t.Errorf("the library does not depend on the order any more: %v", results)
	}
}
