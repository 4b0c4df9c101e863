// Command kubectl-auth shows what `kubectl auth reconcile` does with a binding. It prints the manifests, the live object and the
// requests of each finding as JSON, one finding on each line.
package main

import (
	"encoding/json"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubectl/pkg/cmd/auth"
)

// manifest does not name the group of the role. The server has added it to the live object.
const (
	manifest = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "readers"},
		"roleRef": {"kind": "ClusterRole", "name": "view"}}`
	live = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"metadata": {"name": "readers", "labels": {"audited": "yes"}},
		"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}}`
)

// reconcile does what `kubectl auth reconcile -f FILE` does with one manifest.
func reconcile(client *fake.Clientset, binding *rbacv1.ClusterRoleBinding) error {
	options := auth.NewReconcileOptions(genericiooptions.NewTestIOStreamsDiscard())
	options.RBACClient, options.NamespaceClient = client.RbacV1(), client.CoreV1()
	options.Visitor = resource.InfoListVisitor{&resource.Info{Object: binding}}
	options.PrintObject = printers.NewDiscardingPrinter().PrintObj
	if err := options.Validate(); err != nil {
		return err
	}
	return options.RunReconcile()
}

func decoded(text string) *rbacv1.ClusterRoleBinding {
	binding := new(rbacv1.ClusterRoleBinding)
	if err := json.Unmarshal([]byte(text), binding); err != nil {
		panic(err)
	}
	return binding
}

func main() {
	client := fake.NewClientset(decoded(live))
	if err := reconcile(client, decoded(manifest)); err != nil {
		panic(err)
	}
	var requests []string
	for _, action := range client.Actions() {
		requests = append(requests, action.GetVerb())
	}
	record := map[string]any{
		"finding":     "group",
		"live":        json.RawMessage(live),
		"lastApplied": json.RawMessage(manifest),
		"modified":    json.RawMessage(manifest),
		"result":      map[string]any{"requests": requests},
	}
	if err := json.NewEncoder(os.Stdout).Encode(record); err != nil {
		panic(err)
	}
}
