//go:build !no_managed_fields

package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

func init() {
	// The library logs managed fields that it cannot read, and waits a millisecond after each. The reply tells the same.
	utilruntime.ErrorHandlers = nil
}

// managedObject is an unstructured object whose managed fields keep the bytes of `fieldsV1`. Those of
// unstructured.Unstructured pass through a map, which loses the order of the members.
type managedObject struct {
	unstructured.Unstructured
	// managedFields are the entries with their exact bytes. They are nil if the object has none that can be read, or
	// if the object is the result of a merge, whose entries the library writes later.
	managedFields []metav1.ManagedFieldsEntry
}

// newManagedObject takes over the content of an object, in which `fieldsV1` can be a string of JSON text.
func newManagedObject(content map[string]any) *managedObject {
	object := &managedObject{Unstructured: unstructured.Unstructured{Object: content}}
	texts := removeFieldsV1(content)
	// The library decides which entries can be read.
	object.managedFields = object.Unstructured.GetManagedFields()
	for i, text := range texts {
		if i < len(object.managedFields) {
			object.managedFields[i].FieldsV1 = metav1.NewFieldsV1(text)
		}
	}
	return object
}

// removeFieldsV1 removes the strings in `fieldsV1`, which are objects in an object on the wire, and returns them by the
// index of their entry. Nothing looks for the fields in the content, only for the list of the entries.
func removeFieldsV1(content map[string]any) map[int]string {
	entries, _, _ := unstructured.NestedFieldNoCopy(content, "metadata", "managedFields")
	list, _ := entries.([]any)
	texts := map[int]string{}
	for i, item := range list {
		entry, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text, ok := entry["fieldsV1"].(string)
		if !ok {
			continue
		}
		delete(entry, "fieldsV1")
		// On the wire, null is an entry without fields.
		if text != "null" {
			texts[i] = text
		}
	}
	return texts
}

// GetManagedFields implements metav1.Object.
func (o *managedObject) GetManagedFields() []metav1.ManagedFieldsEntry {
	return o.managedFields
}

// SetManagedFields implements metav1.Object. It writes the entries as replies have them: without times, and with
// `fieldsV1` as a string.
func (o *managedObject) SetManagedFields(entries []metav1.ManagedFieldsEntry) {
	o.managedFields = entries
	if entries == nil {
		unstructured.RemoveNestedField(o.Object, "metadata", "managedFields")
		return
	}
	list := make([]any, 0, len(entries))
	for _, entry := range entries {
		list = append(list, managedFieldsMember(entry))
	}
	// As in Unstructured, an object whose metadata is no map does not get any.
	_ = unstructured.SetNestedField(o.Object, list, "metadata", "managedFields")
}

func managedFieldsMember(entry metav1.ManagedFieldsEntry) map[string]any {
	member := map[string]any{}
	for name, value := range map[string]string{
		"manager":     entry.Manager,
		"operation":   string(entry.Operation),
		"apiVersion":  entry.APIVersion,
		"fieldsType":  entry.FieldsType,
		"subresource": entry.Subresource,
	} {
		if value != "" {
			member[name] = value
		}
	}
	if entry.FieldsV1 != nil {
		member["fieldsV1"] = entry.FieldsV1.GetRawString()
	}
	return member
}

// DeepCopyObject implements runtime.Object.
func (o *managedObject) DeepCopyObject() runtime.Object {
	copied := &managedObject{Unstructured: *o.Unstructured.DeepCopy()}
	for i := range o.managedFields {
		copied.managedFields = append(copied.managedFields, *o.managedFields[i].DeepCopy())
	}
	return copied
}

// decodeManagedObject reads the document of an object that exists.
func decodeManagedObject(text json.RawMessage) (*managedObject, error) {
	content, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	return newManagedObject(content), nil
}
