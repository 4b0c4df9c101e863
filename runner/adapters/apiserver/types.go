//go:build release_1_22 || release_1_26 || release_1_27 || release_1_28 || release_1_30

package main

import (
	"fmt"
	"reflect"
	"strings"
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	// Links the schema in.
	_ "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
)

const supportsApply = true

// parser knows the types of the release for server-side apply: the schema from which client-go builds its apply
// configurations, which is generated from the OpenAPI document of kube-apiserver. Later releases have a function for
// it, applyconfigurations.NewTypeConverter.
//
//go:linkname parser k8s.io/client-go/applyconfigurations/internal.Parser
func parser() *typed.Parser

// typeConverter is applyconfigurations.NewTypeConverter for releases that do not have it.
type typeConverter struct{}

// typeOf is the type of a kind. The schema calls k8s.io/api/core/v1.Pod io.k8s.api.core.v1.Pod.
func typeOf(kind schema.GroupVersionKind) (typed.ParseableType, error) {
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return typed.ParseableType{}, err
	}
	goType := reflect.TypeOf(object).Elem()
	path, ok := strings.CutPrefix(goType.PkgPath(), "k8s.io/")
	if !ok {
		return typed.ParseableType{}, fmt.Errorf("no corresponding type for %v", kind)
	}
	found := parser().Type("io.k8s." + strings.ReplaceAll(path, "/", ".") + "." + goType.Name())
	if !found.IsValid() {
		return found, fmt.Errorf("no corresponding type for %v", kind)
	}
	return found, nil
}

// TypedToObject implements TypeConverter.
func (typeConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	object, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a %T is no object", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: object}, nil
}
