// Command skewer-client-go-fake answers the Skewer adapter protocol with the fake clientset of k8s.io/client-go, which
// the tests of controllers use in place of an API server. The protocol is described in ../PROTOCOL.md.
package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"

	"skewer.dev/client-go-fake/builtin"
	"skewer.dev/requests"
)

const libraryPath = "k8s.io/client-go"

func main() { requests.Main(implementation()) }

func implementation() requests.Implementation {
	return requests.Implementation{
		Name:       libraryPath + "/kubernetes/fake",
		Version:    requests.ModuleVersion(libraryPath),
		Lookup:     "struct",
		Directives: []string{"$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"},
		Operations: []requests.Operation{
			{Name: "apply", Run: patchWith(types.StrategicMergePatchType), Strategic: true},
			{Name: "json-merge-apply", Run: patchWith(types.MergePatchType)},
			{Name: "json-patch-apply", Run: patchWith(types.JSONPatchType)},
			{Name: "server-side-apply", Run: serverSideApply},
			{Name: "managed-update", Run: managedUpdate},
		},
		Classify: builtin.Classify,
	}
}

// clientset returns a clientset that holds the live object, if it exists.
func clientset(e *builtin.Exchange) (*fake.Clientset, error) {
	if !e.Exists {
		return fake.NewClientset(), nil
	}
	live, err := e.Object(e.Live)
	if err != nil {
		return nil, err
	}
	return fake.NewClientset(live), nil
}

// patchWith returns the operation of a type of patch.
func patchWith(patchType types.PatchType) func(*requests.Call) ([]byte, error) {
	return func(call *requests.Call) ([]byte, error) {
		text := call.Documents.Patch
		if err := requests.Required("patch", text); err != nil {
			return nil, err
		}
		sent, err := builtin.DecodePatch(patchType, text)
		if err != nil {
			return nil, err
		}
		e, err := builtin.NewExchange(call, sent)
		if err != nil {
			return nil, err
		}
		// A missing live document is an empty object, and not a missing object.
		e.Exists = true
		result, err := patch(e, patchType, text, metav1.PatchOptions{}, false)
		return result, builtin.PatchError(patchType, err)
	}
}

func serverSideApply(call *requests.Call) ([]byte, error) {
	if err := requests.Required("configuration", call.Documents.Configuration); err != nil {
		return nil, err
	}
	sent, err := requests.DecodeObject(call.Documents.Configuration)
	if err != nil {
		return nil, err
	}
	e, err := builtin.NewExchange(call, sent)
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{FieldManager: call.Options.Manager, Force: &call.Options.Force}
	return patch(e, types.ApplyPatchType, call.Documents.Configuration, options, true)
}

// patch does what the Patch and Apply methods of the typed clients do.
func patch(
	e *builtin.Exchange, patchType types.PatchType, text json.RawMessage, options metav1.PatchOptions,
	withManagedFields bool,
) ([]byte, error) {
	client, err := clientset(e)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(e.Kind)
	return invoke(e, client, testing.NewPatchActionWithOptions(
		resource, e.Namespace, e.Name, patchType, text, options), withManagedFields)
}

func managedUpdate(call *requests.Call) ([]byte, error) {
	if err := requests.Required("new", call.Documents.New); err != nil {
		return nil, err
	}
	sent, err := requests.DecodeObject(call.Documents.New)
	if err != nil {
		return nil, err
	}
	e, err := builtin.NewExchange(call, sent)
	if err != nil {
		return nil, err
	}
	updated, err := e.Object(sent)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(updated)
	if err != nil {
		return nil, err
	}
	accessor.SetName(e.Name)
	client, err := clientset(e)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(e.Kind)
	if !e.Exists {
		options := metav1.CreateOptions{FieldManager: call.Options.Manager}
		return invoke(e, client, testing.NewCreateActionWithOptions(resource, e.Namespace, updated, options), true)
	}
	options := metav1.UpdateOptions{FieldManager: call.Options.Manager}
	return invoke(e, client, testing.NewUpdateActionWithOptions(resource, e.Namespace, updated, options), true)
}

func invoke(
	e *builtin.Exchange, client *fake.Clientset, action testing.Action, withManagedFields bool,
) ([]byte, error) {
	var none runtime.Object
	result, err := client.Invokes(action, none)
	if err != nil {
		return nil, err
	}
	return e.Result(result, withManagedFields)
}
