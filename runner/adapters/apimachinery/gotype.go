package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

// structType is a Go type built from a component, or the reason why there is none.
type structType struct {
	t   reflect.Type
	err error
}

// unsupportedError says that the adapter cannot do what is asked, although others might.
type unsupportedError struct{ reason string }

func (e *unsupportedError) Error() string { return e.reason }

const (
	extensionPatchStrategy = "x-kubernetes-patch-strategy"
	extensionPatchMergeKey = "x-kubernetes-patch-merge-key"
	// extensionPointer is the runner's own: OpenAPI does not say which Go types are pointers.
	extensionPointer = "x-skewer-go-pointer"
)

// goType builds a Go struct with the fields, the nesting and the patch tags of a component, so that the library
// looks fields up as it does in an API server.
func (s *schema) goType(name string) (reflect.Type, error) {
	if known, ok := s.structs[name]; ok {
		return known.t, known.err
	}
	component, err := s.component(name)
	if err != nil {
		return nil, err
	}
	// Found again while it is being built, the type contains itself, which package reflect cannot build.
	s.structs[name] = structType{err: &unsupportedError{
		fmt.Sprintf("lookup %q cannot express %q, which contains itself", lookupStruct, name)}}
	t, err := s.buildType(component)
	s.structs[name] = structType{t, err}
	return t, err
}

func (s *schema) buildType(component *spec.Schema) (reflect.Type, error) {
	if len(component.AllOf) > 0 {
		component = &component.AllOf[0]
	}
	if ref := component.Ref.String(); ref != "" {
		return s.goType(componentName(ref))
	}
	switch {
	case len(component.Properties) > 0:
		return s.buildStruct(component)
	case component.AdditionalProperties != nil && component.AdditionalProperties.Schema != nil:
		value, err := s.buildType(component.AdditionalProperties.Schema)
		if err != nil {
			return nil, err
		}
		return reflect.MapOf(reflect.TypeFor[string](), value), nil
	case component.Type.Contains("array") && component.Items != nil && component.Items.Schema != nil:
		item, err := s.buildType(component.Items.Schema)
		if err != nil {
			return nil, err
		}
		return reflect.SliceOf(item), nil
	case component.Type.Contains("array"):
		return reflect.TypeFor[[]any](), nil
	case component.Type.Contains("object"):
		return reflect.TypeFor[struct{}](), nil
	case component.Type.Contains("string") && component.Format == "byte":
		return reflect.TypeFor[[]byte](), nil
	case component.Type.Contains("string"):
		return reflect.TypeFor[string](), nil
	case component.Type.Contains("integer"):
		return reflect.TypeFor[int64](), nil
	case component.Type.Contains("number"):
		return reflect.TypeFor[float64](), nil
	case component.Type.Contains("boolean"):
		return reflect.TypeFor[bool](), nil
	default:
		return reflect.TypeFor[any](), nil
	}
}

func (s *schema) buildStruct(component *spec.Schema) (reflect.Type, error) {
	names := make([]string, 0, len(component.Properties))
	for name := range component.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	fields := make([]reflect.StructField, 0, len(names))
	for i, name := range names {
		property := component.Properties[name]
		t, err := s.buildType(&property)
		if err != nil {
			return nil, err
		}
		if pointer, ok := property.Extensions[extensionPointer].(bool); ok && pointer {
			t = reflect.PointerTo(t)
		}
		tag := "json:" + strconv.Quote(name)
		for _, extension := range []struct{ key, tag string }{
			{extensionPatchStrategy, "patchStrategy"},
			{extensionPatchMergeKey, "patchMergeKey"},
		} {
			if value, ok := property.Extensions[extension.key]; ok {
				text, ok := value.(string)
				if !ok {
					return nil, &kindedError{kindInvalidSchema, fmt.Sprintf("%s of %q is no string", extension.key, name)}
				}
				tag += " " + extension.tag + ":" + strconv.Quote(text)
			}
		}
		fields = append(fields, reflect.StructField{
			Name: "Field" + strconv.Itoa(i),
			Type: t,
			Tag:  reflect.StructTag(tag),
		})
	}
	return reflect.StructOf(fields), nil
}
