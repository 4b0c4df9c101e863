package main

import (
	"context"
	"encoding/json"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definitionvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"skewer.dev/conversation"
)

// validateDefinition says whether a server accepts a definition, alone or in place of an old one.
func validateDefinition(req *request) conversation.Outcome {
	if isMissing(req.Documents.New) {
		return conversation.Outcome{Broken: "validate-definition needs the document new"}
	}
	crd, internal, err := readDefinition(req.Documents.New)
	if err != nil {
		return refusal("undecodable", err.Error())
	}
	var list field.ErrorList
	if isMissing(req.Documents.Old) {
		list = definitionvalidation.ValidateCustomResourceDefinition(context.Background(), internal)
	} else {
		_, old, err := readDefinition(req.Documents.Old)
		if err != nil {
			return refusal("undecodable", "the old definition: "+err.Error())
		}
		// A server keeps the status of an update of the main resource.
		internal.Status = *old.Status.DeepCopy()
		list = definitionvalidation.ValidateCustomResourceDefinitionUpdate(context.Background(), internal, old)
	}
	errs := []admissionError{}
	for _, err := range list {
		err.Field = inVersion(err.Field, crd)
		converted, _ := fieldErrors(field.ErrorList{err})
		errs = append(errs, converted...)
	}
	encoded, err := json.Marshal(struct {
		Errors []admissionError `json:"errors"`
	}{errs})
	if err != nil {
		return refusal("unclassified", err.Error())
	}
	return conversation.Outcome{Result: encoded}
}

// hoisted are the parts of a definition that the internal version has once if all versions have the same, each with its
// name in a version.
var hoisted = map[string]string{
	"validation": "schema", "subresources": "subresources",
	"additionalPrinterColumns": "additionalPrinterColumns", "selectableFields": "selectableFields",
}

// inVersion is the path in the document: the internal version has what all versions have in common in the spec.
func inVersion(path string, crd *apiextensionsv1.CustomResourceDefinition) string {
	rest, found := strings.CutPrefix(path, "spec.")
	if !found || len(crd.Spec.Versions) == 0 {
		return path
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	if place, found := hoisted[rest[:end]]; found {
		return "spec.versions[0]." + place + rest[end:]
	}
	return path
}
