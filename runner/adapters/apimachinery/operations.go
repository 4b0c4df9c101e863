package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"skewer.dev/conversation"
)

// shippedDirectives are built into the library: it cannot forget one, and it knows no other.
var shippedDirectives = []string{"$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"}

// task is an operation of the protocol.
type task struct {
	name string
	run  func(*call) ([]byte, error)
	// strategic operations need a schema and obey a profile.
	strategic bool
	// preconditions tells whether the library's function takes them.
	preconditions bool
}

var tasks = []task{
	{name: "apply", run: (*call).apply, strategic: true},
	{name: "two-way", run: (*call).twoWay, strategic: true, preconditions: true},
	{name: "three-way", run: (*call).threeWay, strategic: true, preconditions: true},
	{name: "conflicts", run: (*call).conflicts, strategic: true},
	{name: "merge", run: (*call).merge, strategic: true},
	{name: "json-merge-apply", run: (*call).jsonMergeApply},
	{name: "json-merge-two-way", run: (*call).jsonMergeTwoWay},
	{name: "json-merge-three-way", run: (*call).jsonMergeThreeWay, preconditions: true},
	{name: "json-patch-apply", run: (*call).jsonPatchApply},
}

// allTasks are the operations that the library has. Old releases lack some, see release.sh.
func allTasks() []task {
	return slices.Concat(tasks, unionTasks, managedFieldsTasks)
}

func operationNames() []string {
	var names []string
	for _, op := range allTasks() {
		names = append(names, op.name)
	}
	return names
}

// call is one operation on its way.
type call struct {
	req *request
	// schema and root are the schema of the request, if it has one, and the name of its root.
	schema        *schema
	root          string
	lookup        strategicpatch.LookupPatchMeta
	preconditions []mergepatch.PreconditionFunc
}

// badRequest says that the request is no sensible one, whatever the library.
type badRequest struct{ message string }

func (e *badRequest) Error() string { return e.message }

// runRequest runs one operation. Whatever the library does, a panic included, becomes an outcome.
func runRequest(schemas *schemaCache, req *request) outcome {
	result, err := runGuarded(schemas, req)
	if err == nil {
		return outcome{Result: result}
	}
	return outcomeOf(err)
}

// outcomeOf is the outcome of an operation that failed.
func outcomeOf(err error) outcome {
	var bad *badRequest
	var unsupported *unsupportedError
	var apply *applyError
	switch {
	case errors.As(err, &bad):
		return outcome{Broken: bad.message}
	case errors.As(err, &unsupported):
		return outcome{Unsupported: unsupported.reason}
	case errors.As(err, &apply):
		return outcome{Refusal: &apply.refusal}
	default:
		kind, directive := classify(err)
		return outcome{Refusal: &refusal{Kind: kind, Directive: directive, Message: err.Error()}}
	}
}

func runGuarded(schemas *schemaCache, req *request) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &kindedError{kindPanic, fmt.Sprint(r)}
		}
	}()
	// A schema is kept under its id even if the request goes no further, since later ones will name it.
	var found *schema
	var root string
	if req.Schema != nil {
		if found, root, err = schemas.find(req.Schema); err != nil {
			return nil, err
		}
	}
	tasks := allTasks()
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == req.Operation })
	if i < 0 {
		return nil, &unsupportedError{fmt.Sprintf("operation %q is not known", req.Operation)}
	}
	t := tasks[i]
	c := call{req: req, schema: found, root: root}
	if t.strategic {
		if found == nil {
			return nil, &badRequest{fmt.Sprintf(`%q needs a "schema"`, t.name)}
		}
		if reason := unsupportedProfile(req.Profile); reason != "" {
			return nil, &unsupportedError{reason}
		}
		if req.Options.Lookup == lookupUnstructured && t.name != "apply" {
			return nil, &unsupportedError{t.name + " is never asked of the library for an object without a Go type"}
		}
		if c.lookup, err = found.lookup(root, req.Options.Lookup); err != nil {
			return nil, err
		}
	}
	if len(req.Options.Preconditions) > 0 && !t.preconditions {
		return nil, &unsupportedError{fmt.Sprintf("%s takes no preconditions", t.name)}
	}
	for _, p := range req.Options.Preconditions {
		switch {
		case p.KeyUnchanged != "" && p.MetadataKeyUnchanged == "":
			c.preconditions = append(c.preconditions, mergepatch.RequireKeyUnchanged(p.KeyUnchanged))
		case p.KeyUnchanged == "" && p.MetadataKeyUnchanged != "":
			c.preconditions = append(c.preconditions, mergepatch.RequireMetadataKeyUnchanged(p.MetadataKeyUnchanged))
		default:
			return nil, &badRequest{`a precondition has one of "keyUnchanged" and "metadataKeyUnchanged"`}
		}
	}
	return t.run(&c)
}

func unsupportedProfile(p profile) string {
	for _, directive := range p.Without {
		if slices.Contains(shippedDirectives, directive) {
			return fmt.Sprintf("%s is built into %s and cannot be left out", directive, libraryPath)
		}
	}
	for _, name := range p.With {
		if !slices.Contains(shippedDirectives, name) {
			return fmt.Sprintf("%s does not know %s", libraryPath, name)
		}
	}
	return ""
}

// decodeObject reads a document as the library does: integers as int64, other numbers as float64, and null for
// an empty object.
func decodeObject(text json.RawMessage) (map[string]any, error) {
	object := map[string]any{}
	if text == nil {
		return object, nil
	}
	if err := utiljson.Unmarshal(text, &object); err != nil {
		if conversation.TooDeep(err) {
			return nil, &kindedError{kindTooDeep, err.Error()}
		}
		return nil, mergepatch.ErrBadJSONDoc
	}
	return object, nil
}

func required(name string, text json.RawMessage) error {
	if text == nil {
		return &badRequest{fmt.Sprintf("the document %q is missing", name)}
	}
	return nil
}

func (c *call) apply() ([]byte, error) {
	d := &c.req.Documents
	if err := required("patch", d.Patch); err != nil {
		return nil, err
	}
	live, err := decodeObject(d.Live)
	if err != nil {
		return nil, err
	}
	patch, err := decodeObject(d.Patch)
	if err != nil {
		return nil, err
	}
	var result strategicpatch.JSONMap
	if c.req.Options.Lookup == lookupUnstructured {
		result, err = strategicpatch.StrategicMergeMapPatch(live, patch, &unstructured.Unstructured{})
	} else {
		result, err = strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(live, patch, c.lookup)
	}
	if err != nil {
		return nil, err
	}
	return appendMap(nil, result)
}

func (c *call) twoWay() ([]byte, error) {
	d := &c.req.Documents
	if err := required("modified", d.Modified); err != nil {
		return nil, err
	}
	original, err := decodeObject(d.Original)
	if err != nil {
		return nil, err
	}
	modified, err := decodeObject(d.Modified)
	if err != nil {
		return nil, err
	}
	patch, err := strategicpatch.CreateTwoWayMergeMapPatchUsingLookupPatchMeta(
		original, modified, c.lookup, c.preconditions...)
	if err != nil {
		return nil, err
	}
	return appendMap(nil, patch)
}

func (c *call) threeWay() ([]byte, error) {
	d := &c.req.Documents
	if err := required("modified", d.Modified); err != nil {
		return nil, err
	}
	patch, err := threeWayMap(d.LastApplied, d.Modified, d.Live, c.lookup, c.req.Options.Overwrite, c.preconditions...)
	if err != nil {
		return nil, err
	}
	return appendMap(nil, patch)
}

func (c *call) decodePatches() ([]strategicpatch.JSONMap, error) {
	if c.req.Documents.Patches == nil {
		return nil, &badRequest{`the document list "patches" is missing`}
	}
	patches := make([]strategicpatch.JSONMap, 0, len(c.req.Documents.Patches))
	for _, text := range c.req.Documents.Patches {
		patch, err := decodeObject(text)
		if err != nil {
			return nil, err
		}
		patches = append(patches, patch)
	}
	return patches, nil
}

func (c *call) conflicts() ([]byte, error) {
	patches, err := c.decodePatches()
	if err != nil {
		return nil, err
	}
	if len(patches) != 2 {
		return nil, &badRequest{`"conflicts" takes two patches`}
	}
	conflict, err := strategicpatch.MergingMapsHaveConflicts(patches[0], patches[1], c.lookup)
	if err != nil {
		return nil, err
	}
	return appendValue(nil, conflict)
}

func (c *call) merge() ([]byte, error) {
	patches, err := c.decodePatches()
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.MergeStrategicMergeMapPatchUsingLookupPatchMeta(c.lookup, patches...)
	if err != nil {
		return nil, err
	}
	return appendMap(nil, merged)
}

// orEmpty stands in for a document that was left out.
func orEmpty(text json.RawMessage) []byte {
	if text == nil {
		return []byte("{}")
	}
	return text
}

// written passes on JSON text that a library wrote.
func written(text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		return nil, &kindedError{kindUnclassified, fmt.Sprintf("the library wrote what is not JSON: %q", text)}
	}
	return text, nil
}

func (c *call) jsonMergeApply() ([]byte, error) {
	d := &c.req.Documents
	if err := required("patch", d.Patch); err != nil {
		return nil, err
	}
	return written(applyJSONMergePatch(orEmpty(d.Live), d.Patch))
}

func (c *call) jsonMergeTwoWay() ([]byte, error) {
	d := &c.req.Documents
	if err := required("modified", d.Modified); err != nil {
		return nil, err
	}
	return written(createJSONMergePatch(orEmpty(d.Original), d.Modified))
}

func (c *call) jsonMergeThreeWay() ([]byte, error) {
	d := &c.req.Documents
	if err := required("modified", d.Modified); err != nil {
		return nil, err
	}
	return written(jsonmergepatch.CreateThreeWayJSONMergePatch(d.LastApplied, d.Modified, d.Live, c.preconditions...))
}

func (c *call) jsonPatchApply() ([]byte, error) {
	d := &c.req.Documents
	if err := required("patch", d.Patch); err != nil {
		return nil, err
	}
	patch, err := decodeJSONPatch(d.Patch)
	if err != nil {
		return nil, &kindedError{kindJSONPatchFailed, err.Error()}
	}
	result, err := patch.Apply(orEmpty(d.Live))
	if err != nil {
		return nil, &kindedError{kindJSONPatchFailed, err.Error()}
	}
	return written(result, nil)
}
