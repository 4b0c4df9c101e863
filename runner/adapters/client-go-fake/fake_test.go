package main

import (
	"strings"
	"testing"

	"skewer.dev/client-go-fake/builtin/builtintest"
)

func TestRequests(t *testing.T) { builtintest.Test(t, implementation()) }

// An API server refuses the old version with a conflict. The README says what the fake does.
func TestResourceVersionsAreNotCompared(t *testing.T) {
	reply := builtintest.Ask(t, implementation(), `{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{
		"live":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"5"}},
		"patch":{"metadata":{"resourceVersion":"4"}}}}`)
	if !strings.Contains(reply, `"metadata":{"name":"c","resourceVersion":"4"}`) {
		t.Errorf("got %s", reply)
	}
}
