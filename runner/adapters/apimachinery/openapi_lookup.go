//go:build !no_openapi_v3

package main

import (
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

var lookups = []string{lookupOpenAPI, lookupStruct, lookupUnstructured}

func (s *schema) openAPILookup(component *spec.Schema) (strategicpatch.LookupPatchMeta, error) {
	return strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: s.components, Schema: component}, nil
}
