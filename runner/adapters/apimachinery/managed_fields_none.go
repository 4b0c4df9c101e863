//go:build no_managed_fields

package main

import (
	"io"

	"skewer.dev/conversation"
)

// The adapter does not call the field managers of this release.
var managedFieldsTasks []task

type typeConverters = map[string]any

// newUnionServer returns nil: the normalization of unions needs types that this release is built without.
func newUnionServer(io.Reader, io.Writer, string, int) *conversation.Server[request] { return nil }
