package main

import "testing"

// The name is added to the metadata of the object itself. All other bytes stay.
func TestTheNameIsAddedToTheText(t *testing.T) {
	for _, tc := range []struct{ text, expected string }{
		{`{}`, `{"metadata":{"name":"n"}}`},
		{` { "a" : 1.0 }`, ` {"metadata":{"name":"n"}, "a" : 1.0 }`},
		{`{"metadata": { } }`, `{"metadata": {"name":"n" } }`},
		{`{"t":{"metadata":{"a":1}},"metadata":{"a":1},"u":{"metadata":{"a":1}}}`,
			`{"t":{"metadata":{"a":1}},"metadata":{"name":"n","a":1},"u":{"metadata":{"a":1}}}`},
		{`{"a":1,"a":2,"metadata":{"b":1,"b":2}}`, `{"a":1,"a":2,"metadata":{"name":"n","b":1,"b":2}}`},
	} {
		if is, err := withName([]byte(tc.text), "n"); err != nil || string(is) != tc.expected {
			t.Errorf("\nis       %s %v\nexpected %s", is, err, tc.expected)
		}
	}
}
