package main

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// unreachableErrors are errors of the library that this adapter's way of calling it does not come to, by kind.
func unreachableErrors() map[string]error {
	return map[string]error{
		kindUnsupportedPatchFormat: mergepatch.ErrUnsupportedStrategicMergePatchFormat,
		kindUnknownField:           fmt.Errorf("in the spec: %w", strategicpatch.FieldNotFoundError{Path: "spec", Field: "a"}),
		kindSchemaMismatch:         strategicpatch.InvalidTypeError{Path: "spec", Expected: "array", Actual: "map"},
		kindWrongKind:              mergepatch.ErrBadArgKind(struct{}{}, nil),
		kindMixedList:              errors.New("invalid element type in merging list:[1]"),
		kindInvalidDirective:       mergepatch.ErrPatchContentNotMatchRetainKeys,
	}
}
