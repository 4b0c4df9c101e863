package main

import (
	"encoding/json"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"skewer.dev/requests"
)

const (
	componentPrefix  = "#/components/schemas/"
	definitionPrefix = "#/definitions/"
)

// jsonPointer escapes a name as references do.
var jsonPointer = strings.NewReplacer("~", "~0", "/", "~1")

// rootSchema makes the schema of a request the only one that the library knows, and returns its root.
func (m *merger) rootSchema(call *requests.Call) (*openapi.ResourceSchema, error) {
	if m.current != call.Schema {
		definitions, err := definitions(call.Schema)
		if err != nil {
			return nil, err
		}
		openapi.ResetOpenAPI()
		// The types of the library's own Kubernetes release are not those of the request.
		openapi.SuppressBuiltInSchemaUse()
		openapi.AddDefinitions(definitions)
		m.current = call.Schema
	}
	ref, err := json.Marshal(map[string]string{"$ref": definitionPrefix + jsonPointer.Replace(call.Root)})
	if err != nil {
		return nil, err
	}
	root, err := openapi.GetSchema(string(ref), openapi.Schema())
	if err != nil {
		return nil, requests.Refuse(requests.InvalidSchema, "%v", err)
	}
	return root, nil
}

// definitions returns the components as definitions of OpenAPI v2, which the library reads. The form differs in
// references: where v3 has `allOf` with one reference and extensions beside it, v2 has the reference itself.
func definitions(schema *requests.Schema) (spec.Definitions, error) {
	definitions := spec.Definitions{}
	for name, text := range schema.Components {
		var component any
		if err := json.Unmarshal(text, &component); err != nil {
			return nil, requests.Refuse(requests.InvalidSchema, "component %q: %v", name, err)
		}
		rewritten, err := json.Marshal(rewriteReferences(component))
		if err != nil {
			return nil, err
		}
		var definition spec.Schema
		if err := json.Unmarshal(rewritten, &definition); err != nil {
			return nil, requests.Refuse(requests.InvalidSchema, "component %q: %v", name, err)
		}
		definitions[name] = definition
	}
	return definitions, nil
}

func rewriteReferences(value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = rewriteReferences(item)
		}
	case map[string]any:
		for key, member := range value {
			value[key] = rewriteReferences(member)
		}
		if ref, ok := value["$ref"].(string); ok {
			value["$ref"] = definitionPrefix + strings.TrimPrefix(ref, componentPrefix)
		}
		if all, ok := value["allOf"].([]any); ok && len(all) == 1 {
			if only, ok := all[0].(map[string]any); ok && len(only) == 1 && only["$ref"] != nil {
				delete(value, "allOf")
				value["$ref"] = only["$ref"]
			}
		}
	}
	return value
}
