//go:build release_1_30

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
)

// ObjectToTyped implements TypeConverter.
func (typeConverter) ObjectToTyped(
	object runtime.Object, options ...typed.ValidationOptions,
) (*typed.TypedValue, error) {
	found, err := typeOf(object.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if u, ok := object.(*unstructured.Unstructured); ok {
		return found.FromUnstructured(u.Object, options...)
	}
	return found.FromStructured(object, options...)
}
