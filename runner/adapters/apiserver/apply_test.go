package main

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func needApply(t *testing.T) {
	t.Helper()
	if supportsApply {
		return
	}
	if r := ask(t, "", configMap, applyAsM); r.Kind != "unsupported" {
		t.Errorf("got %+v", r)
	}
	t.Skip("this release has no server-side apply here")
}

func owned(document, managedFields string) string {
	return strings.TrimSuffix(document, "}") + `,"metadata":{"managedFields":[` + managedFields + `]}}`
}

func entry(manager, operation, fields string) string {
	quoted, _ := encode(fields)
	return `{"manager":"` + manager + `","operation":"` + operation + `","apiVersion":"v1","fieldsType":"FieldsV1",` +
		`"fieldsV1":` + string(quoted) + `}`
}

func TestApplyCreates(t *testing.T) {
	needApply(t)
	if code := status(t, "", configMap, applyAsM); code != http.StatusCreated {
		t.Errorf("the status is %d", code)
	}
	expect(t, ask(t, "", configMap, applyAsM), owned(configMap, entry("m", "Apply", `{"f:data":{"f:a":{}}}`)))
}

func TestApplyConflicts(t *testing.T) {
	needApply(t)
	changed := `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"2"}}`
	live := owned(configMap, entry("other", "Apply", `{"f:data":{"f:a":{}}}`))
	r := ask(t, live, changed, applyAsM)
	expectRefusal(t, r, "conflict", "Apply failed with 1 conflict")
	if len(r.Error.Conflicts) != 1 || string(r.Error.Conflicts[0]) != `{"manager":"other","operation":"Apply","path":".data.a"}` {
		t.Errorf("got %s", r.Error.Conflicts)
	}
	// Fields without an owner belong to a manager that stands for all earlier requests.
	r = ask(t, configMap, changed, applyAsM)
	expectRefusal(t, r, "conflict", `"before-first-apply" using v1: .data.a`)
	if len(r.Error.Conflicts) != 1 || string(r.Error.Conflicts[0]) !=
		`{"manager":"before-first-apply","operation":"Update","apiVersion":"v1","path":".data.a"}` {
		t.Errorf("got %s", r.Error.Conflicts)
	}
	forced := `{"request":"server-side-apply","manager":"m","force":true}`
	expect(t, ask(t, live, changed, forced), owned(changed, entry("m", "Apply", `{"f:data":{"f:a":{}}}`)))
}

// With a deduced type, lists are atomic, and the second applier conflicts with the first.
func TestApplyKnowsTheKeysOfLists(t *testing.T) {
	needApply(t)
	containers := func(name string) string {
		return `{"f:spec":{"f:containers":{"k:{\"name\":\"` + name + `\"}":{".":{},"f:image":{},"f:name":{}}}}}`
	}
	live := owned(pod(`"containers":[{"name":"a","image":"x"}]`), entry("other", "Apply", containers("a")))
	r := ask(t, live, pod(`"containers":[{"name":"b","image":"y"}]`), applyAsM)
	expect(t, r, owned(storedPod(
		`"containers":[{"name":"a","image":"x","resources":{}},{"name":"b","image":"y","resources":{}}]`),
		entry("other", "Apply", containers("a"))+","+entry("m", "Apply", containers("b"))))
}

func TestApplyRefusesUnknownFields(t *testing.T) {
	needApply(t)
	body := `{"apiVersion":"v1","kind":"ConfigMap","dat":{"a":"2"}}`
	for _, validation := range []string{"Ignore", "Warn", "Strict"} {
		options := `{"request":"server-side-apply","manager":"m","fieldValidation":"` + validation + `"}`
		if code := status(t, "", body, options); code != http.StatusInternalServerError {
			t.Errorf("%s: the status is %d", validation, code)
		}
		expectRefusal(t, ask(t, "", body, options), "field-not-declared", ".dat: field not declared in schema")
	}
}

func TestApplyWithDuplicateKeys(t *testing.T) {
	needApply(t)
	body := `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}`
	last := owned(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"2"}}`, entry("m", "Apply", `{"f:data":{"f:a":{}}}`))
	expect(t, ask(t, "", body, applyAsM), last)
	strict := ask(t, "", body, `{"request":"server-side-apply","manager":"m","fieldValidation":"Strict"}`)
	if minor < 25 {
		expect(t, strict, last)
	} else {
		expectRefusal(t, strict, "invalid-document", `key "a" already set in map`)
	}
}

func TestApplyRefusesRepeatedItems(t *testing.T) {
	needApply(t)
	expectRefusal(t, ask(t, "", pod(`"containers":[{"name":"a"},{"name":"a"}]`), applyAsM), "duplicate-list-item", "")
}

// The messages are those of 1.22 and 1.37.
func TestApplyErrorsHaveTheirKinds(t *testing.T) {
	for message, kind := range map[string]string{
		`failed to create typed patch object: .spec.hostAliases: element 1: associative list with keys has an element that ` +
			`omits key field "ip" (and doesn't have default value)`: "missing-list-keys",
		`.spec.imagePullSecrets: element 0: associative list with keys has an element that omits all key fields ["name"]`: "missing-list-keys",
		`failed to convert new object (/s; /v1, Kind=Service) to proper version: unable to convert unstructured object to ` +
			`/v1, Kind=Service: json: cannot unmarshal number 5.5 into Go value of type int32`: "undecodable",
	} {
		status := metav1.Status{Code: http.StatusInternalServerError, Message: message}
		if got, _ := classify(requestApply, &status); got != kind {
			t.Errorf("%s: got %s", message, got)
		}
	}
}
