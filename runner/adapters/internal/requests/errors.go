package requests

import (
	"errors"
	"fmt"

	"skewer.dev/conversation"
)

// Error kinds of the protocol that several adapters use.
const (
	InvalidDocument      = "invalid-document"
	TooDeep              = "too-deep"
	WrongKind            = "wrong-kind"
	InvalidDirective     = "invalid-directive"
	InvalidSchema        = "invalid-schema"
	JSONPatchFailed      = "json-patch-failed"
	MissingMergeKey      = "missing-merge-key"
	UndeclaredMergeKey   = "undeclared-merge-key"
	ConflictKind         = "conflict"
	FieldNotDeclared     = "field-not-declared"
	DuplicateListItem    = "duplicate-list-item"
	MissingListKeys      = "missing-list-keys"
	InvalidListItem      = "invalid-list-item"
	InvalidManagedFields = "invalid-managed-fields"
	WrongAPIVersion      = "wrong-api-version"
	ConversionFailed     = "conversion-failed"
	IndistinctNumbers    = "indistinct-numbers"
	Panic                = "panic"
	Unclassified         = "unclassified"
)

// RefusedError is an error with its error kind.
type RefusedError struct{ Refusal conversation.Refusal }

func (e *RefusedError) Error() string { return e.Refusal.Message }

// UnsupportedError is a feature that the implementation lacks.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }

// BrokenError is a request that makes no sense, whatever the implementation.
type BrokenError struct{ Message string }

func (e *BrokenError) Error() string { return e.Message }

// Refuse returns an error with an error kind.
func Refuse(kind, format string, args ...any) error {
	return &RefusedError{conversation.Refusal{Kind: kind, Message: fmt.Sprintf(format, args...)}}
}

// RefuseAt returns an error with an error kind and the path of a field.
func RefuseAt(kind, path, format string, args ...any) error {
	return &RefusedError{conversation.Refusal{Kind: kind, Path: path, Message: fmt.Sprintf(format, args...)}}
}

// Unsupported returns the error for a feature that the implementation lacks.
func Unsupported(format string, args ...any) error {
	return &UnsupportedError{fmt.Sprintf(format, args...)}
}

// Broken returns the error for a request that makes no sense.
func Broken(format string, args ...any) error {
	return &BrokenError{fmt.Sprintf(format, args...)}
}

// Outcome returns the reply for an error. Classify gives the errors of the library their kinds.
func Outcome(err error, classify func(error) conversation.Refusal) conversation.Outcome {
	var refused *RefusedError
	var unsupported *UnsupportedError
	var broken *BrokenError
	switch {
	case errors.As(err, &refused):
		return conversation.Outcome{Refusal: &refused.Refusal}
	case errors.As(err, &unsupported):
		return conversation.Outcome{Unsupported: unsupported.Reason}
	case errors.As(err, &broken):
		return conversation.Outcome{Broken: broken.Message}
	}
	refusal := classify(err)
	if refusal.Kind == "" {
		refusal.Kind = Unclassified
	}
	if refusal.Message == "" {
		refusal.Message = err.Error()
	}
	return conversation.Outcome{Refusal: &refusal}
}
