//go:build release_1_20

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers"
)

// The client-go of this release does not contain the types of server-side apply.
const supportsApply = false

func setFieldManager(*handlers.RequestScope, schema.GroupVersionKind) error { return nil }
