package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"skewer.dev/conversation"
)

// The error kinds of engine/src/error.rs that more than one rule gives.
const (
	kindConflict        = "conflict"
	kindInvalidDocument = "invalid-document"
	kindUndecodable     = "undecodable"
	kindUnclassified    = "unclassified"
	kindWrongAPIVersion = "wrong-api-version"
)

// Errors of decoders. The handlers put them behind other text, so that only these beginnings can be found.
const (
	strictDecoding = "strict decoding error: "
	duplicateField = `duplicate field "`
	noKind         = "no kind "
	notRegistered  = " is registered for version "
	conversion     = "converting ("
	metaDecoding   = "couldn't get version/kind; json parse error: "
)

// libraryErrors are the beginnings of the errors of strategic merge patch, in strategicpatch and mergepatch. They are
// the messages of the responses. Documents are printed into some of them, so that only the beginning can be trusted.
var libraryErrors = []struct{ prefix, kind, directive string }{
	{"invalid JSON document", kindInvalidDocument, ""},
	{"lists of lists are not supported", "list-of-lists", ""},
	{"invalid patch format of primitive list", "invalid-directive", "$deleteFromPrimitiveList"},
	{"invalid patch format of retainKeys", "invalid-directive", "$retainKeys"},
	{"patch content doesn't match retainKeys list", "invalid-directive", "$retainKeys"},
	{"invalid patch format of setElementOrder list", "invalid-directive", "$setElementOrder"},
	{"strategic merge patch format is not supported", "unsupported-patch-format", ""},
	{"unable to find api field", "unknown-field", ""},
	{"merging an object in json but data type is not struct", "unknown-field", ""},
	{"unexpected slice of slice", "list-of-lists", ""},
	{"expected slice or array type", "schema-mismatch", ""},
	{"expected a ", "wrong-kind", ""},
	{"unknown patch type: ", "invalid-directive", "$patch"},
	{"invalid value for special key: ", "invalid-directive", "$patch"},
	{"The order in patch list", "invalid-directive", "$setElementOrder"},
	{"cannot merge lists without merge key", "undeclared-merge-key", ""},
	{"merging lists cannot yet be specified in the patch", "invalid-directive", "$patch"},
	{"value for key ", "wrong-kind", ""},
	{"list element types are not identical", "mixed-list", ""},
	{"invalid element type in merging list", "mixed-list", ""},
	{"no elements in any of the given slices", "empty-list", ""},
	{"cannot find merge key ", "missing-merge-key", ""},
	{"unexpected patch strategy", "bad-strategy", ""},
	{"unknown type: ", "wrong-kind", ""},
	// The body is JSON, but no object.
	{"json: cannot unmarshal ", kindInvalidDocument, ""},
}

// applyErrors are parts of the messages of server-side apply. The handlers put them behind the name of a type.
var applyErrors = []struct{ part, kind string }{
	{"field not declared in schema", "field-not-declared"},
	{"duplicate entries for key ", "duplicate-list-item"},
	// "omits all key fields", and before 1.34 "omits key field "name" (and doesn't have default value)".
	{"associative list with keys has an element that omits", "missing-list-keys"},
	{"associative list with", "invalid-list-item"},
	{"metadata.managedFields must be nil", "invalid-managed-fields"},
	{"invalid object type: ", kindWrongAPIVersion},
	{"Incorrect version specified in apply patch", kindWrongAPIVersion},
	{"error strict decoding patch: ", kindInvalidDocument},
	{"error decoding patch: ", kindInvalidDocument},
	// The same in releases before 1.34.
	{"error strict decoding YAML: ", kindInvalidDocument},
	{"error decoding YAML: ", kindInvalidDocument},
	{": expected map, got ", "wrong-kind"},
	{": expected list, got ", "wrong-kind"},
	{": expected numeric (int or float), got ", "wrong-kind"},
	{": expected string, got ", "wrong-kind"},
	{": expected boolean, got ", "wrong-kind"},
	{": expected any scalar, got ", "wrong-kind"},
	// The merged object cannot be read as the Go type.
	{"unable to convert unstructured object to ", kindUndecodable},
}

// identityErrors are parts of the messages about an object that is not the one of the endpoint.
var identityErrors = []struct{ part, kind string }{
	{"the API version in the data (", kindWrongAPIVersion},
	{"the name of the object (", "wrong-name"},
	{"the namespace of the object (", "wrong-name"},
	{"the namespace of the provided object does not match", "wrong-name"},
}

// refused is the refusal that the response of a server says.
func refused(requestType string, a *answer) conversation.Outcome {
	var status metav1.Status
	if err := json.Unmarshal(a.body, &status); err != nil || status.Status != metav1.StatusFailure {
		return refusal(kindUnclassified, string(a.body))
	}
	r := conversation.Refusal{Message: status.Message}
	if a.code == http.StatusConflict && status.Details != nil {
		r.Conflicts = conflicts(status.Details.Causes)
	}
	r.Kind, r.Directive = classify(requestType, &status)
	return conversation.Outcome{Refusal: &r}
}

// classify gives a response its error kind, and the directive that an invalid-directive is about. The reason and the code
// decide where they say enough. Within a request type, the message does.
func classify(requestType string, status *metav1.Status) (kind, directive string) {
	switch status.Reason {
	case metav1.StatusReasonAlreadyExists:
		return "already-exists", ""
	case metav1.StatusReasonNotFound:
		return "not-found", ""
	case metav1.StatusReasonConflict:
		return kindConflict, ""
	case metav1.StatusReasonUnsupportedMediaType:
		return "unsupported-patch-format", ""
	}
	if detail, ok := patchCause(status); ok {
		return kindOfDecoding(detail), ""
	}
	for _, e := range identityErrors {
		if status.Code == http.StatusBadRequest && strings.HasPrefix(status.Message, e.part) {
			return e.kind, ""
		}
	}
	switch requestType {
	case "create", "update":
		if detail, ok := decodeFailure(status.Message); ok {
			return kindOfDecoding(detail), ""
		}
	case "json-patch":
		// A malformed patch is a 400, one that does not apply a 422 without causes.
		if status.Code == http.StatusBadRequest || status.Code == http.StatusUnprocessableEntity {
			return "json-patch-failed", ""
		}
	case "json-merge-patch":
		if status.Code == http.StatusBadRequest || strings.HasPrefix(status.Message, "Invalid JSON ") {
			return kindInvalidDocument, ""
		}
	case "strategic-merge-patch":
		return kindOfLibraryError(status)
	case requestApply:
		for _, e := range applyErrors {
			if strings.Contains(status.Message, e.part) {
				return e.kind, ""
			}
		}
	}
	return kindUnclassified, ""
}

// patchCause is the reason why the server cannot decode the result of a patch. The response is then a 422 whose only
// cause is about the field "patch": `Invalid value: "the result": the reason`.
func patchCause(status *metav1.Status) (string, bool) {
	if status.Reason != metav1.StatusReasonInvalid || status.Details == nil || len(status.Details.Causes) != 1 {
		return "", false
	}
	cause := status.Details.Causes[0]
	value, found := strings.CutPrefix(cause.Message, "Invalid value: ")
	if cause.Field != "patch" || !found {
		return "", false
	}
	quoted, err := strconv.QuotedPrefix(value)
	if err != nil {
		return "", false
	}
	return strings.TrimPrefix(value[len(quoted):], ": "), true
}

// decodeFailure is the reason why the server cannot decode a whole object. Upstream: transformDecodeError.
func decodeFailure(message string) (string, bool) {
	for _, before := range []string{" cannot be handled as a ", "the object provided is unrecognized (must be of type "} {
		if _, rest, found := strings.Cut(message, before); found {
			_, detail, found := strings.Cut(rest, ": ")
			return detail, found
		}
	}
	return "", false
}

// kindOfDecoding classifies an error of a decoder.
func kindOfDecoding(detail string) string {
	// The patch of an object that has a version in the release can name a version or a kind that it does not have.
	detail = strings.TrimPrefix(detail, "unable to decode: ")
	switch {
	case strings.HasPrefix(detail, strictDecoding) && strings.Contains(detail, duplicateField):
		return kindInvalidDocument
	case strings.HasPrefix(detail, strictDecoding):
		return "strict-unknown-field"
	case strings.HasPrefix(detail, noKind) && strings.Contains(detail, notRegistered),
		strings.HasPrefix(detail, conversion):
		return kindWrongAPIVersion
	case strings.HasPrefix(detail, metaDecoding):
		// The text is no JSON, or no object with an apiVersion and a kind that are strings.
		if strings.Contains(detail, "cannot unmarshal") && !strings.Contains(detail, "Go value of type struct") {
			return kindUndecodable
		}
		return kindInvalidDocument
	default:
		return kindUndecodable
	}
}

func kindOfLibraryError(status *metav1.Status) (kind, directive string) {
	// Two messages begin with the document.
	if strings.HasPrefix(status.Message, "map: map[") &&
		strings.Contains(status.Message, "does not contain declared merge key: ") {
		return "missing-merge-key", ""
	}
	for _, e := range libraryErrors {
		if strings.HasPrefix(status.Message, e.prefix) {
			return e.kind, e.directive
		}
	}
	switch status.Code {
	case http.StatusBadRequest:
		return kindInvalidDocument, ""
	case http.StatusUnprocessableEntity:
		// The response hides the message. Of the errors with this code, patches of objects lead only to ErrNoListOfLists.
		// Upstream: interpretStrategicMergePatchError.
		return "list-of-lists", ""
	default:
		return kindUnclassified, ""
	}
}

// conflicts reads the causes of a conflict.
func conflicts(causes []metav1.StatusCause) []conversation.Conflict {
	var found []conversation.Conflict
	for _, cause := range causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			found = append(found, conversation.ReadConflict(cause.Message, cause.Field))
		}
	}
	conversation.SortConflicts(found)
	return found
}
