//go:build release_0_20

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// applyConfiguration applies and forces, with the patch that releases before 0.22 have.
func applyConfiguration(ctx context.Context, kube client.Client, object *unstructured.Unstructured) error {
	return kube.Patch(ctx, object, client.Apply, client.ForceOwnership)
}
