package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"skewer.dev/requests"
)

// errMissingVersion says that the resource has no such version.
var errMissingVersion = errors.New("the resource does not have the version")

// resource has the type of each version.
type resource struct {
	types map[fieldpath.APIVersion]typed.ParseableType
	// filters leave out the fields that requests do not change.
	filters map[fieldpath.APIVersion]fieldpath.Filter
}

var _ merge.Converter = (*resource)(nil)

// resourceOf returns the resource of a request to the endpoint with this version.
func resourceOf(call *requests.Call, endpoint string) (*resource, error) {
	versions := call.Options.Versions
	if len(versions) == 0 {
		versions = []requests.Version{{APIVersion: endpoint}}
	}
	r := &resource{
		types:   map[fieldpath.APIVersion]typed.ParseableType{},
		filters: map[fieldpath.APIVersion]fieldpath.Filter{},
	}
	for _, version := range versions {
		if len(version.Renames) > 0 {
			return nil, requests.Unsupported("the library converts no objects, it asks its caller to")
		}
		found, err := typeOf(call, version.Root)
		if err != nil {
			return nil, err
		}
		id := fieldpath.APIVersion(version.APIVersion)
		r.types[id] = found
		if len(version.ResetFields) > 0 {
			set := fieldpath.NewSet()
			for _, names := range version.ResetFields {
				var path fieldpath.Path
				for _, name := range names {
					path = append(path, fieldpath.FieldNameElement(name))
				}
				set.Insert(path)
			}
			r.filters[id] = fieldpath.NewExcludeSetFilter(set)
		}
	}
	if _, ok := r.types[fieldpath.APIVersion(endpoint)]; !ok {
		return nil, requests.Broken("the request's version %q is not in \"versions\"", endpoint)
	}
	return r, nil
}

// typeOf returns the type of the component with this name. Without a schema, types are deduced from the objects.
func typeOf(call *requests.Call, root string) (typed.ParseableType, error) {
	if call.Schema == nil {
		return typed.DeducedParseableType, nil
	}
	if root == "" {
		root = call.Root
	}
	if _, ok := call.Schema.Components[root]; !ok {
		return typed.ParseableType{}, requests.Refuse(requests.InvalidSchema, "the schema has no component %q", root)
	}
	parser, ok := call.Schema.Built["parser"].(*typed.Parser)
	if !ok {
		components := map[string]*spec.Schema{}
		for name, text := range call.Schema.Components {
			component := &spec.Schema{}
			if err := json.Unmarshal(text, component); err != nil {
				return typed.ParseableType{}, requests.Refuse(requests.InvalidSchema, "component %q: %v", name, err)
			}
			components[name] = component
		}
		converted, err := schemaconv.ToSchemaFromOpenAPI(components, false)
		if err != nil {
			return typed.ParseableType{}, requests.Refuse(requests.InvalidSchema, "%v", err)
		}
		parser = &typed.Parser{}
		converted.CopyInto(&parser.Schema)
		call.Schema.Built["parser"] = parser
	}
	return parser.Type(root), nil
}

// value returns an object with its type.
func (r *resource) value(object map[string]any, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	version, _ := object["apiVersion"].(string)
	found, ok := r.types[fieldpath.APIVersion(version)]
	if !ok {
		return nil, requests.Refuse(requests.ConversionFailed, "%v %q", errMissingVersion, version)
	}
	return found.FromUnstructured(object, options...)
}

// Convert implements merge.Converter. Versions without renames differ in `apiVersion` and in their types.
func (r *resource) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	found, ok := r.types[version]
	if !ok {
		return nil, errMissingVersion
	}
	content, ok := object.AsValue().Unstructured().(map[string]any)
	if !ok || content["apiVersion"] == string(version) {
		return object, nil
	}
	content = maps.Clone(content)
	content["apiVersion"] = string(version)
	return found.FromUnstructured(content, typed.AllowDuplicates)
}

// IsMissingVersionError implements merge.Converter.
func (r *resource) IsMissingVersionError(err error) bool { return errors.Is(err, errMissingVersion) }

// checkNumbers refuses documents with integers that are not exact as floats. With such integers in the keys of lists,
// the library may not terminate.
func checkNumbers(value any) error {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range value {
			if err := checkNumbers(item); err != nil {
				return err
			}
		}
	case int64:
		const maxExact = 1<<53 - 1
		if math.Abs(float64(value)) > maxExact {
			return requests.Unsupported("the library may not terminate on integers beyond 2^53, and is not asked")
		}
	}
	return nil
}
