//go:build release_1_22 || release_1_26

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
)

func setFieldManager(scope *handlers.RequestScope, kind schema.GroupVersionKind) (err error) {
	scope.FieldManager, err = fieldmanager.NewDefaultFieldManager(
		typeConverter{}, scope.UnsafeConvertor, scope.Defaulter, scope.Creater, kind, scope.HubGroupVersion,
		scope.Subresource, nil)
	return err
}
