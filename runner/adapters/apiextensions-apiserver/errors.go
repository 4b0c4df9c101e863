package main

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// admissionError is an error of admission, with an error kind of engine/src/error.rs.
type admissionError struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// kinds are the error kinds of upstream's types of errors.
var kinds = map[field.ErrorType]string{
	field.ErrorTypeTypeInvalid:  "undecodable",
	field.ErrorTypeRequired:     "required-field-missing",
	field.ErrorTypeNotSupported: "unknown-enum-value",
	field.ErrorTypeInvalid:      "invalid-value",
	field.ErrorTypeTooLong:      "invalid-value",
	field.ErrorTypeTooMany:      "invalid-value",
	field.ErrorTypeForbidden:    "forbidden-value",
	field.ErrorTypeDuplicate:    "duplicate-value",
}

// rulesNotChecked is the message of an error that says no more than that there are other errors. Upstream: hasBlockingErr.
const rulesNotChecked = "some validation rules were not checked because the object was invalid"

// fieldErrors converts errors, except for the one that says that rules were not checked.
func fieldErrors(list field.ErrorList) (converted []admissionError, hasUncheckedRules bool) {
	for _, err := range list {
		if strings.HasPrefix(err.Detail, rulesNotChecked) {
			hasUncheckedRules = true
			continue
		}
		converted = append(converted, fieldError(err))
	}
	slices.SortStableFunc(converted, func(a, b admissionError) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return converted, hasUncheckedRules
}

func fieldError(err *field.Error) admissionError {
	kind, ok := kinds[err.Type]
	if !ok {
		kind = "unclassified"
	}
	return admissionError{Kind: kind, Path: path(fieldOf(err)), Message: err.Error()}
}

// outOfRange ends with the field.
var outOfRange = regexp.MustCompile(` must be of type .* in (\S+)$`)

// fieldOf is the field of an error. Errors of allOf and the like have none, but their message begins with it:
// `"spec.a" must not validate the schema (not)`. Those about the range of a number end with it.
func fieldOf(err *field.Error) string {
	if err.Field == noField {
		if match := outOfRange.FindStringSubmatch(err.Detail); match != nil {
			return match[1]
		}
		if quoted, cause := strconv.QuotedPrefix(err.Detail); cause == nil {
			// A quoted prefix can be unquoted.
			unquoted, _ := strconv.Unquote(quoted)
			return unquoted
		}
	}
	return err.Field
}

// noField is how a missing path is printed.
const noField = "<nil>"

var mapKey = regexp.MustCompile(`\[([^\]]*[^\]0-9][^\]]*)\]`)

// path writes a path as Skewer does: `spec.map.key`, where upstream has `spec.map[key]` in some errors. An error of the
// whole object has no path.
func path(upstream string) string {
	if upstream == noField {
		return ""
	}
	return strings.TrimPrefix(mapKey.ReplaceAllString(upstream, ".$1"), ".")
}

// decodingErrors converts the error of a decoder: one for each unknown field under strict validation.
func decodingErrors(err error) []admissionError {
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		var converted []admissionError
		for _, each := range strict.Errors() {
			unknown, found := strings.CutPrefix(each.Error(), `unknown field "`)
			if !found {
				converted = append(converted, admissionError{Kind: "invalid-document", Message: each.Error()})
				continue
			}
			at := path(strings.TrimSuffix(unknown, `"`))
			converted = append(converted, admissionError{Kind: "strict-unknown-field", Path: at, Message: each.Error()})
		}
		return converted
	}
	var ofField *field.Error
	if errors.As(err, &ofField) {
		return []admissionError{fieldError(ofField)}
	}
	return []admissionError{{Kind: "undecodable", Message: err.Error()}}
}
