//go:build !no_managed_fields

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

var managedFieldsTasks = []task{
	{name: "normalize-union", run: (*call).normalizeUnion},
	{name: "server-side-apply", run: (*call).serverSideApply},
	{name: "managed-update", run: (*call).managedUpdate},
	{name: "upgrade-managed-fields", run: (*call).upgradeManagedFields},
}

// fieldManagement is the field manager of the library for one request, and what it works with.
type fieldManagement struct {
	manager  *managedfields.FieldManager
	resource *resource
	types    *recordingTypeConverter
	endpoint apischema.GroupVersionKind
}

// fieldManagement sets up the field manager of the endpoint that the document `sent` is sent to.
func (c *call) fieldManagement(sent *unstructured.Unstructured) (*fieldManagement, error) {
	options := &c.req.Options
	endpoint := sent.GroupVersionKind()
	if options.APIVersion != "" {
		groupVersion, err := apischema.ParseGroupVersion(options.APIVersion)
		if err != nil {
			return nil, &badRequest{err.Error()}
		}
		endpoint = groupVersion.WithKind(endpoint.Kind)
	}
	if endpoint.Version == "" || endpoint.Kind == "" {
		return nil, &kindedError{kindInvalidDocument, `an object needs "apiVersion" and "kind"`}
	}
	r, err := newResource(endpoint, options.Versions, c.root)
	if err != nil {
		return nil, err
	}
	r.custom = options.Lookup == lookupUnstructured
	types := &recordingTypeConverter{inner: managedfields.NewDeducedTypeConverter()}
	if c.schema != nil {
		if types.inner, err = c.schema.typeConverter(r); err != nil {
			return nil, err
		}
	}
	manager, err := managedfields.NewDefaultCRDFieldManager(
		types, r, r, r, endpoint, endpoint.GroupVersion(), options.Subresource, r.resetFilters())
	if err != nil {
		return nil, err
	}
	return &fieldManagement{manager: manager, resource: r, types: types, endpoint: endpoint}, nil
}

// liveObject is the live object. For one that does not exist, handlers pass an object with only a version and a kind.
func (c *call) liveObject(sent *unstructured.Unstructured) (*managedObject, error) {
	live, err := decodeManagedObject(c.req.Documents.Live)
	if err != nil {
		return nil, err
	}
	if len(live.Object) == 0 {
		live.Object = map[string]any{"apiVersion": sent.Object["apiVersion"], "kind": sent.Object["kind"]}
	}
	return live, nil
}

// serverSideApply does what the patch handler of an API server does with an apply configuration.
func (c *call) serverSideApply() ([]byte, error) {
	if err := required("configuration", c.req.Documents.Configuration); err != nil {
		return nil, err
	}
	content, err := decodeObject(c.req.Documents.Configuration)
	if err != nil {
		return nil, err
	}
	configuration := &unstructured.Unstructured{Object: content}
	management, err := c.fieldManagement(configuration)
	if err != nil {
		return nil, err
	}
	live, err := c.liveObject(configuration)
	if err != nil {
		return nil, err
	}
	result, err := management.manager.Apply(live, configuration, c.req.Options.Manager, c.req.Options.Force)
	if err != nil {
		return nil, management.classify(err, "")
	}
	return appendObject(result)
}

// managedUpdate records the owners of fields as the create, update and patch handlers of an API server do.
func (c *call) managedUpdate() ([]byte, error) {
	if err := required("new", c.req.Documents.New); err != nil {
		return nil, err
	}
	updated, err := decodeManagedObject(c.req.Documents.New)
	if err != nil {
		return nil, err
	}
	management, err := c.fieldManagement(&updated.Unstructured)
	if err != nil {
		return nil, err
	}
	live, err := c.liveObject(&updated.Unstructured)
	if err != nil {
		return nil, err
	}
	// The library adds the name to errors, and changes the object.
	prefix := fmt.Sprintf("failed to update ManagedFields (%v/%v; %v): ",
		updated.GetNamespace(), updated.GetName(), management.endpoint)
	result, err := management.manager.Update(live, updated, c.req.Options.Manager)
	if err != nil {
		return nil, management.classify(err, prefix)
	}
	return appendObject(result)
}

// upgradeManagedFields migrates the managers of client-side apply, as kubectl and controllers do before they use
// server-side apply.
func (c *call) upgradeManagedFields() ([]byte, error) {
	if err := required("live", c.req.Documents.Live); err != nil {
		return nil, err
	}
	live, err := decodeManagedObject(c.req.Documents.Live)
	if err != nil {
		return nil, err
	}
	options := &c.req.Options
	err = csaupgrade.UpgradeManagedFields(
		live, sets.New(options.CSAManagers...), options.Manager, csaupgrade.Subresource(options.Subresource))
	if err != nil {
		return nil, &kindedError{kindInvalidManagedFields, err.Error()}
	}
	return appendObject(live)
}

func appendObject(object runtime.Object) ([]byte, error) {
	return appendMap(nil, object.(runtime.Unstructured).UnstructuredContent())
}

// recordingTypeConverter converts managedObject, and remembers the errors of typed values. The library wraps them as
// text, in which their parts cannot be told apart.
type recordingTypeConverter struct {
	inner    managedfields.TypeConverter
	failures []typed.ValidationErrors
}

// ObjectToTyped implements managedfields.TypeConverter.
func (c *recordingTypeConverter) ObjectToTyped(
	object runtime.Object, options ...typed.ValidationOptions,
) (*typed.TypedValue, error) {
	if managed, ok := object.(*managedObject); ok {
		object = &managed.Unstructured
	}
	value, err := c.inner.ObjectToTyped(object, options...)
	if err == nil {
		err = checkDistinctNumbers(value)
	}
	if failures, ok := err.(typed.ValidationErrors); ok {
		c.failures = append(c.failures, failures)
	}
	if err != nil {
		return nil, err
	}
	return value, nil
}

// TypedToObject implements managedfields.TypeConverter.
func (c *recordingTypeConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	object, err := c.inner.TypedToObject(value)
	if err != nil {
		return nil, err
	}
	return &managedObject{Unstructured: *object.(*unstructured.Unstructured)}, nil
}
