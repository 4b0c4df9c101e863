//go:build release_0_25

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// applyConfiguration applies and forces.
func applyConfiguration(ctx context.Context, kube client.Client, object *unstructured.Unstructured) error {
	return kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.ForceOwnership)
}
