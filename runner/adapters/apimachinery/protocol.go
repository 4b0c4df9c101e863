package main

import (
	"encoding/json"

	"skewer.dev/conversation"
)

// request is any line that the runner sends. Members that are not listed are ignored.
type request struct {
	conversation.Head
	Operation string         `json:"operation"`
	Schema    *schemaRequest `json:"schema"`
	Documents documents      `json:"documents"`
	Profile   profile        `json:"profile"`
	Options   options        `json:"options"`
	Union     *unionRequest  `json:"union"`
}

// schemaRequest is a schema sent in full, or the id of one that was sent before.
type schemaRequest struct {
	ID      string          `json:"id"`
	Root    string          `json:"root"`
	OpenAPI json.RawMessage `json:"openapi"`
}

// documents are kept as text: every operation decodes what it needs, so that no request can see the values
// that the library changed in another one. A document that was left out is nil; a JSON null is not.
type documents struct {
	Live        json.RawMessage   `json:"live"`
	Patch       json.RawMessage   `json:"patch"`
	Patches     []json.RawMessage `json:"patches"`
	Original    json.RawMessage   `json:"original"`
	Modified    json.RawMessage   `json:"modified"`
	LastApplied json.RawMessage   `json:"lastApplied"`
	Old         json.RawMessage   `json:"old"`
	New         json.RawMessage   `json:"new"`

	Configuration json.RawMessage `json:"configuration"`
}

type profile struct {
	Without []string `json:"without"`
	With    []string `json:"with"`
}

type options struct {
	Overwrite     bool           `json:"overwrite"`
	Preconditions []precondition `json:"preconditions"`
	Lookup        string         `json:"lookup"`

	// The options of server-side-apply, managed-update and upgrade-managed-fields.
	Manager     string           `json:"manager"`
	Subresource string           `json:"subresource"`
	Force       bool             `json:"force"`
	APIVersion  string           `json:"apiVersion"`
	Versions    []versionRequest `json:"versions"`
	CSAManagers []string         `json:"csaManagers"`
}

// versionRequest is an API version of the resource.
type versionRequest struct {
	APIVersion  string     `json:"apiVersion"`
	Root        string     `json:"root"`
	Renames     []rename   `json:"renames"`
	ResetFields [][]string `json:"resetFields"`
}

// rename says that the field at one path of versions without it is at another path in this version.
type rename struct {
	Hub     []string `json:"hub"`
	Version []string `json:"version"`
}

// precondition has exactly one member.
type precondition struct {
	KeyUnchanged         string `json:"keyUnchanged"`
	MetadataKeyUnchanged string `json:"metadataKeyUnchanged"`
}

type unionRequest struct {
	Kind          string        `json:"kind"`
	Path          string        `json:"path"`
	Discriminator string        `json:"discriminator"`
	Members       []unionMember `json:"members"`
	// DeduceInvalidDiscriminator is only for normalize-union.
	DeduceInvalidDiscriminator bool `json:"deduceInvalidDiscriminator"`
}

type unionMember struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// Modes are only for modal unions.
	Modes []unionMode `json:"modes"`
}

// unionMode is the rule of a member while the discriminator has a value: required, optional or forbidden.
type unionMode struct {
	Value string `json:"value"`
	Rule  string `json:"rule"`
}

// The parts of a reply, which all adapters share.
type (
	outcome       = conversation.Outcome
	refusal       = conversation.Refusal
	applyConflict = conversation.Conflict
)
