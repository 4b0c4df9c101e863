//go:build !no_managed_fields

package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// resource is a kind with the API versions that a request declares.
type resource struct {
	kind     string
	versions []resourceVersion
	// custom says that the object is a custom resource, whose converter refuses a version that the definition lacks.
	custom bool
	// failures are the errors of conversions. The library wraps them as text.
	failures []error
}

type resourceVersion struct {
	groupVersion apischema.GroupVersion
	// root is the component of the schema that describes the objects of this version.
	root    string
	renames []rename
	resets  [][]string
}

// newResource is the resource of a request with this endpoint.
func newResource(
	endpoint apischema.GroupVersionKind, declared []versionRequest, root string,
) (*resource, error) {
	if len(declared) == 0 {
		declared = []versionRequest{{APIVersion: endpoint.GroupVersion().String()}}
	}
	r := &resource{kind: endpoint.Kind}
	for _, d := range declared {
		groupVersion, err := apischema.ParseGroupVersion(d.APIVersion)
		if err != nil || groupVersion.Empty() {
			return nil, &badRequest{fmt.Sprintf("%q is no API version", d.APIVersion)}
		}
		if r.version(groupVersion) != nil {
			return nil, &badRequest{fmt.Sprintf("the API version %q is declared twice", d.APIVersion)}
		}
		for _, rename := range d.Renames {
			if len(rename.Hub) == 0 || len(rename.Version) == 0 {
				return nil, &badRequest{`a rename needs the paths "hub" and "version"`}
			}
		}
		version := resourceVersion{groupVersion, d.Root, d.Renames, d.ResetFields}
		if version.root == "" {
			version.root = root
		}
		r.versions = append(r.versions, version)
	}
	if r.version(endpoint.GroupVersion()) == nil {
		message := fmt.Sprintf("the request's version %q is not in \"versions\"", endpoint.GroupVersion())
		return nil, &badRequest{message}
	}
	return r, nil
}

// version is nil if the resource has no such version.
func (r *resource) version(groupVersion apischema.GroupVersion) *resourceVersion {
	for i := range r.versions {
		if r.versions[i].groupVersion == groupVersion {
			return &r.versions[i]
		}
	}
	return nil
}

// resetFilters are the filters of the field manager that leave out the fields that requests do not change.
func (r *resource) resetFilters() map[fieldpath.APIVersion]fieldpath.Filter {
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, version := range r.versions {
		if len(version.resets) == 0 {
			continue
		}
		set := fieldpath.NewSet()
		for _, path := range version.resets {
			var elements fieldpath.Path
			for _, name := range path {
				elements = append(elements, fieldpath.FieldNameElement(name))
			}
			set.Insert(elements)
		}
		filters[fieldpath.APIVersion(version.groupVersion.String())] = fieldpath.NewExcludeSetFilter(set)
	}
	return filters
}

// typesKey identifies what typeConverter builds from one schema.
func (r *resource) typesKey() string {
	var key strings.Builder
	fmt.Fprintf(&key, "%q", r.kind)
	for _, version := range r.versions {
		fmt.Fprintf(&key, " %q=%q", version.groupVersion, version.root)
	}
	return key.String()
}

// typeConverters holds the types of structured-merge-diff, by resource.typesKey.
type typeConverters = map[string]managedfields.TypeConverter

// maxTypeConverters bounds how many resources of one schema are kept.
const maxTypeConverters = 32

// typeConverter is the library's view of the types of a resource. Building it takes much longer than a request.
func (s *schema) typeConverter(r *resource) (managedfields.TypeConverter, error) {
	key := r.typesKey()
	if found, ok := s.typeConverters[key]; ok {
		return found, nil
	}
	components, err := s.componentsOf(r)
	if err != nil {
		return nil, err
	}
	built, err := managedfields.NewTypeConverter(components, false)
	if err != nil {
		return nil, &kindedError{kindInvalidSchema, err.Error()}
	}
	if len(s.typeConverters) >= maxTypeConverters {
		clear(s.typeConverters)
	}
	s.typeConverters[key] = built
	return built, nil
}

const groupVersionKindExtension = "x-kubernetes-group-version-kind"

// componentsOf copies the components, and says for each which versions of the resource it describes.
func (s *schema) componentsOf(r *resource) (map[string]*spec.Schema, error) {
	described := map[string][]any{}
	for _, version := range r.versions {
		root, _, err := s.resolve(version.root)
		if err != nil {
			return nil, err
		}
		described[root] = append(described[root], map[string]any{
			"group":   version.groupVersion.Group,
			"version": version.groupVersion.Version,
			"kind":    r.kind,
		})
	}
	components := maps.Clone(s.components)
	for name, component := range components {
		kinds, isRoot := described[name]
		if _, isMarked := component.Extensions[groupVersionKindExtension]; !isRoot && !isMarked {
			continue
		}
		copied := *component
		copied.Extensions = maps.Clone(component.Extensions)
		delete(copied.Extensions, groupVersionKindExtension)
		if isRoot {
			if copied.Extensions == nil {
				copied.Extensions = spec.Extensions{}
			}
			copied.Extensions[groupVersionKindExtension] = kinds
		}
		components[name] = &copied
	}
	return components, nil
}

// ConvertToVersion implements runtime.ObjectConvertor by the renames that the versions declare.
func (r *resource) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	out, err := r.convert(in, target)
	if err != nil {
		r.failures = append(r.failures, err)
	}
	return out, err
}

func (r *resource) convert(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	gvk := in.GetObjectKind().GroupVersionKind()
	from := r.version(gvk.GroupVersion())
	if from == nil {
		return nil, runtime.NewNotRegisteredErrForKind("the resource", gvk)
	}
	targetVersion, ok := target.(apischema.GroupVersion)
	if !ok {
		return nil, fmt.Errorf("%T is no version to convert to", target)
	}
	if from.groupVersion == targetVersion {
		return in, nil
	}
	to := r.version(targetVersion)
	if to == nil {
		if r.custom {
			// As crConverter.ConvertToVersion of k8s.io/apiextensions-apiserver.
			message := fmt.Sprintf("request to convert CR to an invalid group/version: %s", targetVersion)
			return nil, &kindedError{kindConversionFailed, message}
		}
		return nil, runtime.NewNotRegisteredErrForKind("the resource", targetVersion.WithKind(gvk.Kind))
	}
	object, ok := in.DeepCopyObject().(*managedObject)
	if !ok {
		// Only the last-applied configuration is no managedObject, and it is not converted.
		return nil, fmt.Errorf("a %T cannot be converted", in)
	}
	for _, rename := range slices.Backward(from.renames) {
		if err := moveField(object.Object, rename.Version, rename.Hub); err != nil {
			return nil, err
		}
	}
	for _, rename := range to.renames {
		if err := moveField(object.Object, rename.Hub, rename.Version); err != nil {
			return nil, err
		}
	}
	object.SetAPIVersion(targetVersion.String())
	return object, nil
}

// Convert implements runtime.ObjectConvertor. Field managers do not call it.
func (r *resource) Convert(_, _, _ any) error {
	return errors.New("objects are converted to a version, not into an object")
}

// ConvertFieldLabel implements runtime.ObjectConvertor. Field managers do not call it.
func (r *resource) ConvertFieldLabel(_ apischema.GroupVersionKind, label, _ string) (string, string, error) {
	return "", "", fmt.Errorf("the field label %q is not supported", label)
}

// New implements runtime.ObjectCreater.
func (r *resource) New(kind apischema.GroupVersionKind) (runtime.Object, error) {
	object := newManagedObject(map[string]any{})
	object.SetGroupVersionKind(kind)
	return object, nil
}

// Default implements runtime.ObjectDefaulter. The runner applies defaults.
func (r *resource) Default(runtime.Object) {}

// moveField moves a value to another path. Maps on the way are created, and removed if the move empties them.
func moveField(object map[string]any, from, to []string) error {
	value, ok := removeField(object, from)
	if !ok {
		return nil
	}
	holder := object
	for i, name := range to[:len(to)-1] {
		switch next := holder[name].(type) {
		case nil:
			created := map[string]any{}
			holder[name] = created
			holder = created
		case map[string]any:
			holder = next
		default:
			return &kindedError{kindConversionFailed, fmt.Sprintf("cannot move %s to %s: %s is not a map",
				strings.Join(from, "."), strings.Join(to, "."), strings.Join(to[:i+1], "."))}
		}
	}
	holder[to[len(to)-1]] = value
	return nil
}

// removeField removes the value at a path and returns it. It says false if no value is there.
func removeField(holder map[string]any, path []string) (any, bool) {
	name := path[0]
	value, ok := holder[name]
	if !ok {
		return nil, false
	}
	if len(path) == 1 {
		delete(holder, name)
		return value, true
	}
	inner, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	removed, ok := removeField(inner, path[1:])
	if ok && len(inner) == 0 {
		delete(holder, name)
	}
	return removed, ok
}
