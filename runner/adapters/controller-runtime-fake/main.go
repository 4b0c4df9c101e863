// Command skewer-controller-runtime-fake answers the Skewer adapter protocol with the fake client of
// sigs.k8s.io/controller-runtime, which the tests of controllers use in place of an API server. The protocol is
// described in ../PROTOCOL.md.
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"skewer.dev/client-go-fake/builtin"
	"skewer.dev/requests"
)

const libraryPath = "sigs.k8s.io/controller-runtime"

func main() { requests.Main(implementation()) }

func implementation() requests.Implementation {
	return requests.Implementation{
		Name:       libraryPath + "/pkg/client/fake",
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

// newClient returns a client that holds the live object, if it exists.
func newClient(e *builtin.Exchange) (client.Client, error) {
	b := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithReturnManagedFields()
	if e.Exists {
		live, err := e.Object(e.Live)
		if err != nil {
			return nil, err
		}
		b = b.WithRuntimeObjects(live)
	}
	return b.Build(), nil
}

// handle returns the object that a caller passes to Patch: it only says which object is meant.
func handle(e *builtin.Exchange) (client.Object, error) {
	created, err := scheme.Scheme.New(e.Kind)
	if err != nil {
		return nil, err
	}
	object, ok := created.(client.Object)
	if !ok {
		return nil, requests.Unsupported("a %s is no object that a client can patch", e.Kind.Kind)
	}
	object.SetName(e.Name)
	object.SetNamespace(e.Namespace)
	return object, nil
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
		c, err := newClient(e)
		if err != nil {
			return nil, err
		}
		object, err := handle(e)
		if err != nil {
			return nil, err
		}
		if err := c.Patch(context.Background(), object, client.RawPatch(patchType, text)); err != nil {
			return nil, builtin.PatchError(patchType, err)
		}
		return e.Result(object, false)
	}
}

// serverSideApply calls Apply with an unstructured apply configuration, which can have unknown fields.
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
	c, err := newClient(e)
	if err != nil {
		return nil, err
	}
	configuration := &unstructured.Unstructured{Object: sent}
	configuration.SetGroupVersionKind(e.Kind)
	configuration.SetName(e.Name)
	options := []client.ApplyOption{client.FieldOwner(call.Options.Manager)}
	if call.Options.Force {
		options = append(options, client.ForceOwnership)
	}
	if err := c.Apply(
		context.Background(), client.ApplyConfigurationFromUnstructured(configuration), options...); err != nil {
		return nil, err
	}
	return stored(e, c)
}

// stored reads the object that the client holds.
func stored(e *builtin.Exchange, c client.Client) ([]byte, error) {
	object, err := handle(e)
	if err != nil {
		return nil, err
	}
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(object), object); err != nil {
		return nil, err
	}
	return e.Result(object, true)
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
	object, ok := updated.(client.Object)
	if !ok {
		return nil, requests.Unsupported("a %s is no object that a client can update", e.Kind.Kind)
	}
	object.SetName(e.Name)
	c, err := newClient(e)
	if err != nil {
		return nil, err
	}
	if e.Exists {
		err = c.Update(context.Background(), object, client.FieldOwner(call.Options.Manager))
	} else {
		err = c.Create(context.Background(), object, client.FieldOwner(call.Options.Manager))
	}
	if err != nil {
		return nil, err
	}
	return stored(e, c)
}
