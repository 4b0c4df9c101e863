package main

import (
	"errors"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"skewer.dev/conversation"
	"skewer.dev/requests"
)

// prefixes are the beginnings of the errors of typed values, in typed/validate.go and typed/helpers.go of the library.
var prefixes = []struct{ prefix, kind string }{
	{"field not declared in schema", requests.FieldNotDeclared},
	{"duplicate entries for key ", requests.DuplicateListItem},
	{"associative list with keys has an element that omits all key fields", requests.MissingListKeys},
	{"associative list with", requests.InvalidListItem},
	{"not supported: associative list with lists as elements", requests.InvalidListItem},
	{"couldn't find default value for ", requests.InvalidSchema},
	{"schema error: ", requests.InvalidSchema},
	{"unexpected scalar type in schema", requests.InvalidSchema},
	{"expected ", requests.WrongKind},
}

func classify(err error) conversation.Refusal {
	var conflicts merge.Conflicts
	var failures typed.ValidationErrors
	switch {
	case errors.As(err, &conflicts):
		refusal := conversation.Refusal{Kind: requests.ConflictKind}
		for _, conflict := range conflicts {
			owner := readOwner(conflict.Manager)
			listed := conversation.Conflict{
				Manager: owner.Manager, Operation: owner.Operation, Subresource: owner.Subresource, Path: conflict.Path.String(),
			}
			if owner.Operation == update {
				listed.APIVersion = owner.APIVersion
			}
			refusal.Conflicts = append(refusal.Conflicts, listed)
		}
		conversation.SortConflicts(refusal.Conflicts)
		return refusal
	case errors.As(err, &failures):
		var kinds []string
		for _, failure := range failures {
			kinds = append(kinds, kindOf(failure.ErrorMessage))
		}
		slices.Sort(kinds)
		kinds = slices.Compact(kinds)
		if len(kinds) == 1 {
			return conversation.Refusal{Kind: kinds[0]}
		}
		return conversation.Refusal{Kind: kinds[0], Kinds: kinds}
	}
	// Updater wraps the errors of comparing and merging as text.
	for _, p := range prefixes {
		if strings.Contains(err.Error(), ": "+p.prefix) {
			return conversation.Refusal{Kind: p.kind}
		}
	}
	return conversation.Refusal{}
}

func kindOf(message string) string {
	// Errors about an item of a list follow `element N: `.
	if rest, ok := strings.CutPrefix(message, "element "); ok {
		if _, after, ok := strings.Cut(rest, ": "); ok {
			message = after
		}
	}
	for _, p := range prefixes {
		if strings.HasPrefix(message, p.prefix) {
			return p.kind
		}
	}
	return requests.Unclassified
}
