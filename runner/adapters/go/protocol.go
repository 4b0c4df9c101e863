package main

import "encoding/json"

// protocolVersion is the version of ../PROTOCOL.md that is spoken here.
const protocolVersion = 1

// request is any line that the runner sends. Members that are not listed are ignored.
type request struct {
	Kind      string         `json:"kind"`
	Protocol  int            `json:"protocol"`
	Seq       *int64         `json:"seq"`
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

type started struct {
	Kind     string   `json:"kind"`
	Protocol int      `json:"protocol"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Language string   `json:"language"`
	Supports supports `json:"supports"`
}

type supports struct {
	Operations []string `json:"operations"`
	Directives []string `json:"directives"`
	Lookups    []string `json:"lookups"`
	Unions     []string `json:"unions"`
}

// outcome is what a run comes to: exactly one of its parts is set.
type outcome struct {
	// result is JSON text without a line break.
	result      []byte
	refusal     *refusal
	unsupported string
	// broken says why the request itself makes no sense.
	broken string
}

// refusal is a failure of the operation, which is an answer like any other.
type refusal struct {
	Kind string `json:"kind"`
	// Kinds are all kinds, sorted, if the library returned errors of several kinds at once.
	Kinds []string `json:"kinds,omitempty"`
	// Directive is the name of the directive for kindInvalidDirective.
	Directive string `json:"directive,omitempty"`
	Message   string `json:"message"`
	// Conflicts are the conflicts of server-side-apply, by manager and path.
	Conflicts []applyConflict `json:"conflicts,omitempty"`
}

// applyConflict is a field that another manager owns.
type applyConflict struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Path        string `json:"path"`
}
