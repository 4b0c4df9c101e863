package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"skewer.dev/conversation"
)

// definitionError is an error of a definition. Its reason is what upstream's type of the error is printed as.
type definitionError struct {
	Reason  string `json:"reason"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// validateDefinition says whether a server accepts a definition, alone or in place of an old one.
func validateDefinition(req *request) conversation.Outcome {
	if isMissing(req.Documents.New) {
		return conversation.Outcome{Broken: "validate-definition needs the document new"}
	}
	_, definition, err := readDefinition(req.Documents.New)
	if err != nil {
		return refusal("undecodable", err.Error())
	}
	strategy := customresourcedefinition.NewStrategy(scheme)
	var list field.ErrorList
	if isMissing(req.Documents.Old) {
		strategy.PrepareForCreate(context.Background(), definition)
		list = strategy.Validate(context.Background(), definition)
	} else {
		_, old, err := readDefinition(req.Documents.Old)
		if err != nil {
			return refusal("undecodable", "the old definition: "+err.Error())
		}
		completeDefinition(definition, old)
		strategy.PrepareForUpdate(context.Background(), definition, old)
		list = strategy.ValidateUpdate(context.Background(), definition, old)
	}
	encoded, err := json.Marshal(map[string]any{"errors": definitionErrors(list, len(definition.Spec.Versions))})
	if err != nil {
		return refusal("unclassified", err.Error())
	}
	return conversation.Outcome{Result: encoded}
}

// completeDefinition adds what an update needs and documents leave out, as completeForUpdate does.
func completeDefinition(definition, old *apiextensions.CustomResourceDefinition) {
	// Servers set the generation.
	old.Generation = max(old.Generation, 1)
	old.ResourceVersion = cmp.Or(old.ResourceVersion, "1")
	definition.ResourceVersion = cmp.Or(definition.ResourceVersion, old.ResourceVersion)
	definition.Generation = old.Generation
}

// definitionErrors converts errors, with their paths in the document.
func definitionErrors(list field.ErrorList, versions int) []definitionError {
	converted := []definitionError{}
	for _, err := range list {
		for _, at := range inVersions(definitionField(err), versions) {
			converted = append(converted, definitionError{err.Type.String(), inDocument(at), err.ErrorBody()})
		}
	}
	slices.SortFunc(converted, func(a, b definitionError) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return converted
}

// inDefault is the message of an error of allOf and the like in a default: it begins with the path in the default.
var inDefault = regexp.MustCompile(`^"([^"]*)" must (not )?validate `)

// definitionField is the field of an error.
func definitionField(err *field.Error) string {
	if match := inDefault.FindStringSubmatch(err.Detail); match != nil && match[1] != "" {
		return err.Field + "." + match[1]
	}
	if match := outOfRange.FindStringSubmatch(err.Detail); match != nil && strings.Contains(err.Field, ".default") {
		return err.Field + "." + match[1]
	}
	return err.Field
}

// hoisted are the parts of a definition that the internal version has once if all versions have the same, each with its
// name in a version.
var hoisted = map[string]string{
	"validation": "schema", "schema": "schema", "subresources": "subresources",
	"additionalPrinterColumns": "additionalPrinterColumns", "selectableFields": "selectableFields",
}

// inVersions are the paths in the document of an error: the internal version has what all versions have in common in the
// spec, and the name of the first version.
func inVersions(path string, versions int) []string {
	if strings.HasPrefix(path, "status.storedVersions") {
		// The status is that of the stored definition.
		return []string{"spec.versions"}
	}
	rest, found := strings.CutPrefix(path, "spec.")
	if !found {
		return []string{path}
	}
	if rest == "version" {
		return []string{"spec.versions[0].name"}
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	place, found := hoisted[rest[:end]]
	if !found {
		return []string{path}
	}
	var paths []string
	for version := range versions {
		paths = append(paths, fmt.Sprintf("spec.versions[%d].%s%s", version, place, rest[end:]))
	}
	return paths
}

// renamed are parts of paths that the internal version has, and those in a document. ValidateWebhookService takes the name of
// a service for its namespace, and the reverse.
var renamed = strings.NewReplacer(
	".webhookClientConfig.service.namespace", ".webhook.clientConfig.service.name",
	".webhookClientConfig.service.name", ".webhook.clientConfig.service.namespace",
	".webhookClientConfig", ".webhook.clientConfig",
	"conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions",
	"].JSONPath", "].jsonPath",
)

// key is the key of a map in a path.
var key = regexp.MustCompile(`\[([^\]]*[^\]0-9][^\]]*)\]`)

// inDocument writes a path as Skewer does: `properties.a`, where upstream has `properties[a]`.
func inDocument(path string) string {
	path = strings.NewReplacer("..", ".", ".[", "[").Replace(renamed.Replace(path))
	path = strings.TrimSuffix(path, ".")
	return key.ReplaceAllStringFunc(path, func(match string) string {
		if name := match[1 : len(match)-1]; !strings.ContainsAny(name, `."`) {
			return "." + name
		}
		return fmt.Sprintf("[%q]", match[1:len(match)-1])
	})
}
