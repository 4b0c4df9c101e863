// Command controller-runtime-fake shows what the fake client of controller-runtime does with requests. It prints the
// requests and the stored object of each finding as JSON, one finding on each line.
package main

import (
	"context"
	"encoding/json"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

var ctx = context.Background()

// cluster is a fake client, the object that it had at first, and the requests that it has received.
type cluster struct {
	client.Client
	live     string
	requests []map[string]any
}

// apply sends an apply configuration, by default of the Deployment "web".
func (c *cluster) apply(owner client.FieldOwner, configuration string) error {
	return c.Apply(ctx, c.read("", owner, configuration), owner)
}

func (c *cluster) applyStatus(owner client.FieldOwner, configuration string) error {
	return c.Status().Apply(ctx, c.read("status", owner, configuration), owner)
}

func (c *cluster) read(subresource string, owner client.FieldOwner, text string) interface{ IsApplyConfiguration() } {
	object := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web"}}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	c.requests = append(c.requests, map[string]any{
		"request": "server-side-apply", "manager": string(owner), "subresource": subresource,
		"body": (&unstructured.Unstructured{Object: object}).DeepCopy().Object,
	})
	object["metadata"].(map[string]any)["namespace"] = "default"
	return client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: object})
}

// statusOwnsSpec changes a field of the spec after another manager has applied the status.
func statusOwnsSpec(c *cluster) error {
	if err := c.apply("deployer", `{"spec": {"replicas": 1}}`); err != nil {
		return err
	}
	if err := c.applyStatus("monitor", `{"status": {"readyReplicas": 1}}`); err != nil {
		return err
	}
	return c.apply("deployer", `{"spec": {"replicas": 2}}`)
}

// statusKeepsSpec gives a field of the spec up after another manager has applied the status.
func statusKeepsSpec(c *cluster) error {
	if err := c.apply("deployer", `{"spec": {"replicas": 1, "paused": true}}`); err != nil {
		return err
	}
	if err := c.applyStatus("monitor", `{"status": {"readyReplicas": 1}}`); err != nil {
		return err
	}
	return c.apply("deployer", `{"spec": {"replicas": 1}}`)
}

// specOwnsStatus changes the status after another manager has applied the spec.
func specOwnsStatus(c *cluster) error {
	if err := c.apply("deployer", `{"spec": {"replicas": 1}}`); err != nil {
		return err
	}
	if err := c.applyStatus("monitor", `{"status": {"readyReplicas": 1}}`); err != nil {
		return err
	}
	if err := c.apply("other", `{"metadata": {"name": "web", "labels": {"a": "b"}}}`); err != nil {
		return err
	}
	return c.applyStatus("monitor", `{"status": {"readyReplicas": 2}}`)
}

// zeroFields applies one field of an autoscaler, of which another manager has applied the rest.
func zeroFields(c *cluster) error {
	header := `"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler"`
	err := c.apply("deployer", `{`+header+`, "spec": {
		"maxReplicas": 5, "scaleTargetRef": {"kind": "Deployment", "name": "web"}
	}}`)
	if err != nil {
		return err
	}
	return c.apply("tuner", `{`+header+`, "spec": {"minReplicas": 2}}`)
}

// lastApplied applies a Deployment as kubectl, after kubectl apply has created it on the client's side.
func lastApplied(c *cluster) error {
	c.live = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default",
		"annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}}}`
	web := &appsv1.Deployment{}
	if err := json.Unmarshal([]byte(c.live), web); err != nil {
		return err
	}
	c.Client = fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(web).Build()
	return c.apply("kubectl", `{"spec": {"paused": true}}`)
}

func main() {
	output := json.NewEncoder(os.Stdout)
	for _, finding := range []struct {
		name string
		run  func(*cluster) error
	}{
		{"status-owns-spec", statusOwnsSpec},
		{"status-keeps-spec", statusKeepsSpec},
		{"spec-owns-status", specOwnsStatus},
		{"zero-fields", zeroFields},
		{"last-applied", lastApplied},
	} {
		c := &cluster{Client: fake.NewClientBuilder().WithScheme(scheme.Scheme).Build()}
		record := map[string]any{"finding": finding.name}
		if err := finding.run(c); err != nil {
			record["error"] = err.Error()
		}
		record["requests"] = c.requests
		if c.live != "" {
			record["live"] = json.RawMessage(c.live)
		}
		last := c.requests[len(c.requests)-1]["body"].(map[string]any)
		stored := &unstructured.Unstructured{Object: map[string]any{"apiVersion": last["apiVersion"], "kind": last["kind"]}}
		if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "web"}, stored); err != nil {
			record["error"] = err.Error()
		}
		record["result"] = stored.Object
		if err := output.Encode(record); err != nil {
			panic(err)
		}
	}
}
