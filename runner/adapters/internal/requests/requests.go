// Package requests is the part that adapters of patch implementations in Go share: the requests of the adapter
// protocol, the schemas that they name, and the replies that errors become. The protocol is described in
// ../PROTOCOL.md.
package requests

import (
	"encoding/json"

	"skewer.dev/conversation"
)

// Request is any line that the runner sends. Members that are not listed are ignored.
type Request struct {
	conversation.Head
	Operation string         `json:"operation"`
	Schema    *SchemaRequest `json:"schema"`
	Documents Documents      `json:"documents"`
	Profile   Profile        `json:"profile"`
	Options   Options        `json:"options"`
}

// SchemaRequest is a schema sent in full, or the id of one that was sent before.
type SchemaRequest struct {
	ID      string          `json:"id"`
	Root    string          `json:"root"`
	OpenAPI json.RawMessage `json:"openapi"`
}

// Documents are kept as text, because implementations change the documents that they get. A document that was left out
// is nil. A JSON null is not.
type Documents struct {
	Live          json.RawMessage `json:"live"`
	Patch         json.RawMessage `json:"patch"`
	Old           json.RawMessage `json:"old"`
	New           json.RawMessage `json:"new"`
	Configuration json.RawMessage `json:"configuration"`
}

// Profile lists directives that the implementation must not know, or must know in addition to those of Kubernetes.
type Profile struct {
	Without []string `json:"without"`
	With    []string `json:"with"`
}

// Options are the options of all operations.
type Options struct {
	Preconditions []json.RawMessage `json:"preconditions"`
	Lookup        string            `json:"lookup"`
	Manager       string            `json:"manager"`
	Subresource   string            `json:"subresource"`
	Force         bool              `json:"force"`
	APIVersion    string            `json:"apiVersion"`
	Versions      []Version         `json:"versions"`
	// Policy, Gate and Ratcheting are the rules of admit-union.
	Policy     string `json:"policy"`
	Gate       bool   `json:"gate"`
	Ratcheting bool   `json:"ratcheting"`
}

// Version is an API version of the resource.
type Version struct {
	APIVersion  string     `json:"apiVersion"`
	Root        string     `json:"root"`
	Renames     []Rename   `json:"renames"`
	ResetFields [][]string `json:"resetFields"`
}

// Rename is a field with another path in a version. Hub is its path in the versions without the rename.
type Rename struct {
	Hub     []string `json:"hub"`
	Version []string `json:"version"`
}

// Schema is an OpenAPI v3 document that requests refer to.
type Schema struct {
	// Root is the component that describes the whole document, unless a request names another one.
	Root       string
	Components map[string]json.RawMessage
	// Built is for what an adapter makes of the schema, so that it makes it once.
	Built map[string]any
}

// readSchema returns the components of an OpenAPI v3 document.
func readSchema(text []byte) (*Schema, error) {
	var document struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, Refuse(InvalidSchema, "the schema is not an OpenAPI document: %v", err)
	}
	return &Schema{Components: document.Components.Schemas, Built: map[string]any{}}, nil
}
