package main

import (
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"skewer.dev/conversation"
)

// messages are parts of messages that only errors of one kind have. Only errors of patches and of server-side apply are
// in the table: the handlers return the messages of the libraries that the other Go adapter calls.
var messages = []struct{ part, kind string }{
	{"does not contain declared merge key: ", "missing-merge-key"},
	{"cannot convert ", "wrong-kind"},
	{"unrecognized type: ", "wrong-kind"},
	{"cannot find merge key ", "missing-merge-key"},
	{"invalid value for special key: ", "invalid-directive"},
	{"unknown patch type: ", "invalid-directive"},
	{"The order in patch list", "invalid-directive"},
	{"unable to find api field", "unknown-field"},
	{"field not declared in schema", "field-not-declared"},
	{"duplicate entries for key ", "duplicate-list-item"},
	{"metadata.managedFields must be nil", "invalid-managed-fields"},
}

// refused is the refusal that the response of a server says.
func refused(requestType string, a *answer) conversation.Outcome {
	var status metav1.Status
	if err := json.Unmarshal(a.body, &status); err != nil || status.Status != metav1.StatusFailure {
		return refusal("unclassified", string(a.body))
	}
	r := conversation.Refusal{Kind: "unclassified", Message: status.Message}
	if a.code == http.StatusConflict && status.Details != nil {
		r.Conflicts = conflicts(status.Details.Causes)
	}
	switch {
	case len(r.Conflicts) > 0:
		r.Kind = "conflict"
	case a.code == http.StatusUnsupportedMediaType:
		r.Kind = "unsupported-patch-format"
	case requestType == "json-patch" && isPatchFailure(&status):
		r.Kind = "json-patch-failed"
	case requestType == "strategic-merge-patch" || requestType == requestApply:
		r.Kind = kindOf(status.Message)
	}
	return conversation.Outcome{Refusal: &r}
}

func kindOf(message string) string {
	for _, m := range messages {
		if strings.Contains(message, m.part) {
			return m.kind
		}
	}
	return "unclassified"
}

// isPatchFailure tells whether a JSON patch itself failed. The handlers then answer 400 if it is malformed, and 422
// without causes if it does not apply. An object that the type does not allow has causes, which name the patch.
func isPatchFailure(status *metav1.Status) bool {
	switch status.Code {
	case http.StatusBadRequest:
		return !strings.Contains(status.Message, "strict decoding error")
	case http.StatusUnprocessableEntity:
		return status.Details == nil || len(status.Details.Causes) == 0
	default:
		return false
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
