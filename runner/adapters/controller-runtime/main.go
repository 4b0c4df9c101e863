// Command skewer-controller-runtime answers the Skewer adapter protocol with the client of controller-runtime, called as a
// controller calls it. The protocol is described in ../PROTOCOL.md.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"skewer.dev/clients"
)

// controller is the field manager that the cases give a controller.
const controller = "controller"

func main() {
	clients.Main(clients.Client{
		Name:   "controller-runtime",
		Module: "sigs.k8s.io/controller-runtime",
		Tools:  []string{"controller-update", "controller-patch", "controller-apply"},
		Apply:  apply,
	})
}

func apply(ctx context.Context, exchange *clients.Exchange) error {
	wanted := &unstructured.Unstructured{}
	if err := wanted.UnmarshalJSON(exchange.Manifest); err != nil {
		return err
	}
	kube, err := client.New(exchange.Config, client.Options{})
	if err != nil {
		return err
	}
	kube = client.WithFieldOwner(kube, controller)
	if exchange.Tool == "controller-apply" {
		return applyConfiguration(ctx, kube, wanted)
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(wanted.GroupVersionKind())
	object.SetNamespace(wanted.GetNamespace())
	object.SetName(wanted.GetName())
	// The fields of the manifest are set, as in most controllers.
	mutate := func() error { return merge(object, exchange.Manifest) }
	switch exchange.Tool {
	case "controller-update":
		_, err = controllerutil.CreateOrUpdate(ctx, kube, object, mutate)
	case "controller-patch":
		_, err = controllerutil.CreateOrPatch(ctx, kube, object, mutate)
	default:
		err = fmt.Errorf("unknown tool %s", exchange.Tool)
	}
	return err
}

// merge sets the fields of a manifest in an object.
func merge(object *unstructured.Unstructured, manifest json.RawMessage) error {
	live, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	merged, err := jsonpatch.MergePatch(live, manifest)
	if err != nil {
		return err
	}
	return object.UnmarshalJSON(merged)
}
