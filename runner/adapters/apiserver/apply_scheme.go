//go:build !release_1_20 && !release_1_22 && !release_1_26 && !release_1_27 && !release_1_28 && !release_1_30

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

const supportsApply = true

func setFieldManager(scope *handlers.RequestScope, kind schema.GroupVersionKind) (err error) {
	scope.FieldManager, err = managedfields.NewDefaultFieldManager(
		applyconfigurations.NewTypeConverter(scheme.Scheme), scope.UnsafeConvertor, scope.Defaulter, scope.Creater, kind,
		scope.HubGroupVersion, scope.Subresource, nil)
	return err
}
