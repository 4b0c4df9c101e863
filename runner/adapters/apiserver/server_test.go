package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// minor is the minor version of the release under test, which test.sh names.
var minor = func() int {
	_, text, _ := strings.Cut(os.Getenv("SKEWER_RELEASE"), ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("run these tests with test.sh: SKEWER_RELEASE is " + os.Getenv("SKEWER_RELEASE"))
	}
	return n
}()

func TestMain(m *testing.M) {
	silenceLogs()
	os.Exit(m.Run())
}

// reply has the members of all replies.
type reply struct {
	Kind    string          `json:"kind"`
	Seq     *int64          `json:"seq"`
	Version string          `json:"version"`
	Result  json.RawMessage `json:"result"`
	Reason  string          `json:"reason"`
	Error   struct {
		Kind      string            `json:"kind"`
		Message   string            `json:"message"`
		Conflicts []json.RawMessage `json:"conflicts"`
	} `json:"error"`
}

func converse(t *testing.T, lines ...string) []reply {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(`{"kind":"start","protocol":1}` + "\n" + strings.Join(lines, "\n") + "\n")
	if err := newServer(in, &out).Serve(); err != nil {
		t.Fatal(err)
	}
	var replies []reply
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		replies = append(replies, r)
	}
	return replies[1:]
}

func line(documents, options string) string {
	return `{"kind":"run","seq":1,"operation":"request","documents":` + documents + `,"options":` + options + `}`
}

// ask sends one request. An empty live document is left out.
func ask(t *testing.T, live, body, options string) reply {
	t.Helper()
	documents := `{"body":` + body + `}`
	if live != "" {
		documents = `{"live":` + live + `,"body":` + body + `}`
	}
	return converse(t, line(documents, options))[0]
}

// expect compares a result, in which `"creationTimestamp":null` and empty metadata are left out.
func expect(t *testing.T, r reply, expected string) {
	t.Helper()
	if r.Kind != "result" {
		t.Fatalf("%s %s %+v", r.Kind, r.Reason, r.Error)
	}
	object, err := readObject(r.Result)
	if err != nil {
		t.Fatal(err)
	}
	metadata := metadataOf(object)
	if at, ok := metadata["creationTimestamp"]; ok && at == nil {
		delete(metadata, "creationTimestamp")
	}
	if len(metadata) == 0 {
		delete(object, "metadata")
	}
	is, _ := encode(object)
	wanted, _ := readObject([]byte(expected))
	if due, _ := encode(wanted); string(is) != string(due) {
		t.Errorf("\nis       %s\nexpected %s", is, due)
	}
}

func expectRefusal(t *testing.T, r reply, kind, message string) {
	t.Helper()
	if r.Kind != "refused" || r.Error.Kind != kind || !strings.Contains(r.Error.Message, message) {
		t.Errorf("expected %s (%s), but got %s %s%s %+v", kind, message, r.Kind, r.Result, r.Reason, r.Error)
	}
}

// status is the HTTP status of a request.
func status(t *testing.T, live, body, options string) int {
	t.Helper()
	req := request{}
	req.Documents.Body = json.RawMessage(body)
	if live != "" {
		req.Documents.Live = json.RawMessage(live)
	}
	if err := json.Unmarshal([]byte(options), &req.Options); err != nil {
		t.Fatal(err)
	}
	o, err := prepare(&req)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newStore(o.kind, o.live).send(verbs[req.Options.Request], o, req.Options.query())
	if err != nil {
		t.Fatal(err)
	}
	return a.code
}

const (
	strategic = `{"request":"strategic-merge-patch"}`
	jsonMerge = `{"request":"json-merge-patch"}`
	jsonPatch = `{"request":"json-patch"}`
	applyAsM  = `{"request":"server-side-apply","manager":"m"}`

	configMap = `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"}}`
	emptyMap  = `{"apiVersion":"v1","kind":"ConfigMap"}`
)

func pod(spec string) string {
	return `{"apiVersion":"v1","kind":"Pod","spec":{` + spec + `}}`
}

// storedPod is a pod as it is written: Go writes an empty struct that is no pointer, such as the status.
func storedPod(spec string) string {
	return `{"apiVersion":"v1","kind":"Pod","spec":{` + spec + `},"status":{}}`
}

func TestStartedNamesTheRelease(t *testing.T) {
	var out bytes.Buffer
	if err := newServer(strings.NewReader(`{"kind":"start","protocol":1}`), &out).Serve(); err != nil {
		t.Fatal(err)
	}
	due := `"name":"kube-apiserver handlers","version":"` + os.Getenv("SKEWER_RELEASE") + `.`
	if !strings.Contains(out.String(), due) || !strings.Contains(out.String(), `"operations":["request"]`) {
		t.Errorf("got %s", out.String())
	}
}

// Patches whose result differs between releases.
func TestStrategicMergePatchByRelease(t *testing.T) {
	annotated := func(annotations string) string {
		return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":` + annotations + `}}`
	}
	container := `"containers":[{"name":"a","resources":{}}]`
	withArgs := func(args string) string {
		return `"containers":[{"name":"a","args":` + args + `,"resources":{}}]`
	}
	livePod := pod(container)
	for _, tc := range []struct {
		name, live, patch string
		// old is the result before the minor version `until`, and latest that from it on.
		old    string
		until  int
		latest string
	}{
		{"deletion from a missing list", emptyMap, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}}`,
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["x"]}}`, 26, emptyMap},
		{"deletion from an atomic list", pod(withArgs(`["a","b","c"]`)),
			`{"spec":{"containers":[{"name":"a","$deleteFromPrimitiveList/args":["a"]}]}}`,
			storedPod(withArgs(`["a"]`)), 28, storedPod(withArgs(`["b","c"]`))},
		{"replace directive in a missing map", emptyMap, annotated(`{"$patch":"replace","a":"b"}`),
			annotated(`{"$patch":"replace","a":"b"}`), 28, emptyMap},
		{"null in a missing map", emptyMap, annotated(`{"a":null,"b":"c"}`),
			annotated(`{"a":"","b":"c"}`), 26, annotated(`{"b":"c"}`)},
		{"delete directive in a missing list", livePod,
			`{"spec":{"imagePullSecrets":[{"name":"a"},{"name":"b","$patch":"delete"}]}}`,
			storedPod(container + `,"imagePullSecrets":[{"name":"a"},{"name":"b"}]`), 28,
			storedPod(container + `,"imagePullSecrets":[{"name":"a"}]`)},
		{"replace directive in a missing list", livePod,
			`{"spec":{"imagePullSecrets":[{"name":"a"},{"$patch":"replace"}]}}`,
			storedPod(container + `,"imagePullSecrets":[{"name":"a"},{}]`), 28,
			storedPod(container + `,"imagePullSecrets":[{"name":"a"}]`)},
		{"delete directive as a missing map", livePod, `{"spec":{"affinity":{"$patch":"delete"}}}`,
			storedPod(container + `,"affinity":{}`), 28, storedPod(container)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			expected := tc.latest
			if minor < tc.until {
				expected = tc.old
			}
			expect(t, ask(t, tc.live, tc.patch, strategic), expected)
		})
	}
}

// The field validation of requests came with 1.25.
func TestDuplicateKeys(t *testing.T) {
	patch := `{"data":{"b":"2","b":"3"}}`
	last := `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","b":"3"}}`
	if code := status(t, configMap, patch, strategic); code != http.StatusOK {
		t.Errorf("the status is %d", code)
	}
	for _, request := range []string{"strategic-merge-patch", "json-merge-patch"} {
		expect(t, ask(t, configMap, patch, `{"request":"`+request+`"}`), last)
		strict := ask(t, configMap, patch, `{"request":"`+request+`","fieldValidation":"Strict"}`)
		if minor < 25 {
			expect(t, strict, last)
		} else {
			expectRefusal(t, strict, "invalid-document", `duplicate field "data.b"`)
		}
	}
}

func TestStrictRefusesUnknownFields(t *testing.T) {
	r := ask(t, "", `{"apiVersion":"v1","kind":"ConfigMap","x":1}`, `{"request":"create","fieldValidation":"Strict"}`)
	if minor < 25 {
		expect(t, r, emptyMap)
	} else {
		expectRefusal(t, r, "strict-unknown-field", `unknown field "x"`)
	}
}

func TestCreationTimestampIsNullBefore34(t *testing.T) {
	r := ask(t, configMap, `{}`, strategic)
	if is := strings.Contains(string(r.Result), `"creationTimestamp":null`); is != (minor < 34) {
		t.Errorf("got %s", r.Result)
	}
}

func TestTheTypeChangesValues(t *testing.T) {
	expect(t, ask(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{}},"data":{}}`,
		`{"metadata":{"finalizers":[]}}`, jsonMerge), emptyMap)
	limits := `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":1.5}}}]}}`
	expect(t, ask(t, pod(`"containers":[{"name":"a"}]`), limits, strategic),
		storedPod(`"containers":[{"name":"a","resources":{"limits":{"cpu":"1500m"}}}]`))
	// A field that the release does not have is lost.
	expect(t, ask(t, `{"apiVersion":"v1","kind":"ConfigMap","new":{}}`, `{}`, jsonMerge), emptyMap)
}

func TestWrongScalarsAreRefused(t *testing.T) {
	if code := status(t, configMap, `{"data":{"b":2}}`, strategic); code != http.StatusUnprocessableEntity {
		t.Errorf("the status is %d", code)
	}
	expectRefusal(t, ask(t, configMap, `{"data":{"b":2}}`, strategic), "undecodable", "cannot convert int64 to string")
	expectRefusal(t, ask(t, configMap, `{"data":{"b":2}}`, jsonMerge), "undecodable", "")
}

// Strategic merge patch decodes the result into the type of the endpoint. JSON merge patch decodes it into the type that
// the result names.
func TestAnotherAPIVersionInAPatch(t *testing.T) {
	patch := `{"apiVersion":"apps/v1"}`
	expect(t, ask(t, configMap, patch, strategic), configMap)
	expectRefusal(t, ask(t, configMap, patch, jsonMerge), "wrong-api-version", `no kind "ConfigMap" is registered`)
}

func TestScalarListsWithRepeats(t *testing.T) {
	live := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["c","b","b","e","b"]}}`
	patch := `{"metadata":{"$setElementOrder/finalizers":["d","a","f"],"finalizers":["a","f"]}}`
	expect(t, ask(t, live, patch, strategic),
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","f","c","b","e"]}}`)
}

func TestRefusalsOfPatches(t *testing.T) {
	livePod := pod(`"containers":[{"name":"a"}]`)
	expectRefusal(t, ask(t, livePod, `{"spec":{"containers":[{"image":"b"}]}}`, strategic), "missing-merge-key", "")
	expectRefusal(t, ask(t, livePod, `{"spec":{"$patch":"x"}}`, strategic), "invalid-directive", "")
	expectRefusal(t, ask(t, configMap, `[{"op":"remove","path":"/data/x"}]`, jsonPatch), "json-patch-failed", "")
	expectRefusal(t, ask(t, configMap, `{"op":"remove"}`, jsonPatch), "json-patch-failed", "")
	expectRefusal(t, ask(t, configMap, `[{"op":"add","path":"/data/x","value":3}]`, jsonPatch), "undecodable", "")
	expectRefusal(t, ask(t, configMap, `{"metadata":{"resourceVersion":"7"}}`, jsonMerge), "conflict", "modified")
	expectRefusal(t, ask(t, configMap, configMap, `{"request":"create"}`), "already-exists", "already exists")
	expectRefusal(t, ask(t, "", `{}`, `{"request":"json-merge-patch","apiVersion":"v1","kind":"ConfigMap"}`),
		"not-found", "not found")
}

// The message of a response is not enough: each error has a code and a reason of its own, and some hide the message.
func TestKindsOfRefusals(t *testing.T) {
	livePod := pod(`"containers":[{"name":"a"}]`)
	named := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}`
	update, create := `{"request":"update"}`, `{"request":"create"}`
	for _, c := range []struct{ live, body, options, kind string }{
		// Decoding.
		{named, `{"data":{"a":1}}`, update, "undecodable"},
		{"", `{"apiVersion":"v1","kind":"ConfigMap","data":[]}`, create, "undecodable"},
		{named, `{"data":{"a":{}}}`, strategic, "undecodable"},
		{named, `{"metadata":{"creationTimestamp":"x"}}`, strategic, "undecodable"},
		{livePod, `{"spec":{"activeDeadlineSeconds":"1"}}`, strategic, "undecodable"},
		{livePod, `{"spec":{"priority":2147483648}}`, jsonMerge, "undecodable"},
		{livePod, `{"spec":{"containers":[{"resources":{"limits":{"cpu":"x"}}}]}}`, jsonMerge, "undecodable"},
		{named, `[{"op":"add","path":"/data","value":"x"}]`, jsonPatch, "undecodable"},
		// Bodies that are no objects.
		{named, `[]`, update, "invalid-document"},
		{named, `"x"`, strategic, "invalid-document"},
		{named, `"x"`, jsonMerge, "invalid-document"},
		{named, `"x"`, jsonPatch, "json-patch-failed"},
		// The identity of the object.
		{named, `{"metadata":{"name":"b"}}`, strategic, "wrong-name"},
		{named, `{"metadata":{"name":"b"}}`, jsonMerge, "wrong-name"},
		{named, `[{"op":"remove","path":"/metadata/name"}]`, jsonPatch, "wrong-name"},
		{named, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}`, update, "wrong-name"},
		{named, `{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}`, update, "wrong-api-version"},
		{named, `{"kind":"No"}`, jsonMerge, "wrong-api-version"},
		{named, `[{"op":"add","path":"/kind","value":"No"}]`, jsonPatch, "wrong-api-version"},
		{"", named, `{"request":"update","apiVersion":"v1","kind":"ConfigMap"}`, "not-found"},
		{named, named, create, "already-exists"},
		{named, `{"metadata":{"resourceVersion":"7"}}`, strategic, "conflict"},
		// Patches.
		{livePod, `{"spec":{"containers":[{"image":"b"}]}}`, strategic, "missing-merge-key"},
		{livePod, `{"spec":{"$retainKeys":7}}`, strategic, "invalid-directive"},
		{livePod, `{"spec":{"$setElementOrder/containers":7}}`, strategic, "wrong-kind"},
		{livePod, `{"spec":{"containers":["a"]}}`, strategic, "mixed-list"},
	} {
		if r := ask(t, c.live, c.body, c.options); r.Kind != "refused" || r.Error.Kind != c.kind {
			t.Errorf("%s %s: expected %s, but got %s %s%s %+v", c.options, c.body, c.kind, r.Kind, r.Result, r.Reason, r.Error)
		}
	}

	// From 1.23 on, this error depends on which of the two keys Go visits first. It is list-of-lists in about one of ten
	// requests, so that 300 requests are enough.
	listOfLists := `{"metadata":{"$deleteFromPrimitiveList/finalizers":[],"finalizers":[[]]}}`
	for tries := 0; ; tries++ {
		r := ask(t, livePod, listOfLists, strategic)
		if r.Kind == "refused" && r.Error.Kind == "list-of-lists" {
			break
		}
		if r.Kind != "refused" || r.Error.Kind != "undecodable" || minor < 23 || tries == 300 {
			t.Fatalf("%s: got %s %s%s %+v after %d requests", listOfLists, r.Kind, r.Result, r.Reason, r.Error, tries)
		}
	}
}

func TestStrictRefusals(t *testing.T) {
	if minor < 25 {
		t.Skip("this release ignores the option")
	}
	strict := func(request string) string { return `{"request":"` + request + `","fieldValidation":"Strict"}` }
	for _, c := range []struct{ body, request, kind string }{
		{`{"x":1}`, "update", "strict-unknown-field"},
		{`{"x":1}`, "strategic-merge-patch", "strict-unknown-field"},
		{`{"x":1}`, "json-merge-patch", "strict-unknown-field"},
		{`[{"op":"add","path":"/x","value":1}]`, "json-patch", "strict-unknown-field"},
		{`[{"op":"add","path":"/data","value":{},"x":1}]`, "json-patch", "strict-unknown-field"},
		{`{"data":{"a":"b","a":"c"}}`, "update", "invalid-document"},
		{`{"data":{"a":"b","a":"c"},"x":1}`, "strategic-merge-patch", "invalid-document"},
		{`{"data":{"a":"b","a":"c"}}`, "json-merge-patch", "invalid-document"},
		// A value that cannot be decoded comes first.
		{`{"data":7,"x":1}`, "update", "undecodable"},
		{`{"data":7,"x":1}`, "json-merge-patch", "undecodable"},
	} {
		if r := ask(t, configMap, c.body, strict(c.request)); r.Kind != "refused" || r.Error.Kind != c.kind {
			t.Errorf("%s %s: expected %s, but got %s %s %+v", c.request, c.body, c.kind, r.Kind, r.Result, r.Error)
		}
	}
}

// The stack behind the message of a panic is left out: it differs from request to request.
func TestAPanicHasOneLine(t *testing.T) {
	r := ask(t, pod(``), `{"spec":{"$setElementOrder/tolerations":[],"tolerations":[{}]}}`, strategic)
	if r.Kind != "refused" || r.Error.Kind != "panic" || strings.Contains(r.Error.Message, "\n") {
		t.Errorf("got %s %s %+v", r.Kind, r.Result, r.Error)
	}
}

// Null metadata of a body are replaced, so that the body has no duplicate key.
func TestNullMetadataGetAName(t *testing.T) {
	options := `{"request":"update","fieldValidation":"Strict"}`
	expect(t, ask(t, configMap, `{"metadata":null,"data":{"a":"b"}}`, options), `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}}`)
}

func TestWholeObjects(t *testing.T) {
	expect(t, ask(t, "", configMap, `{"request":"create"}`), configMap)
	other := `{"apiVersion":"v1","kind":"ConfigMap","data":{"b":"2"}}`
	expect(t, ask(t, configMap, other, `{"request":"update"}`), other)
	named := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","namespace":"x","uid":"u"}}`
	expect(t, ask(t, named, `{"data":{"a":"1"}}`, jsonMerge),
		`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"},"metadata":{"name":"n","namespace":"x","uid":"u"}}`)
	// The name is added to the metadata of the object, not to those of its template.
	template := `"spec":{"containers":null}`
	body := `{"apiVersion":"v1","kind":"PodTemplate","metadata":{"labels":{"a":"b"}},` +
		`"template":{"metadata":{"labels":{"a":"b"}},` + template + `}}`
	r := ask(t, "", body, `{"request":"create"}`)
	if r.Kind != "result" || strings.Contains(string(r.Result), defaultName) {
		t.Errorf("got %s %s %+v", r.Kind, r.Result, r.Error)
	}
}

func TestUnsupportedRequests(t *testing.T) {
	for _, r := range []reply{
		ask(t, `{"apiVersion":"example.com/v1","kind":"Widget"}`, `{}`, jsonMerge),
		ask(t, `{"apiVersion":"v1","kind":"ListOptions"}`, `{}`, jsonMerge),
		ask(t, configMap, `{}`, `{"request":"json-merge-patch","subresource":"status"}`),
		ask(t, `{"apiVersion":"autoscaling/v1","kind":"Scale"}`, `{}`, jsonMerge),
		ask(t, configMap, `{}`, `{"request":"dance"}`),
		ask(t, `{"apiVersion":"v1","kind":"ConfigMap","data":7}`, `{}`, jsonMerge),
		converse(t, `{"kind":"run","seq":1,"operation":"apply"}`)[0],
	} {
		if r.Kind != "unsupported" || r.Reason == "" {
			t.Errorf("got %s %s %+v", r.Kind, r.Result, r.Error)
		}
	}
	owned := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","managedFields":[{}]}}`
	if r := ask(t, configMap, owned, `{"request":"update"}`); (r.Kind == "unsupported") == supportsApply {
		t.Errorf("managed fields: got %s %s %+v", r.Kind, r.Result, r.Error)
	}
	for _, request := range []string{
		line(`{"live":{}}`, strategic), line(`{"live":[],"body":{}}`, strategic), line(`{"body":{}}`, jsonMerge),
		line(`{"body":{}}`, `{}`),
	} {
		if r := converse(t, request)[0]; r.Kind != "error" || *r.Seq != 1 {
			t.Errorf("%s: got %+v", request, r)
		}
	}
}

func TestRequestsDoNotSeeEachOther(t *testing.T) {
	create := line(`{"body":`+configMap+`}`, `{"request":"create"}`)
	for _, r := range converse(t, create, create) {
		expect(t, r, configMap)
	}
}
