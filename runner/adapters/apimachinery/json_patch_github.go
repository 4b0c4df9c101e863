//go:build github_json_patch

package main

import (
	"errors"

	jsonpatch "github.com/evanphx/json-patch"
)

func init() {
	jsonpatch.AccumulatedCopySizeLimit = maxCopied
}

// The same library under its former name, which API servers used up to 1.33. Some versions do not export the errors:
// these two match nothing, and classify finds the errors of the library by their text.
var (
	applyJSONMergePatch  = jsonpatch.MergePatch
	createJSONMergePatch = jsonpatch.CreateMergePatch
	decodeJSONPatch      = jsonpatch.DecodePatch

	errBadJSONDoc   = errors.New("Invalid JSON Document")
	errBadJSONPatch = errors.New("Invalid JSON Patch")
)
