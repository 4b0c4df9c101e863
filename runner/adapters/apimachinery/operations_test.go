package main

import (
	"strings"
	"testing"
)

func TestOperationsOnStrategicMergePatches(t *testing.T) {
	for _, tc := range []struct{ name, operation, documents, options, expected string }{
		{"apply", "apply", `{"live":{"items":[{"name":"a","value":"1"}]},"patch":{"items":[{"name":"a","value":"2"}]}}`, ``,
			`{"items":[{"name":"a","value":"2"}]}`},
		{"apply without live", "apply", `{"patch":{"count":1}}`, ``, `{"count":1}`},
		{"apply to null", "apply", `{"live":null,"patch":{"count":1}}`, ``, `{"count":1}`},
		{"apply null", "apply", `{"live":{"count":1},"patch":null}`, ``, `{"count":1}`},
		{"apply null to null", "apply", `{"live":null,"patch":null}`, ``, `{}`},
		// The library works in the room that decoding leaves behind a list, and orders the result by what is left.
		{"apply where a list has room", "apply", `{"live":{"scalars":["a","c","a"]},"patch":{"scalars":["b"]}}`, ``,
			`{"scalars":["a","c","b"]}`},
		{"apply where a list has no room", "apply", `{"live":{"scalars":["a","a"]},"patch":{"scalars":["b"]}}`, ``,
			`{"scalars":["b","a"]}`},
		{"two-way", "two-way", `{"original":{"scalars":["a","b"]},"modified":{"scalars":["b"]}}`, ``,
			`{"$deleteFromPrimitiveList/scalars":["a"],"$setElementOrder/scalars":["b"]}`},
		{"two-way with retained keys", "two-way", `{"original":{"retained":{"a":"1"}},"modified":{"retained":{"b":"1"}}}`, ``,
			`{"retained":{"$retainKeys":["b"],"a":null,"b":"1"}}`},
		{"two-way from null", "two-way", `{"original":null,"modified":{"count":1}}`, ``, `{"count":1}`},
		{"three-way", "three-way", `{"lastApplied":{"labels":{"a":"1","b":"1"}},"modified":{"labels":{"a":"2"}},
			"live":{"labels":{"a":"1","b":"1","c":"1"}}}`, ``, `{"labels":{"a":"2","b":null}}`},
		{"three-way over a conflict", "three-way", `{"lastApplied":{"count":1},"modified":{"count":2},"live":{"count":3}}`,
			`,"options":{"overwrite":true}`, `{"count":2}`},
		{"conflicts", "conflicts", `{"patches":[{"count":1},{"count":2}]}`, ``, `true`},
		{"no conflicts", "conflicts", `{"patches":[{"count":1},{"labels":{"a":"1"}}]}`, ``, `false`},
		{"merge", "merge", `{"patches":[{"count":null,"labels":{"a":"1"}},{"labels":{"a":null}}]}`, ``,
			`{"count":null,"labels":{"a":null}}`},
		{"merge nothing", "merge", `{"patches":[]}`, ``, `{}`},
		{"precondition that holds", "two-way", `{"original":{},"modified":{"count":1}}`,
			`,"options":{"preconditions":[{"keyUnchanged":"kind"},{"metadataKeyUnchanged":"name"}]}`, `{"count":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			expectResult(t, askPod(t, tc.operation, tc.documents, tc.options), tc.expected)
		})
	}
}

func TestOperationsOnJSONPatches(t *testing.T) {
	for _, tc := range []struct{ name, operation, documents, expected string }{
		{"json-merge-apply", "json-merge-apply", `{"live":{"a":1,"b":1},"patch":{"b":null,"c":[1]}}`, `{"a":1,"c":[1]}`},
		{"json-merge-apply without live", "json-merge-apply", `{"patch":{"b":1}}`, `{"b":1}`},
		{"json-merge-two-way", "json-merge-two-way", `{"original":{"a":1},"modified":{"b":1}}`, `{"a":null,"b":1}`},
		{"json-merge-three-way", "json-merge-three-way",
			`{"lastApplied":{"a":1},"modified":{"b":1},"live":{"a":1,"c":1}}`, `{"a":null,"b":1}`},
		{"json-patch-apply", "json-patch-apply",
			`{"live":{"a":[1]},"patch":[{"op":"add","path":"/a/-","value":2},{"op":"test","path":"/a/0","value":1}]}`,
			`{"a":[1,2]}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			expectResult(t, ask(t, tc.operation, `"documents":`+tc.documents), tc.expected)
		})
	}
}

// Every error of mergepatch and strategicpatch that a document can bring about has its kind.
func TestErrorsHaveTheirKind(t *testing.T) {
	overwrite := `,"options":{"overwrite":true}`
	for _, tc := range []struct{ kind, operation, documents, options string }{
		{kindInvalidDocument, "apply", `{"live":[],"patch":{}}`, ``},
		{kindInvalidDocument, "apply", `{"live":{},"patch":"x"}`, ``},
		{kindInvalidDocument, "two-way", `{"original":1,"modified":{}}`, ``},
		{kindInvalidDocument, "three-way", `{"lastApplied":{},"modified":{},"live":[]}`, ``},
		{kindUnknownField, "apply", `{"live":{"new":{}},"patch":{"new":{}}}`, ``},
		{kindUnknownField, "apply", `{"live":{"new":[1]},"patch":{"new":[2]}}`, ``},
		{kindUnknownField, "apply", `{"live":{"labels":{"a":{}}},"patch":{"labels":{"a":{}}}}`, ``},
		{kindUnknownField, "two-way", `{"original":{"new":[1]},"modified":{"new":[2]}}`, ``},
		{kindUnknownField, "three-way", `{"lastApplied":{"scalars":["a","b"]},"modified":{"scalars":["a"]},
			"live":{"scalars":["a"]}}`, ``},
		{kindWrongKind, "apply", `{"live":{"scalars":["a"]},"patch":{"$setElementOrder/scalars":"a"}}`, ``},
		{kindWrongKind, "apply", `{"live":{"scalars":"a"},"patch":{"$setElementOrder/scalars":["a"]}}`, ``},
		{kindWrongKind, "apply", `{"live":{"items":[{"name":"a"}]},"patch":{"$setElementOrder/items":["a"]}}`, ``},
		{kindWrongKind, "apply", `{"live":{"items":[{"name":"a"}]},
			"patch":{"$setElementOrder/items":["a"],"items":[{"name":"a"}]}}`, ``},
		{kindListOfLists, "apply", `{"live":{"scalars":[["a"]]},"patch":{"scalars":[["b"]]}}`, ``},
		{kindListOfLists, "two-way", `{"original":{"scalars":[["a"]]},"modified":{"scalars":[["b"]]}}`, ``},
		{kindMixedList, "apply", `{"live":{"scalars":["a"]},"patch":{"scalars":[{"a":"b"}]}}`, ``},
		{kindMixedList, "apply", `{"live":{"scalars":["a"]},"patch":{"$deleteFromPrimitiveList/scalars":[{"a":1}]}}`, ``},
		{kindEmptyList, "apply", `{"live":{"scalars":[]},"patch":{"$setElementOrder/scalars":["a"]}}`, ``},
		{kindEmptyList, "conflicts", `{"patches":[{"scalars":[]},{"scalars":[]}]}`, ``},
		{kindMissingMergeKey, "apply", `{"live":{"items":[{"name":"a"}]},"patch":{"items":[{"value":"a"}]}}`, ``},
		{kindMissingMergeKey, "apply", `{"live":{"items":[{"name":"a"}]},"patch":{"items":[{"$patch":"delete"}]}}`, ``},
		{kindMissingMergeKey, "two-way", `{"original":{"items":[{"name":"a"}]},"modified":{"items":[{"value":"a"}]}}`, ``},
		{kindMissingMergeKey, "conflicts", `{"patches":[{"items":[{"value":"a"}]},{"items":[{"value":"a"}]}]}`, ``},
		{kindUndeclaredMergeKey, "apply", `{"live":{"keyless":[{"name":"a"}]},"patch":{"keyless":[{"name":"a"}]}}`, ``},
		{kindInvalidDirective + " of " + directivePatch, "apply", `{"live":{"meta":{}},"patch":{"meta":{"$patch":"merge"}}}`, ``},
		{kindInvalidDirective + " of " + directivePatch, "apply", `{"live":{"items":[{"name":"a"}]},
			"patch":{"items":[{"name":"a","$patch":"move"}]}}`, ``},
		{kindInvalidDirective + " of " + directivePatch, "two-way", `{"original":{"$patch":1},"modified":{"$patch":"delete"}}`, ``},
		{kindInvalidDirective + " of " + directivePatch, "apply", `{"live":{"items":[{"name":"a"}]},
			"patch":{"items":[{"name":"a","$patch":"merge"}]}}`, ``},
		{kindInvalidDirective + " of " + directiveRetainKeys, "apply", `{"patch":{"$retainKeys":"a"}}`, ``},
		{kindInvalidDirective + " of " + directiveRetainKeys, "apply", `{"patch":{"$retainKeys":["a"],"count":1}}`, ``},
		{kindInvalidDirective + " of " + directiveRetainKeys, "merge", `{"patches":[{"retained":{"$retainKeys":["a"]}},
			{"retained":{"$retainKeys":["b"]}}]}`, ``},
		{kindInvalidDirective + " of " + directiveSetElementOrder, "apply", `{"live":{},"patch":{"$setElementOrder":["a"]}}`, ``},
		{kindInvalidDirective + " of " + directiveSetElementOrder, "merge", `{"patches":[{"$setElementOrder/scalars":["a"]},
			{"$setElementOrder/scalars":["b"]}]}`, ``},
		{kindInvalidDirective + " of " + directiveSetElementOrder, "apply", `{"live":{"scalars":["a"]},
			"patch":{"$setElementOrder/scalars":["a"],"scalars":["b"]}}`, ``},
		{kindInvalidDirective + " of " + directiveDeleteFromPrimitiveList, "apply", `{"live":{},"patch":{"$deleteFromPrimitiveList":["a"]}}`, ``},
		{kindBadStrategy, "apply", `{"live":{"contrary":{}},"patch":{"contrary":{}}}`, ``},
		{kindInvalidSchema, "apply", `{"live":{"dangling":{}},"patch":{"dangling":{}}}`, ``},
		{kindConflict, "three-way", `{"lastApplied":{"count":1},"modified":{"count":2},"live":{"count":3}}`, ``},
		{kindPreconditionFailed, "two-way", `{"original":{"count":1},"modified":{}}`,
			`,"options":{"preconditions":[{"keyUnchanged":"count"}]}`},
		{kindPreconditionFailed, "three-way", `{"modified":{"metadata":{"name":"b"}},"live":{"metadata":{"name":"a"}}}`,
			`,"options":{"overwrite":true,"preconditions":[{"metadataKeyUnchanged":"name"}]}`},
		{kindPreconditionFailed, "json-merge-three-way", `{"modified":{"count":1},"live":{}}`,
			`,"options":{"preconditions":[{"keyUnchanged":"count"}]}`},
		{kindInvalidDocument, "json-merge-apply", `{"live":{},"patch":1}`, ``},
		{kindWrongKind, "json-merge-two-way", `{"original":{},"modified":[]}`, ``},
		{kindInvalidDocument, "json-merge-two-way", `{"original":1,"modified":2}`, ``},
		{kindJSONPatchFailed, "json-patch-apply", `{"live":{},"patch":{}}`, ``},
		{kindJSONPatchFailed, "json-patch-apply", `{"live":{},"patch":[{"op":"test","path":"/a","value":1}]}`, ``},
		{kindJSONPatchFailed, "json-patch-apply", `{"live":{},"patch":[{"op":"remove","path":"/a"}]}`, ``},
		{kindJSONPatchFailed, "json-patch-apply", `{"live":{},"patch":[{"op":"dance","path":"/a"}]}`, ``},
		{kindJSONPatchFailed, "json-patch-apply", `{"live":{"a":"0123456789"},"patch":[` +
			strings.Repeat(`{"op":"copy","from":"","path":"/a"},`, 40) + `{"op":"remove","path":"/a"}]}`, ``},
		// Upstream panics.
		{kindPanic, "apply", `{"live":{"scalars":[null]},"patch":{"scalars":["a"]}}`, ``},
		{kindPanic, "three-way", `{"lastApplied":{"items":[null]},"modified":{"items":[{"name":"a"}]},
			"live":{"items":[null]}}`, overwrite},
		{kindPanic, "apply", `{"live":{"items":[{"name":{"a":"b"}}]},"patch":{"items":[{"name":{"a":"b"}}]}}`, ``},
		{kindPanic, "apply", `{"live":{},"patch":{"$retainKeys":[{}]}}`, ``},
	} {
		t.Run(tc.kind+" "+tc.operation, func(t *testing.T) {
			a := askPod(t, tc.operation, tc.documents, tc.options)
			kind := a.Error.Kind
			if a.Error.Directive != "" {
				kind += " of " + a.Error.Directive
			}
			if a.Kind != "refused" || kind != tc.kind {
				t.Errorf("%s %s: expected %s, but got %+v", tc.operation, tc.documents, tc.kind, a)
			}
			if a.Error.Message == "" {
				t.Error("the refusal has no message")
			}
		})
	}
}

func TestWhatTheLibraryCannotDoIsUnsupported(t *testing.T) {
	for _, tc := range []struct{ name, operation, more, reason string }{
		{"a shipped directive left out", "apply", `,"profile":{"without":["$retainKeys"]}`, "$retainKeys"},
		{"another one left out", "apply", `,"profile":{"without":["$deleteFromPrimitiveList"]}`, "$deleteFromPrimitiveList"},
		{"a directive that never shipped", "apply", `,"profile":{"with":["$patchMergeKey"]}`, "$patchMergeKey"},
		{"an operation", "dance", ``, "dance"},
		{"preconditions of apply", "apply", `,"options":{"preconditions":[{"keyUnchanged":"a"}]}`, "preconditions"},
		{"a lookup", "apply", `,"options":{"lookup":"guess"}`, "guess"},
		{"a patch created for a custom resource", "two-way", `,"options":{"lookup":"unstructured"}`, "without a Go type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := askPod(t, tc.operation, `{"patch":{}}`, tc.more)
			if a.Kind != "unsupported" || !strings.Contains(a.Reason, tc.reason) {
				t.Errorf("got %+v", a)
			}
		})
	}
	t.Run("what is not known anyway can be left out", func(t *testing.T) {
		a := askPod(t, "apply", `{"patch":{}}`, `,"profile":{"without":["$patchMergeKey"],"with":["$patch"]}`)
		expectResult(t, a, `{}`)
	})
	t.Run("JSON merge patch has no directives to leave out", func(t *testing.T) {
		a := ask(t, "json-merge-apply", `"documents":{"patch":{}},"profile":{"without":["$patch"]}`)
		expectResult(t, a, `{}`)
	})
}

func TestRequestsWithoutSenseAreErrors(t *testing.T) {
	for _, tc := range []struct{ name, operation, rest string }{
		{"no schema", "apply", `"documents":{"patch":{}}`},
		{"no patch", "apply", `"schema":{"root":"Pod","openapi":` + podSchema + `},"documents":{"live":{}}`},
		{"no documents", "json-merge-apply", ``},
		{"no modified", "three-way", `"schema":{"root":"Pod","openapi":` + podSchema + `}`},
		{"one patch to conflict", "conflicts", `"schema":{"root":"Pod","openapi":` + podSchema + `},"documents":{"patches":[{}]}`},
		{"no patches", "merge", `"schema":{"root":"Pod","openapi":` + podSchema + `}`},
		{"no union", "validate-union", `"documents":{"new":{}}`},
		{"an unknown union", "validate-union", `"documents":{"new":{}},"union":{"kind":"some","members":[]}`},
		{"no union to normalize", "normalize-union", `"documents":{"new":{}}`},
		{"an unknown union to normalize", "normalize-union", `"documents":{"new":{}},"union":{"kind":"some","members":[]}`},
		{"no discriminator to normalize", "normalize-union", `"documents":{"new":{}},"union":{"kind":"discriminated","members":[]}`},
		{"no discriminator of modes", "validate-union", `"documents":{"new":{}},"union":{"kind":"modal","members":[]}`},
		{"an unknown rule", "validate-union", `"documents":{"new":{}},"union":{"kind":"modal","discriminator":"d","members":[{"field":"a","modes":[{"value":"A","rule":"some"}]}]}`},
		{"no discriminator", "validate-union", `"documents":{"new":{}},"union":{"kind":"discriminated","members":[]}`},
		{"an empty precondition", "json-merge-three-way", `"documents":{"modified":{}},"options":{"preconditions":[{}]}`},
		{"an unknown schema", "apply", `"schema":{"id":"x"},"documents":{"patch":{}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if a := ask(t, tc.operation, tc.rest); a.Kind != "error" || a.Message == "" {
				t.Errorf("got %+v", a)
			}
		})
	}
}

func TestBrokenSchemasAreRefused(t *testing.T) {
	for _, tc := range []struct{ name, schema string }{
		{"no document", `{"root":"Pod","openapi":[]}`},
		{"no such root", `{"root":"Nowhere","openapi":` + podSchema + `}`},
		{"no root", `{"openapi":` + podSchema + `}`},
		{"a component that is null", `{"root":"A","openapi":{"components":{"schemas":{"A":null}}}}`},
		{"a reference to itself", `{"root":"Loop","openapi":` + podSchema + `}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := ask(t, "apply", `"schema":`+tc.schema+`,"documents":{"patch":{}}`)
			if a.Kind != "refused" || a.Error.Kind != kindInvalidSchema {
				t.Errorf("got %+v", a)
			}
		})
	}
}

func TestSchemasAreSentOnce(t *testing.T) {
	replies := converse(t, startLine,
		// The operation is not known, yet the schema is kept.
		compact(t, `{"kind":"run","seq":0,"operation":"dance","schema":{"id":"s","root":"Pod","openapi":`+podSchema+`}}`),
		`{"kind":"run","seq":1,"operation":"apply","schema":{"id":"s"},"documents":{"live":{"meta":{"a":"1"}},"patch":{"meta":{"b":"2"}}}}`,
		`{"kind":"run","seq":2,"operation":"apply","schema":{"id":"s","root":"Meta"},"documents":{"live":{"meta":{"a":"1"}},"patch":{"meta":{"b":"2"}}}}`,
		`{"kind":"run","seq":3,"operation":"apply","schema":{"id":"s","root":"Alias"},"documents":{"patch":{"a":"2"}}}`,
		`{"kind":"run","seq":4,"operation":"apply","schema":{"id":"s","root":"Meta","openapi":{"components":{"schemas":{"Meta":{}}}}},"documents":{"patch":{}}}`,
		`{"kind":"run","seq":5,"operation":"apply","schema":{"id":"s","root":"Pod"},"documents":{"patch":{}}}`,
	)
	expected := []string{
		`"kind":"unsupported"`,
		`{"meta":{"a":"1","b":"2"}}`,
		`"kind":"unknown-field"`,
		`{"a":"2"}`,
		`"result":{}`,
		`"kind":"invalid-schema"`,
	}
	for i, part := range expected {
		if !strings.Contains(replies[i+1], part) {
			t.Errorf("reply %d is %s, without %s", i, replies[i+1], part)
		}
	}
}

// Whatever the patch says: an API server gives the library no type to look into.
func TestCustomResourcesHaveNoStrategicMergePatch(t *testing.T) {
	for _, patch := range []string{`{}`, `{"a":1}`, `{"$patch":"replace"}`} {
		a := askPod(t, "apply", `{"live":{},"patch":`+patch+`}`, `,"options":{"lookup":"unstructured"}`)
		if a.Error.Kind != kindUnsupportedPatchFormat {
			t.Errorf("%s: got %+v", patch, a)
		}
	}
}

// The library sees the same types as in an API server: where the two lookups differ, so do the results.
func TestLookupThroughGoTypes(t *testing.T) {
	asStruct := `,"options":{"lookup":"struct"}`
	for _, tc := range []struct{ name, documents, openapi, goTypes string }{
		{"a known list merges in both", `{"live":{"items":[{"name":"a"}]},"patch":{"items":[{"name":"a","value":"1"}]}}`,
			`{"items":[{"name":"a","value":"1"}]}`, `{"items":[{"name":"a","value":"1"}]}`},
		{"a list where the type has a map", `{"live":{"meta":[1]},"patch":{"meta":[2]}}`, `{"meta":[2]}`, kindSchemaMismatch},
		{"a list where the type has a pointer", `{"live":{"pointed":[1]},"patch":{"pointed":[2]}}`, `{"pointed":[2]}`, `{"pointed":[2]}`},
		{"a map where the type has a pointer", `{"live":{"pointed":{"a":{}}},"patch":{"pointed":{"a":1}}}`,
			`{"pointed":{"a":1}}`, `{"pointed":{"a":1}}`},
		{"a list where the type has bytes", `{"live":{"bytes":[1]},"patch":{"bytes":[2]}}`, `{"bytes":[2]}`, `{"bytes":[2]}`},
		{"a list of lists that is replaced", `{"live":{"matrix":[["a"]]},"patch":{"matrix":[["b"]]}}`,
			`{"matrix":[["b"]]}`, kindListOfLists},
		{"a field in another case", `{"live":{"META":{"a":"1"}},"patch":{"META":{"b":"1"}}}`,
			kindUnknownField, `{"META":{"a":"1","b":"1"}}`},
		{"maps in maps of scalars", `{"live":{"labels":{"a":{}}},"patch":{"labels":{"a":{}}}}`, kindUnknownField, kindUnknownField},
		{"a named list", `{"live":{"named":[{"name":"a","args":["x"]}]},"patch":{"named":[{"name":"a","args":["y"]}]}}`,
			kindUnknownField, `{"named":[{"name":"a","args":["y","x"]}]}`},
		{"a map where the schema has a list", `{"live":{"scalars":{"a":{}}},"patch":{"scalars":{"a":{}}}}`,
			kindUnknownField, kindUnknownField},
		{"an unknown field", `{"live":{"new":{}},"patch":{"new":{}}}`, kindUnknownField, kindUnknownField},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, side := range []struct{ options, expected string }{{``, tc.openapi}, {asStruct, tc.goTypes}} {
				documents := `"schema":{"root":"Sound","openapi":` + soundSchema(t) + `},"documents":` + tc.documents
				a := ask(t, "apply", documents+side.options)
				if strings.HasPrefix(side.expected, "{") {
					expectResult(t, a, side.expected)
				} else if a.Error.Kind != side.expected {
					t.Errorf("options %q: expected %s, but got %+v", side.options, side.expected, a)
				}
			}
		})
	}
	t.Run("a type that contains itself", func(t *testing.T) {
		a := ask(t, "apply", `"schema":{"root":"Tree","openapi":`+podSchema+`},"documents":{"patch":{}}`+asStruct)
		if a.Kind != "unsupported" {
			t.Errorf("got %+v", a)
		}
	})
}

// soundSchema is podSchema with a root that has no dangling reference.
func soundSchema(t *testing.T) string {
	t.Helper()
	sound := strings.Replace(compact(t, podSchema), `,"dangling":{"$ref":"#/components/schemas/Nowhere"}`, "", 1)
	return strings.Replace(sound, `"Pod":{`, `"Sound":{`, 1)
}

func TestNumbersKeepTheirKind(t *testing.T) {
	for _, number := range []string{
		"0", "1", "1.0", "-1.0", "1.5", "9007199254740993", "9223372036854775807", "-9223372036854775808",
		"100000000000000000000.0", "1e+21", "1e-7", "0.000001", "-0.0",
	} {
		a := askPod(t, "apply", `{"live":{"count":`+number+`},"patch":{}}`, ``)
		if expected := `{"count":` + number + `}`; string(a.Result) != expected {
			t.Errorf("%s came back as %s", expected, a.Result)
		}
	}
	for _, number := range []string{"1e400", "-1e400"} {
		if a := askPod(t, "apply", `{"live":{"count":`+number+`},"patch":{}}`, ``); a.Error.Kind != kindInvalidDocument {
			t.Errorf("%s: got %+v", number, a)
		}
	}
}

// The README says which operations of the library change numbers.
func TestNumbersOfJSONMergePatch(t *testing.T) {
	for _, tc := range []struct{ operation, documents, expected string }{
		{"json-merge-apply", `{"live":{"a":9007199254740993},"patch":{"b":1.0}}`, `{"a":9007199254740993,"b":1.0}`},
		{"json-patch-apply", `{"live":{"a":1.0},"patch":[{"op":"copy","from":"/a","path":"/b"}]}`, `{"a":1.0,"b":1.0}`},
		{"json-merge-two-way", `{"modified":{"a":9007199254740993,"b":1.0}}`, `{"a":9007199254740992,"b":1}`},
		{"json-merge-two-way", `{"original":{"a":9007199254740993,"b":1},"modified":{"a":9007199254740992,"b":1.0}}`, `{}`},
		{"json-merge-three-way", `{"modified":{"a":9007199254740993,"b":1.0}}`, `{"a":9007199254740992,"b":1}`},
	} {
		if a := ask(t, tc.operation, `"documents":`+tc.documents); string(a.Result) != tc.expected {
			t.Errorf("%s of %s is %+v, with the result %s", tc.operation, tc.documents, a, a.Result)
		}
	}
}

func TestStringsComeBackAsTheyWent(t *testing.T) {
	text := `"<a&b> \"\\ \b\f\n\r\t\u0000\u001f\u2028 ä 🙂 \ud800"`
	a := askPod(t, "apply", `{"live":{"labels":{"a":`+text+`}},"patch":{}}`, ``)
	expectResult(t, a, `{"labels":{"a":`+text+`}}`)
}

func TestUnions(t *testing.T) {
	discriminated := `{"kind":"discriminated","discriminator":"type","path":"spec",
		"members":[{"field":"foo","value":"Foo"},{"field":"bar","value":"Bar"}]}`
	exactlyOne := `{"kind":"exactly-one","members":[{"field":"foo"},{"field":"bar"}]}`
	modal := `{"kind":"modal","discriminator":"type","path":"spec","members":[
		{"field":"foo","modes":[{"value":"Foo","rule":"required"},{"value":"Bar","rule":"forbidden"}]},
		{"field":"bar","modes":[{"value":"Foo","rule":"optional"}]}]}`
	zeroOrOne := `{"kind":"zero-or-one","members":[{"field":"foo"},{"field":"bar"}]}`
	for _, tc := range []struct {
		name, union, documents string
		// errors are the fields of the errors, each followed by a space.
		errors string
	}{
		{"the selected member is set", discriminated, `{"new":{"type":"Foo","foo":{}}}`, ""},
		{"the selected member is missing", discriminated, `{"new":{"type":"Foo"}}`, "spec.foo "},
		{"null is missing", discriminated, `{"new":{"type":"Foo","foo":null}}`, "spec.foo "},
		{"another member is set", discriminated, `{"new":{"type":"Foo","foo":{},"bar":{}}}`, "spec.bar "},
		{"an unknown value selects no member", discriminated, `{"new":{"type":"Baz","bar":{}}}`, "spec.bar "},
		{"no discriminator", discriminated, `{"new":{"bar":{}}}`, "spec.bar "},
		{"no change is not checked again", discriminated, `{"old":{"type":"Foo","bar":1},"new":{"type":"Foo","bar":2}}`, ""},
		{"a change is checked", discriminated, `{"old":{"type":"Foo","bar":1},"new":{"type":"Foo","foo":1,"bar":2}}`, "spec.bar "},
		{"null for the old object", discriminated, `{"old":null,"new":{"type":"Foo","bar":2}}`, "spec.foo spec.bar "},
		{"an empty old object is an object", discriminated, `{"old":{},"new":{}}`, ""},
		{"exactly one", exactlyOne, `{"new":{"foo":1}}`, ""},
		{"none", exactlyOne, `{"new":{}}`, " "},
		{"two", exactlyOne, `{"new":{"foo":1,"bar":1}}`, " "},
		{"two as before", exactlyOne, `{"old":{"foo":1,"bar":1},"new":{"foo":2,"bar":2}}`, ""},
		{"required in the mode", modal, `{"new":{"type":"Foo"}}`, "spec.foo "},
		{"forbidden in the mode", modal, `{"new":{"type":"Bar","foo":1}}`, "spec.foo "},
		{"no rule for the mode", modal, `{"new":{"type":"Baz","foo":1,"bar":1}}`, "spec.foo spec.bar "},
		{"optional in the mode", modal, `{"new":{"type":"Foo","foo":1,"bar":1}}`, ""},
		{"as before", modal, `{"old":{"type":"Bar","foo":1},"new":{"type":"Bar","foo":1}}`, ""},
		{"the value changed", modal, `{"old":{"type":"Bar","foo":1},"new":{"type":"Bar","foo":2}}`, "spec.foo "},
		{"at most one: none", zeroOrOne, `{"new":{}}`, ""},
		{"at most one: two", zeroOrOne, `{"new":{"foo":1,"bar":1}}`, " "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := ask(t, "validate-union", `"union":`+tc.union+`,"documents":`+tc.documents)
			if a.Kind != "result" {
				t.Fatalf("got %+v", a)
			}
			var errs []unionError
			if err := jsonDecode(a.Result, &errs); err != nil {
				t.Fatal(err)
			}
			fields := ""
			for _, e := range errs {
				fields += e.Field + " "
				isModal := e.Type == "FieldValueRequired" || e.Type == "FieldValueForbidden"
				if isModal != (tc.union == modal) || !isModal && (e.Type != "FieldValueInvalid" || e.Message == "" || e.Origin == "") {
					t.Errorf("incomplete: %+v", e)
				}
			}
			if fields != tc.errors {
				t.Errorf("errors for %q, expected %q", fields, tc.errors)
			}
		})
	}
}

func TestUnionsAreNormalized(t *testing.T) {
	members := `"members":[{"field":"foo","value":"Foo"},{"field":"bar","value":"Bar"}]}`
	plain := `{"kind":"zero-or-one",` + members
	discriminated := `{"kind":"discriminated","discriminator":"type",` + members
	deduced := `{"kind":"discriminated","discriminator":"type","deduceInvalidDiscriminator":true,` + members
	for _, tc := range []struct {
		name, union, documents string
		// expected is the result, or the kind of the refusal.
		expected string
	}{
		{"nothing is set", discriminated, `{"new":null}`, `{}`},
		{"a changed discriminator clears", discriminated, `{"old":{"type":"Foo","foo":1},"new":{"type":"Bar","foo":1,"bar":2}}`, `{"bar":2,"type":"Bar"}`},
		{"a value without a member clears all", discriminated, `{"old":{"type":"Foo","foo":1},"new":{"type":"None","foo":1}}`, `{"type":"None"}`},
		{"another member is newly set", discriminated, `{"old":{},"new":{"type":"Bar","foo":1}}`, "union-unselected-member-set"},
		{"two members are newly set", discriminated, `{"new":{"type":"Bar","foo":1,"bar":1}}`, "union-several-members"},
		{"a null is not set, and stays", discriminated, `{"new":{"foo":1.0,"bar":null}}`, `{"bar":null,"foo":1.0}`},
		{"two members", plain, `{"old":{"foo":1},"new":{"foo":1,"bar":1}}`, "union-several-members"},
		{"one member", plain, `{"old":{"foo":1},"new":{"bar":1,"other":[1]}}`, `{"bar":1,"other":[1]}`},
		{"the discriminator is not deduced", discriminated, `{"old":{"type":"Foo","foo":1},"new":{"type":"Foo","bar":1}}`, `{"bar":1,"type":"Foo"}`},
		{"the discriminator is deduced", deduced, `{"old":{"type":"Foo","foo":1},"new":{"type":"Foo","bar":1}}`, `{"bar":1,"type":"Bar"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := ask(t, "normalize-union", `"union":`+tc.union+`,"documents":`+tc.documents)
			if a.Kind == "refused" {
				if a.Error.Kind != tc.expected {
					t.Errorf("refused with %+v, expected %s", a.Error, tc.expected)
				}
				return
			}
			expectResult(t, a, tc.expected)
		})
	}
}
