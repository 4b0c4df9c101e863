package main

import (
	"strings"
	"testing"

	"skewer.dev/client-go-fake/builtin/builtintest"
)

func TestRequests(t *testing.T) { builtintest.Test(t, implementation(), "undeclared field") }

// The README says what this fake does and that of client-go does not.
func TestTheStatusIsASubresource(t *testing.T) {
	reply := builtintest.Ask(t, implementation(), `{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{
		"live":{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"status":{"phase":"Active"}},
		"patch":{"status":{"phase":"Terminating"}}}}`)
	if !strings.Contains(reply, `"status":{"phase":"Active"}`) {
		t.Errorf("got %s", reply)
	}
}

func TestResourceVersionsAreCompared(t *testing.T) {
	reply := builtintest.Ask(t, implementation(), `{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{
		"live":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"5"}},
		"patch":{"metadata":{"resourceVersion":"4"}}}}`)
	if !strings.Contains(reply, `"error":{"kind":"conflict"`) {
		t.Errorf("got %s", reply)
	}
}

func TestAnUndeclaredFieldIsRefusedForAnotherReason(t *testing.T) {
	reply := builtintest.Ask(t, implementation(), `{"kind":"run","seq":1,"operation":"server-side-apply","documents":{
		"configuration":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"dat":{"a":"2"}}},
		"options":{"manager":"m"}}`)
	if !strings.Contains(reply, "expected objects with types from the same schema") {
		t.Errorf("got %s", reply)
	}
}
