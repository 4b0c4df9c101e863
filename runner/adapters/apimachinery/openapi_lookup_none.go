//go:build no_openapi_v3

package main

import (
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

var lookups = []string{lookupStruct, lookupUnstructured}

func (s *schema) openAPILookup(*spec.Schema) (strategicpatch.LookupPatchMeta, error) {
	return nil, &unsupportedError{"this release does not find patch metadata in OpenAPI v3 documents"}
}
