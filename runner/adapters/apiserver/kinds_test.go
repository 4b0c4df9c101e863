package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes/scheme"
)

// Every type of stored objects can be created, and applied if the release has server-side apply: its schema has the
// type.
func TestEveryKind(t *testing.T) {
	created := 0
	for kind := range scheme.Scheme.AllKnownTypes() {
		if unsupportedKind(kind) != "" || kind.Version == "__internal" {
			continue
		}
		if object, err := scheme.Scheme.New(kind); err != nil || meta.IsListType(object) {
			continue
		}
		version, name := kind.ToAPIVersionAndKind()
		document := `{"apiVersion":"` + version + `","kind":"` + name + `"}`
		if r := ask(t, "", document, `{"request":"create"}`); r.Kind != "result" {
			t.Errorf("create %s %s: %s %s %+v", version, name, r.Kind, r.Reason, r.Error)
			continue
		}
		created++
		if r := ask(t, "", document, applyAsM); supportsApply && r.Kind != "result" {
			t.Errorf("apply %s %s: %s %s %+v", version, name, r.Kind, r.Reason, r.Error)
		}
	}
	if created < 60 {
		t.Errorf("only %d kinds", created)
	}
}
