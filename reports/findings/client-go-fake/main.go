// Command client-go-fake shows what the fake clientset of client-go does with requests. It prints the requests and the
// stored object of each finding as JSON, one finding on each line.
package main

import (
	"context"
	"encoding/json"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"
)

var ctx = context.Background()

// statusOfAnApplier applies a Deployment, and then its status as the same manager.
func statusOfAnApplier(c *fake.Clientset) error {
	deployments := c.AppsV1().Deployments("default")
	options := metav1.PatchOptions{FieldManager: "controller"}
	_, err := deployments.Patch(ctx, "web", types.ApplyPatchType, []byte(`{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}
	}`), options)
	if err != nil {
		return err
	}
	_, err = deployments.Patch(ctx, "web", types.ApplyPatchType, []byte(`{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "status": {"readyReplicas": 1}
	}`), options, "status")
	return err
}

// staleUpdate updates a Deployment that somebody else has changed since it was read.
func staleUpdate(c *fake.Clientset) error {
	deployments := c.AppsV1().Deployments("default")
	stale, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	stale = stale.DeepCopy()
	stale.ResourceVersion = "7"
	two := int32(2)
	stale.Spec.Replicas = &two
	_, err = deployments.Update(ctx, stale, metav1.UpdateOptions{})
	return err
}

// stored is a Deployment with the resource version 8.
func stored() *appsv1.Deployment {
	one := int32(1)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", ResourceVersion: "8"},
		Spec:       appsv1.DeploymentSpec{Replicas: &one},
	}
}

func main() {
	output := json.NewEncoder(os.Stdout)
	for _, finding := range []struct {
		name string
		live []runtime.Object
		run  func(*fake.Clientset) error
	}{
		{"status-of-an-applier", nil, statusOfAnApplier},
		{"stale-update", []runtime.Object{stored()}, staleUpdate},
	} {
		c := fake.NewClientset(finding.live...)
		err := finding.run(c)
		record := map[string]any{"finding": finding.name, "requests": requests(c.Actions())}
		for _, live := range finding.live {
			record["live"] = live
		}
		if err != nil {
			record["error"] = err.Error()
		}
		object, err := c.AppsV1().Deployments("default").Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			record["error"] = err.Error()
		}
		record["result"] = object
		if err := output.Encode(record); err != nil {
			panic(err)
		}
	}
}

// requests lists the requests that a clientset has received.
func requests(actions []testing.Action) []map[string]any {
	var list []map[string]any
	for _, action := range actions {
		if action.GetVerb() == "get" {
			continue
		}
		request := map[string]any{"subresource": action.GetSubresource()}
		switch action := action.(type) {
		case testing.PatchActionImpl:
			request["request"] = "server-side-apply"
			request["manager"] = action.PatchOptions.FieldManager
			request["body"] = json.RawMessage(action.Patch)
		case testing.UpdateActionImpl:
			request["request"] = "update"
			request["body"] = action.Object
		}
		list = append(list, request)
	}
	return list
}
