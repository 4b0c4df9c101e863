package main

import "encoding/json"

// The types of this file have the serde form of engine/src/schema/declarations.rs.

type declarations struct {
	Types []typeDecl `json:"types"`
}

type typeDecl struct {
	Name    string   `json:"name"`
	Shape   shape    `json:"shape"`
	Markers []marker `json:"markers,omitempty"`
}

// shape has exactly one field set.
type shape struct {
	Struct *[]fieldDecl `json:"struct,omitempty"`
	Enum   *enum        `json:"enum,omitempty"`
	Alias  *typeExpr    `json:"alias,omitempty"`
}

type enum struct {
	Values []enumValue `json:"values"`
	Closed bool        `json:"closed"`
}

type enumValue struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value"`
}

type fieldDecl struct {
	Name      string          `json:"name,omitempty"`
	GoName    string          `json:"goName,omitempty"`
	Type      typeExpr        `json:"type"`
	Inline    bool            `json:"inline,omitempty"`
	OmitEmpty bool            `json:"omitEmpty,omitempty"`
	OmitZero  bool            `json:"omitZero,omitempty"`
	Required  *bool           `json:"required,omitempty"`
	Default   json.RawMessage `json:"default,omitempty"`
	Patch     *patchMeta      `json:"patch,omitempty"`
	Markers   []marker        `json:"markers,omitempty"`
}

type patchMeta struct {
	Strategies  []string `json:"strategies,omitempty"`
	MergeKey    []string `json:"mergeKey,omitempty"`
	ListType    string   `json:"listType,omitempty"`
	ListMapKeys []string `json:"listMapKeys,omitempty"`
}

type marker struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// typeExpr has at most one field set. If none is set, the type is any JSON value.
type typeExpr struct {
	// raw is runtime.RawExtension: any JSON value, which is a struct in Go.
	raw     bool
	scalar  string
	named   string
	list    *typeExpr
	mapOf   *typeExpr
	pointer *typeExpr
}

// MarshalJSON writes the type as an externally tagged enum, which is the form that serde reads.
func (t typeExpr) MarshalJSON() ([]byte, error) {
	switch {
	case t.raw:
		return json.Marshal("rawExtension")
	case t.scalar != "":
		return json.Marshal(map[string]string{"scalar": t.scalar})
	case t.named != "":
		return json.Marshal(map[string]string{"named": t.named})
	case t.list != nil:
		return json.Marshal(map[string]*typeExpr{"list": t.list})
	case t.mapOf != nil:
		return json.Marshal(map[string]*typeExpr{"map": t.mapOf})
	case t.pointer != nil:
		return json.Marshal(map[string]*typeExpr{"pointer": t.pointer})
	default:
		return json.Marshal("any")
	}
}
