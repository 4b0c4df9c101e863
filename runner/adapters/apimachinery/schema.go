package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// The ways in which the library finds the patch metadata of a field.
const (
	lookupOpenAPI = "openapi"
	lookupStruct  = "struct"
	// lookupUnstructured: the object is a custom resource, which has no Go type to look into.
	lookupUnstructured = "unstructured"
)

// schema is an OpenAPI document that requests refer to.
type schema struct {
	root       string
	components map[string]*spec.Schema
	// structs holds the Go types built from components for lookupStruct, by component.
	structs map[string]structType
	// typeConverters holds the types of structured-merge-diff, by resource.typesKey.
	typeConverters typeConverters
}

// schemaCache holds the schemas by the id that the runner gave them.
type schemaCache struct {
	byID map[string]*schema
}

func newSchemaCache() schemaCache {
	return schemaCache{byID: map[string]*schema{}}
}

// find returns the schema that a request sends or refers to, and the name of its root type.
func (c *schemaCache) find(req *schemaRequest) (*schema, string, error) {
	if req.OpenAPI == nil {
		found, ok := c.byID[req.ID]
		if !ok {
			return nil, "", &badRequest{fmt.Sprintf("a schema with id %q has not been sent", req.ID)}
		}
		if req.Root != "" {
			return found, req.Root, nil
		}
		return found, found.root, nil
	}
	read, err := readSchema(req.OpenAPI)
	if err != nil {
		return nil, "", &kindedError{kindInvalidSchema, "the schema is not an OpenAPI document: " + err.Error()}
	}
	read.root = req.Root
	if req.ID != "" {
		c.byID[req.ID] = read
	}
	return read, req.Root, nil
}

func readSchema(text []byte) (*schema, error) {
	var document struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	for name, component := range document.Components.Schemas {
		if component == nil {
			return nil, fmt.Errorf("component %q is null", name)
		}
	}
	return &schema{
		components:     document.Components.Schemas,
		structs:        map[string]structType{},
		typeConverters: typeConverters{},
	}, nil
}

// component is the schema with this name, behind references.
func (s *schema) component(name string) (*spec.Schema, error) {
	_, component, err := s.resolve(name)
	return component, err
}

// resolve is the schema with this name, behind references, and the name of the component that it is or is in.
func (s *schema) resolve(name string) (string, *spec.Schema, error) {
	for range len(s.components) + 1 {
		component, ok := s.components[name]
		if !ok {
			return "", nil, &kindedError{kindInvalidSchema, fmt.Sprintf("the schema has no component %q", name)}
		}
		if len(component.AllOf) > 0 {
			component = &component.AllOf[0]
		}
		ref := component.Ref.String()
		if ref == "" {
			return name, component, nil
		}
		name = componentName(ref)
	}
	return "", nil, &kindedError{kindInvalidSchema, fmt.Sprintf("component %q refers to itself", name)}
}

func componentName(ref string) string {
	return strings.TrimPrefix(ref, "#/components/schemas/")
}

// lookup is the library's view of the schema.
func (s *schema) lookup(root, kind string) (strategicpatch.LookupPatchMeta, error) {
	component, err := s.component(root)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "", lookupOpenAPI:
		return s.openAPILookup(component)
	case lookupStruct:
		t, err := s.goType(root)
		if err != nil {
			return nil, err
		}
		return strategicpatch.PatchMetaFromStruct{T: t}, nil
	case lookupUnstructured:
		return strategicpatch.NewPatchMetaFromStruct(&unstructured.Unstructured{})
	default:
		return nil, &unsupportedError{fmt.Sprintf("lookup %q is not known", kind)}
	}
}
