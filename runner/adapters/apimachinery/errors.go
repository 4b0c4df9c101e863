package main

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// The error kinds of engine/src/error.rs that the library can come to, and two of the protocol's own.
const (
	kindInvalidDocument        = "invalid-document"
	kindTooDeep                = "too-deep"
	kindUnknownField           = "unknown-field"
	kindSchemaMismatch         = "schema-mismatch"
	kindWrongKind              = "wrong-kind"
	kindListOfLists            = "list-of-lists"
	kindMixedList              = "mixed-list"
	kindEmptyList              = "empty-list"
	kindMissingMergeKey        = "missing-merge-key"
	kindUndeclaredMergeKey     = "undeclared-merge-key"
	kindInvalidDirective       = "invalid-directive"
	kindBadStrategy            = "bad-strategy"
	kindConflict               = "conflict"
	kindPreconditionFailed     = "precondition-failed"
	kindUnsupportedPatchFormat = "unsupported-patch-format"
	kindJSONPatchFailed        = "json-patch-failed"
	kindInvalidSchema          = "invalid-schema"

	kindFieldNotDeclared     = "field-not-declared"
	kindDuplicateListItem    = "duplicate-list-item"
	kindMissingListKeys      = "missing-list-keys"
	kindInvalidListItem      = "invalid-list-item"
	kindInvalidManagedFields = "invalid-managed-fields"
	kindWrongAPIVersion      = "wrong-api-version"
	kindConversionFailed     = "conversion-failed"
	kindIndistinctNumbers    = "indistinct-numbers"

	kindUnionSeveralMembers      = "union-several-members"
	kindUnionUnselectedMemberSet = "union-unselected-member-set"

	kindPanic        = "panic"
	kindUnclassified = "unclassified"
)

// The directives that the library refuses with errors of their own.
const (
	directivePatch                   = "$patch"
	directiveRetainKeys              = "$retainKeys"
	directiveSetElementOrder         = "$setElementOrder"
	directiveDeleteFromPrimitiveList = "$deleteFromPrimitiveList"
)

// kindedError is an error of the adapter itself, which knows its kind.
type kindedError struct {
	kind    string
	message string
}

func (e *kindedError) Error() string { return e.message }

// applyError is a refusal of a field manager, which can have several kinds, or conflicts.
type applyError struct{ refusal refusal }

func (e *applyError) Error() string { return e.refusal.Message }

// sentinels are the error values of the library.
var sentinels = []struct {
	err  error
	kind string
	// directive is the name of the directive for kindInvalidDirective.
	directive string
}{
	{mergepatch.ErrBadJSONDoc, kindInvalidDocument, ""},
	{mergepatch.ErrNoListOfLists, kindListOfLists, ""},
	{mergepatch.ErrBadPatchFormatForPrimitiveList, kindInvalidDirective, directiveDeleteFromPrimitiveList},
	{mergepatch.ErrBadPatchFormatForRetainKeys, kindInvalidDirective, directiveRetainKeys},
	{mergepatch.ErrPatchContentNotMatchRetainKeys, kindInvalidDirective, directiveRetainKeys},
	{mergepatch.ErrBadPatchFormatForSetElementOrderList, kindInvalidDirective, directiveSetElementOrder},
	{mergepatch.ErrUnsupportedStrategicMergePatchFormat, kindUnsupportedPatchFormat, ""},
	{errBadJSONDoc, kindInvalidDocument, ""},
	{errBadJSONPatch, kindInvalidDocument, ""},
}

// prefixes are the beginnings of errors that the library builds with fmt.Errorf. Documents are printed into
// these messages, so that only the beginning can be trusted.
var prefixes = []struct {
	prefix    string
	kind      string
	directive string
}{
	// strategicpatch/meta.go and third_party/forked/golang/json/fields.go
	{"unable to find api field", kindUnknownField, ""},
	{"merging an object in json but data type is not struct", kindUnknownField, ""},
	{"unable to resolve ", kindInvalidSchema, ""},
	{"unexpected slice of slice", kindListOfLists, ""},
	{"expected slice or array type", kindSchemaMismatch, ""},
	// strategicpatch/types.go, reached only through PatchMetaFromOpenAPI
	{"expected kind, but got", kindSchemaMismatch, ""},
	{"expected slice, but got", kindSchemaMismatch, ""},
	{"expected visit kind first", kindSchemaMismatch, ""},
	// mergepatch/errors.go
	{"expected a ", kindWrongKind, ""},
	{"unknown patch type: ", kindInvalidDirective, directivePatch},
	// strategicpatch/patch.go
	{"invalid value for special key: ", kindInvalidDirective, directivePatch},
	{"The order in patch list", kindInvalidDirective, directiveSetElementOrder},
	{"cannot merge lists without merge key", kindUndeclaredMergeKey, ""},
	{"merging lists cannot yet be specified in the patch", kindInvalidDirective, directivePatch},
	{"value for key ", kindWrongKind, ""},
	{"list element types are not identical", kindMixedList, ""},
	{"invalid element type in merging list", kindMixedList, ""},
	{"no elements in any of the given slices", kindEmptyList, ""},
	{"cannot find merge key ", kindMissingMergeKey, ""},
	{"unexpected patch strategy", kindBadStrategy, ""},
	{"unknown type: ", kindWrongKind, ""},
	// jsonmergepatch/patch.go and json-patch/merge.go
	{"precondition failed for: ", kindPreconditionFailed, ""},
	{"failed to unmarshal patch for precondition check", kindInvalidDocument, ""},
	{"json: cannot unmarshal ", kindInvalidDocument, ""},
	{"Mismatched JSON Documents", kindWrongKind, ""},
	// json-patch, in versions that do not export these errors, or export others than those of the adapter
	{"Invalid JSON Document", kindInvalidDocument, ""},
	{"Invalid JSON Patch", kindInvalidDocument, ""},
}

// classify maps an error of the library to the id of one of Skewer's error kinds, and to the directive that it is about.
func classify(err error) (kind, directive string) {
	var kinded *kindedError
	if errors.As(err, &kinded) {
		return kinded.kind, ""
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return s.kind, s.directive
		}
	}
	switch {
	case mergepatch.IsConflict(err):
		return kindConflict, ""
	case mergepatch.IsPreconditionFailed(err):
		return kindPreconditionFailed, ""
	case errors.As(err, new(strategicpatch.FieldNotFoundError)):
		return kindUnknownField, ""
	case errors.As(err, new(strategicpatch.InvalidTypeError)):
		return kindSchemaMismatch, ""
	}
	message := err.Error()
	// Two messages begin with the document.
	switch {
	case strings.HasPrefix(message, "map: map[") && strings.Contains(message, "does not contain declared merge key: "):
		return kindMissingMergeKey, ""
	case strings.HasSuffix(message, " are not deep equal: this may happen when calculating the 3-way diff patch"):
		return kindInvalidDirective, directiveRetainKeys
	}
	for _, p := range prefixes {
		if strings.HasPrefix(message, p.prefix) {
			return p.kind, p.directive
		}
	}
	return kindUnclassified, ""
}
