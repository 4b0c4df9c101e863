//go:build !no_managed_fields

package main

import (
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"skewer.dev/conversation"
)

// validationPrefixes are the beginnings of the errors of typed values, in typed/validate.go and typed/helpers.go of
// structured-merge-diff. Errors about an item of a list follow `element N: `.
var validationPrefixes = []struct{ prefix, kind string }{
	{"field not declared in schema", kindFieldNotDeclared},
	{"duplicate entries for key ", kindDuplicateListItem},
	{"associative list with keys has an element that omits all key fields", kindMissingListKeys},
	{"associative list with", kindInvalidListItem},
	{indistinctNumbers, kindIndistinctNumbers},
	{"not supported: associative list with lists as elements", kindInvalidListItem},
	{"couldn't find default value for ", kindInvalidSchema},
	{"schema error: ", kindInvalidSchema},
	{"unexpected scalar type in schema", kindInvalidSchema},
	{"expected map, got ", kindWrongKind},
	{"expected list, got ", kindWrongKind},
	{"expected numeric (int or float), got ", kindWrongKind},
	{"expected string, got ", kindWrongKind},
	{"expected boolean, got ", kindWrongKind},
	{"expected any scalar, got ", kindWrongKind},
}

// managerPrefixes are the beginnings of the other errors of field managers.
var managerPrefixes = []struct{ prefix, kind string }{
	{"invalid object type: ", kindWrongAPIVersion},
	{"Incorrect version specified in apply patch", kindWrongAPIVersion},
	{"metadata.managedFields must be nil", kindInvalidManagedFields},
	{"failed to decode managed fields: ", kindInvalidManagedFields},
	// The API version of an entry of the managed fields is none.
	{"unexpected GroupVersion string: ", kindInvalidManagedFields},
}

// classify gives an error of the field manager its kinds. The prefix is the beginning that the library adds to some
// errors.
func (m *fieldManagement) classify(err error, prefix string) error {
	message := err.Error()
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) && status.ErrStatus.Details != nil &&
		status.ErrStatus.Reason == metav1.StatusReasonConflict {
		return &applyError{refusal{
			Kind: kindConflict, Message: message, Conflicts: applyConflicts(status.ErrStatus.Details.Causes),
		}}
	}
	for _, p := range managerPrefixes {
		if strings.HasPrefix(strings.TrimPrefix(message, prefix), p.prefix) {
			return &kindedError{p.kind, message}
		}
	}
	for _, failures := range m.types.failures {
		if !strings.HasSuffix(message, failures.Error()) {
			continue
		}
		var kinds []string
		for _, failure := range failures {
			kinds = append(kinds, validationKind(failure.ErrorMessage))
		}
		return withKinds(kinds, message)
	}
	for _, failure := range m.resource.failures {
		if strings.HasSuffix(message, failure.Error()) {
			return &kindedError{kindConversionFailed, message}
		}
	}
	return withKinds(kindsInText(message), message)
}

func withKinds(kinds []string, message string) error {
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	switch len(kinds) {
	case 0:
		return &kindedError{kindUnclassified, message}
	case 1:
		return &kindedError{kinds[0], message}
	default:
		return &applyError{refusal{Kind: kinds[0], Kinds: kinds, Message: message}}
	}
}

func validationKind(message string) string {
	if rest, ok := strings.CutPrefix(message, "element "); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			message = after
		}
	}
	for _, p := range validationPrefixes {
		if strings.HasPrefix(message, p.prefix) {
			return p.kind
		}
	}
	return kindUnclassified
}

// kindsInText finds the kinds of errors that reached the adapter as text only: those of comparing and merging typed
// values, which only a document that passed validation can bring about.
func kindsInText(message string) []string {
	var kinds []string
	for _, p := range validationPrefixes {
		if strings.Contains(message, ": "+p.prefix) {
			kinds = append(kinds, p.kind)
		}
	}
	return kinds
}

// applyConflicts reads the causes of a conflict.
func applyConflicts(causes []metav1.StatusCause) []applyConflict {
	var conflicts []applyConflict
	for _, cause := range causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			conflicts = append(conflicts, conversation.ReadConflict(cause.Message, cause.Field))
		}
	}
	conversation.SortConflicts(conflicts)
	return conflicts
}
