package clients

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// upstream refuses all patches, and answers everything else.
func upstream(t *testing.T) *recorder {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"reason":"Conflict"}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := newRecorder(address, http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(recorder.close)
	return recorder
}

func send(t *testing.T, r *recorder, method, path, contentType, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, r.address()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRequestsToObjectsAreRecordedInOrderAndPassedOn(t *testing.T) {
	r := upstream(t)
	const path = "/api/v1/namespaces/n/configmaps"
	if answer := send(t, r, http.MethodPost, path+"?fieldManager=m", "application/json", `{"a":1}`); answer != `{"a":1}` {
		t.Errorf("the answer is %s", answer)
	}
	send(t, r, http.MethodPatch, path+"/c", "application/apply-patch+yaml", "a: 1\n")
	recorded := r.requests()
	if len(recorded) != 2 {
		t.Fatalf("%d requests are recorded", len(recorded))
	}
	created, patched := recorded[0], recorded[1]
	if created.Method != http.MethodPost || created.Path != path+"?fieldManager=m" || string(created.Body) != `{"a":1}` ||
		created.ContentType != "application/json" || created.Status != http.StatusOK || created.Response != nil {
		t.Errorf("recorded is %+v", created)
	}
	if string(patched.Body) != `"a: 1\n"` || patched.Status != http.StatusConflict || string(patched.Response) != `{"reason":"Conflict"}` {
		t.Errorf("recorded is %+v", patched)
	}
}

func TestRequestsForTypesAreNotRecorded(t *testing.T) {
	r := upstream(t)
	for _, path := range []string{"/version", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3"} {
		send(t, r, http.MethodGet, path, "", "")
	}
	if recorded := r.requests(); len(recorded) != 0 {
		t.Errorf("recorded are %+v", *recorded[0])
	}
}
