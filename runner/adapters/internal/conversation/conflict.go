package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ReadConflict reads a conflict of server-side apply as Kubernetes reports it: a message such as
// `conflict with "kubectl" with subresource "scale" using apps/v1` and the path of the field.
func ReadConflict(message, path string) Conflict {
	conflict := Conflict{Operation: "Apply", Path: path}
	var rest string
	conflict.Manager, rest = cutQuoted(strings.TrimPrefix(message, "conflict with "))
	if subresource, ok := strings.CutPrefix(rest, " with subresource "); ok {
		conflict.Subresource, rest = cutQuoted(subresource)
	}
	// Only updaters have a version.
	if version, ok := strings.CutPrefix(rest, " using "); ok {
		conflict.Operation = "Update"
		conflict.APIVersion = version
	}
	return conflict
}

func cutQuoted(text string) (unquoted, rest string) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		panic(fmt.Sprintf("the library printed a manager without quotes: %s", text))
	}
	// A quoted prefix can be unquoted.
	unquoted, _ = strconv.Unquote(quoted)
	return unquoted, text[len(quoted):]
}

// SortConflicts sorts by manager, then by path.
func SortConflicts(conflicts []Conflict) {
	slices.SortFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(
			cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Subresource, b.Subresource))
	})
}
