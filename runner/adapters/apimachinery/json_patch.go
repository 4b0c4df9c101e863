//go:build !github_json_patch

package main

import jsonpatch "gopkg.in/evanphx/json-patch.v4"

func init() {
	jsonpatch.AccumulatedCopySizeLimit = maxCopied
}

// The library for JSON patches that API servers use.
var (
	applyJSONMergePatch  = jsonpatch.MergePatch
	createJSONMergePatch = jsonpatch.CreateMergePatch
	decodeJSONPatch      = jsonpatch.DecodePatch

	errBadJSONDoc   = jsonpatch.ErrBadJSONDoc
	errBadJSONPatch = jsonpatch.ErrBadJSONPatch
)
