// Command skewer-flux answers the Skewer adapter protocol with the ResourceManager of Flux, called with the options of the
// kustomize-controller. The protocol is described in ../PROTOCOL.md.
package main

import (
	"context"

	"github.com/fluxcd/pkg/ssa"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"skewer.dev/clients"
)

// controller is the field manager of the kustomize-controller.
const controller = "kustomize-controller"

func main() {
	clients.Main(clients.Client{
		Name:   "Flux",
		Module: "github.com/fluxcd/pkg/ssa",
		Tools:  []string{"flux"},
		Apply:  apply,
	})
}

func apply(ctx context.Context, exchange *clients.Exchange) error {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(exchange.Manifest); err != nil {
		return err
	}
	kube, err := client.New(exchange.Config, client.Options{})
	if err != nil {
		return err
	}
	manager := ssa.NewResourceManager(kube, nil, ssa.Owner{Field: controller, Group: "kustomize.toolkit.fluxcd.io"})
	// ApplyAllStaged would wait for namespaces and cluster roles, for which the manager needs a poller.
	_, err = manager.ApplyAll(ctx, []*unstructured.Unstructured{object}, options())
	return err
}

// options returns the options of a Kustomization. Upstream: KustomizationReconciler.apply
// (fluxcd/kustomize-controller, internal/controller).
func options() ssa.ApplyOptions {
	options := ssa.DefaultApplyOptions()
	options.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{
			corev1.LastAppliedConfigAnnotation,
			"kustomize.toolkit.fluxcd.io/checksum",
			"fluxcd.io/sync-checksum",
		},
		Labels: []string{"fluxcd.io/sync-gc-mark"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: controller, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
	}
	return options
}
