package builtin

import (
	"errors"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"

	"skewer.dev/conversation"
	"skewer.dev/requests"
)

var sentinels = []struct {
	err             error
	kind, directive string
}{
	{mergepatch.ErrBadJSONDoc, requests.InvalidDocument, ""},
	{mergepatch.ErrNoListOfLists, "list-of-lists", ""},
	{mergepatch.ErrBadPatchFormatForPrimitiveList, requests.InvalidDirective, "$deleteFromPrimitiveList"},
	{mergepatch.ErrBadPatchFormatForRetainKeys, requests.InvalidDirective, "$retainKeys"},
	{mergepatch.ErrPatchContentNotMatchRetainKeys, requests.InvalidDirective, "$retainKeys"},
	{mergepatch.ErrBadPatchFormatForSetElementOrderList, requests.InvalidDirective, "$setElementOrder"},
	{mergepatch.ErrUnsupportedStrategicMergePatchFormat, "unsupported-patch-format", ""},
	{jsonpatch.ErrBadJSONDoc, requests.InvalidDocument, ""},
	{jsonpatch.ErrBadJSONPatch, requests.InvalidDocument, ""},
}

// parts are parts of messages. Errors of strategicpatch begin with them; those of field managers contain them.
var parts = []struct {
	part            string
	prefix          bool
	kind, directive string
}{
	{"unable to find api field", true, "unknown-field", ""},
	{"merging an object in json but data type is not struct", true, "unknown-field", ""},
	{"unexpected slice of slice", true, "list-of-lists", ""},
	{"expected slice or array type", true, "schema-mismatch", ""},
	{"expected a ", true, requests.WrongKind, ""},
	{"unknown patch type: ", true, requests.InvalidDirective, "$patch"},
	{"invalid value for special key: ", true, requests.InvalidDirective, "$patch"},
	{"The order in patch list", true, requests.InvalidDirective, "$setElementOrder"},
	{"cannot merge lists without merge key", true, requests.UndeclaredMergeKey, ""},
	{"merging lists cannot yet be specified in the patch", true, requests.InvalidDirective, "$patch"},
	{"value for key ", true, requests.WrongKind, ""},
	{"list element types are not identical", true, "mixed-list", ""},
	{"invalid element type in merging list", true, "mixed-list", ""},
	{"no elements in any of the given slices", true, "empty-list", ""},
	{"cannot find merge key ", true, requests.MissingMergeKey, ""},
	{"map: map[", true, requests.MissingMergeKey, ""},
	{"unexpected patch strategy", true, "bad-strategy", ""},
	{"unknown type: ", true, requests.WrongKind, ""},
	{"Mismatched JSON Documents", true, requests.WrongKind, ""},
	{"json: cannot unmarshal ", true, "undecodable", ""},
	{"Incorrect version specified in apply patch", false, requests.WrongAPIVersion, ""},
	{"metadata.managedFields must be nil", false, requests.InvalidManagedFields, ""},
	{"failed to decode managed fields: ", false, requests.InvalidManagedFields, ""},
	{": field not declared in schema", false, requests.FieldNotDeclared, ""},
	{": duplicate entries for key ", false, requests.DuplicateListItem, ""},
	{"has an element that omits all key fields", false, requests.MissingListKeys, ""},
	{": associative list with", false, requests.InvalidListItem, ""},
	{"expected objects with types from the same schema", false, requests.Unclassified, ""},
	{": expected ", false, requests.WrongKind, ""},
}

// PatchError gives the errors of JSON patches their kind. The library returns them as text.
func PatchError(patchType types.PatchType, err error) error {
	var unsupported *requests.UnsupportedError
	if err == nil || patchType != types.JSONPatchType || errors.As(err, &unsupported) || Classify(err).Kind != "" {
		return err
	}
	return requests.Refuse(requests.JSONPatchFailed, "%v", err)
}

// Classify gives the errors of fake clients their kinds.
func Classify(err error) conversation.Refusal {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) &&
		status.Status().Reason == metav1.StatusReasonConflict && status.Status().Details != nil {
		refusal := conversation.Refusal{Kind: requests.ConflictKind}
		for _, cause := range status.Status().Details.Causes {
			if cause.Type == metav1.CauseTypeFieldManagerConflict {
				refusal.Conflicts = append(refusal.Conflicts, conversation.ReadConflict(cause.Message, cause.Field))
			}
		}
		conversation.SortConflicts(refusal.Conflicts)
		return refusal
	}
	if apierrors.IsNotFound(err) {
		return conversation.Refusal{Kind: "not-found"}
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return conversation.Refusal{Kind: s.kind, Directive: s.directive}
		}
	}
	message := err.Error()
	for _, p := range parts {
		if p.prefix && strings.HasPrefix(message, p.part) || !p.prefix && strings.Contains(message, p.part) {
			return conversation.Refusal{Kind: p.kind, Directive: p.directive}
		}
	}
	return conversation.Refusal{}
}
