package main

import (
	_ "unsafe" // for go:linkname

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// The library has three-way patches from text to text only, and its text says 1 for the float 1.0 and for the
// integer 1. These are the functions from which it makes such a patch, so that the patch can be had as a map.

//go:linkname diffMaps k8s.io/apimachinery/pkg/util/strategicpatch.diffMaps
func diffMaps(original, modified map[string]any, schema strategicpatch.LookupPatchMeta, options strategicpatch.DiffOptions) (map[string]any, error)

//go:linkname mergeMap k8s.io/apimachinery/pkg/util/strategicpatch.mergeMap
func mergeMap(original, patch map[string]any, schema strategicpatch.LookupPatchMeta, options strategicpatch.MergeOptions) (map[string]any, error)

// threeWayMap is strategicpatch.CreateThreeWayMergePatch, statement by statement, without the last one, which
// writes the patch. A test compares both.
func threeWayMap(original, modified, current []byte, schema strategicpatch.LookupPatchMeta, overwrite bool, fns ...mergepatch.PreconditionFunc) (map[string]any, error) {
	maps := make([]map[string]any, 3)
	for i, text := range [][]byte{original, modified, current} {
		maps[i] = map[string]any{}
		if len(text) > 0 {
			if err := utiljson.Unmarshal(text, &maps[i]); err != nil {
				return nil, mergepatch.ErrBadJSONDoc
			}
		}
	}
	originalMap, modifiedMap, currentMap := maps[0], maps[1], maps[2]

	deltaMap, err := diffMaps(currentMap, modifiedMap, schema, strategicpatch.DiffOptions{
		IgnoreDeletions: true,
		SetElementOrder: true,
	})
	if err != nil {
		return nil, err
	}
	deletionsMap, err := diffMaps(originalMap, modifiedMap, schema, strategicpatch.DiffOptions{
		SetElementOrder:           true,
		IgnoreChangesAndAdditions: true,
	})
	if err != nil {
		return nil, err
	}
	patchMap, err := mergeMap(deletionsMap, deltaMap, schema, strategicpatch.MergeOptions{})
	if err != nil {
		return nil, err
	}
	for _, fn := range fns {
		if !fn(patchMap) {
			return nil, mergepatch.NewErrPreconditionFailed(patchMap)
		}
	}
	if !overwrite {
		changedMap, err := diffMaps(originalMap, currentMap, schema, strategicpatch.DiffOptions{})
		if err != nil {
			return nil, err
		}
		hasConflicts, err := strategicpatch.MergingMapsHaveConflicts(patchMap, changedMap, schema)
		if err != nil {
			return nil, err
		}
		if hasConflicts {
			return nil, mergepatch.NewErrConflict(mergepatch.ToYAMLOrError(patchMap), mergepatch.ToYAMLOrError(changedMap))
		}
	}
	return patchMap, nil
}
