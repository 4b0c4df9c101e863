// Command helm shows what `helm upgrade` sends for a custom resource. It prints the manifests, the live object and the patch
// of each finding as JSON, one finding on each line.
package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/time"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

const object = "/apis/example.com/v1/namespaces/default/widgets/web"

// manifest is that of the release, and is not changed. Somebody else has changed the field.
const (
	manifest = `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "web"}, "spec": {"image": "app:1"}}`
	live     = `{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "web"}, "spec": {"image": "app:9"}}`
)

// upgrade does what `helm upgrade` does with the chart of the release.
func upgrade(server *httptest.Server) error {
	flags := genericclioptions.NewConfigFlags(false)
	namespace := "default"
	flags.APIServer, flags.Namespace = &server.URL, &namespace
	configuration := new(action.Configuration)
	if err := configuration.Init(flags, namespace, "memory", func(string, ...any) {}); err != nil {
		return err
	}
	web := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: "web", Version: "1.0.0"},
		Templates: []*chart.File{{Name: "templates/web.yaml", Data: []byte(manifest)}},
	}
	err := configuration.Releases.Create(&release.Release{
		Name: "web", Namespace: namespace, Version: 1, Chart: web, Manifest: manifest,
		Info: &release.Info{Status: release.StatusDeployed, LastDeployed: time.Now()},
	})
	if err != nil {
		return err
	}
	command := action.NewUpgrade(configuration)
	command.Namespace = namespace
	// The server has no OpenAPI documents.
	command.DisableOpenAPIValidation = true
	_, err = command.RunWithContext(context.Background(), "web", web, nil)
	return err
}

// serve answers the requests of Helm with the live object, and keeps the body of a patch.
func serve(patch *json.RawMessage) *httptest.Server {
	server := http.NewServeMux()
	answer := func(path string, value any) {
		server.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value)
		})
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: "example.com/v1", Version: "v1"}
	answer("/version", map[string]string{"major": "1", "minor": "36", "gitVersion": "v1.36.3"})
	answer("/api", metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	answer("/api/v1", metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1"})
	answer("/apis", metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList"}, Groups: []metav1.APIGroup{{
		Name: "example.com", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
	}}})
	answer("/apis/example.com/v1", metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "example.com/v1",
		APIResources: []metav1.APIResource{{
			Name: "widgets", Kind: "Widget", Namespaced: true, Verbs: metav1.Verbs{"get", "patch"},
		}},
	})
	answer(object, json.RawMessage(live))
	server.HandleFunc("PATCH "+object, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*patch = body
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(live))
	})
	return httptest.NewServer(server)
}

func main() {
	// Without a patch, Helm has sent nothing.
	patch := json.RawMessage("null")
	server := serve(&patch)
	defer server.Close()
	if err := upgrade(server); err != nil {
		panic(err)
	}
	record := map[string]any{
		"finding":     "drift",
		"live":        json.RawMessage(live),
		"lastApplied": json.RawMessage(manifest),
		"modified":    json.RawMessage(manifest),
		"result":      map[string]any{"patch": patch},
	}
	if err := json.NewEncoder(os.Stdout).Encode(record); err != nil {
		panic(err)
	}
}
