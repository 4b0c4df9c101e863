package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// The library's function and the steps that are taken from it give the same patch and the same error.
func TestThreeWayPatchesAreThoseOfTheLibrary(t *testing.T) {
	read, err := readSchema([]byte(podSchema))
	if err != nil {
		t.Fatal(err)
	}
	lookup, err := read.lookup("Pod", lookupOpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	documents := []string{
		``, `null`, `[]`, `{}`, `{"count":1.0}`, `{"count":2,"labels":{"a":"1","b":"1"}}`,
		`{"labels":{"a":"2","c":null},"scalars":["a","b","a"]}`, `{"scalars":["c","a"],"retained":{"a":"1"}}`,
		`{"items":[{"name":"a","value":"1"},{"name":"b"}],"retained":{"b":"1"}}`,
		`{"items":[{"name":"b","value":"2"},{"name":"c"}],"scalars":[]}`, `{"items":[{"value":"2"}]}`,
	}
	precondition := mergepatch.RequireKeyUnchanged("labels")
	for _, original := range documents {
		for _, modified := range documents {
			for _, live := range documents {
				for _, overwrite := range []bool{true, false} {
					texts := [3][]byte{[]byte(original), []byte(modified), []byte(live)}
					expected, expectedErr := strategicpatch.CreateThreeWayMergePatch(
						texts[0], texts[1], texts[2], lookup, overwrite, precondition)
					patch, err := threeWayMap(texts[0], texts[1], texts[2], lookup, overwrite, precondition)
					if fmt.Sprint(err) != fmt.Sprint(expectedErr) {
						t.Fatalf("%s, %s, %s: %v, and the library: %v", original, modified, live, err, expectedErr)
					}
					if err != nil {
						continue
					}
					if text, err := json.Marshal(patch); err != nil || string(text) != string(expected) {
						t.Fatalf("%s, %s, %s: %s, and the library: %s", original, modified, live, text, expected)
					}
				}
			}
		}
	}
}

// The text of the library's own function says 1 for both numbers.
func TestThreeWayPatchesKeepTheKindOfNumbers(t *testing.T) {
	for _, number := range []string{"1", "1.0", "100000000000000000000.0", "-0.0", "9007199254740993"} {
		a := askPod(t, "three-way", `{"modified":{"count":`+number+`}}`, ``)
		if expected := `{"count":` + number + `}`; string(a.Result) != expected {
			t.Errorf("%s came back as %s", expected, a.Result)
		}
	}
}
