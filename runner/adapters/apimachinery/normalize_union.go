//go:build !no_managed_fields

package main

import (
	"fmt"
	"strings"

	smd "sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v4/value"
)

const (
	// unionOwner is the type that contains the union, and unionHolder the root, with a field of this type.
	unionOwner  = "owner"
	unionHolder = "holder"
	holderField = "object"
	anyValue    = "any"
)

// normalizeUnion does what the updater of structured-merge-diff v4.3.0 does with the unions of an object on create,
// update and patch requests: NormalizeUnions on the stored object and the new one.
func (c *call) normalizeUnion() ([]byte, error) {
	union := c.req.Union
	if union == nil {
		return nil, &badRequest{`"normalize-union" needs a "union"`}
	}
	switch union.Kind {
	case unionDiscriminated:
		if union.Discriminator == "" {
			return nil, &badRequest{`a discriminated union needs a "discriminator"`}
		}
	case unionZeroOrOne:
		union.Discriminator = ""
	case unionExactlyOne, unionModal:
		return nil, &unsupportedError{fmt.Sprintf("structured-merge-diff does not know unions of kind %q", union.Kind)}
	default:
		return nil, &badRequest{fmt.Sprintf("unions of kind %q are not known", union.Kind)}
	}
	if err := required("new", c.req.Documents.New); err != nil {
		return nil, err
	}
	newObject, err := decodeObject(c.req.Documents.New)
	if err != nil {
		return nil, err
	}
	// The live object of a create request has no fields.
	oldHolder := map[string]any{}
	if old := c.req.Documents.Old; old != nil && string(old) != "null" {
		oldObject, err := decodeObject(old)
		if err != nil {
			return nil, err
		}
		oldHolder[holderField] = oldObject
	}
	s := unionSchema(union)
	holder := unionHolder
	root := smd.TypeRef{NamedType: &holder}
	oldTyped, err := typed.AsTyped(value.NewValueInterface(oldHolder), s, root)
	if err != nil {
		return nil, &kindedError{kindInvalidDocument, err.Error()}
	}
	newTyped, err := typed.AsTyped(value.NewValueInterface(map[string]any{holderField: newObject}), s, root)
	if err != nil {
		return nil, &kindedError{kindInvalidDocument, err.Error()}
	}
	normalized, err := oldTyped.NormalizeUnions(newTyped)
	if err != nil {
		return nil, &kindedError{unionErrorKind(err), err.Error()}
	}
	result := normalized.AsValue().Unstructured().(map[string]any)
	object, ok := result[holderField].(map[string]any)
	if !ok || object == nil {
		object = map[string]any{}
	}
	return appendMap(nil, object)
}

// unionSchema returns the schema of a holder with one object whose type has the union. Every field can have any value.
func unionSchema(union *unionRequest) *smd.Schema {
	untyped := smd.Untyped
	named := func(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }
	declared := smd.Union{DeduceInvalidDiscriminator: union.DeduceInvalidDiscriminator}
	if union.Discriminator != "" {
		declared.Discriminator = &union.Discriminator
	}
	for _, member := range union.Members {
		declared.Fields = append(declared.Fields, smd.UnionField{
			FieldName: member.Field, DiscriminatorValue: member.Value,
		})
	}
	return &smd.Schema{Types: []smd.TypeDef{
		{Name: unionHolder, Atom: smd.Atom{Map: &smd.Map{
			Fields: []smd.StructField{{Name: holderField, Type: named(unionOwner)}},
		}}},
		{Name: unionOwner, Atom: smd.Atom{Map: &smd.Map{
			ElementType: named(anyValue), Unions: []smd.Union{declared},
		}}},
		{Name: anyValue, Atom: smd.Atom{
			Scalar: &untyped,
			List:   &smd.List{ElementType: named(anyValue), ElementRelationship: smd.Atomic},
			Map:    &smd.Map{ElementType: named(anyValue), ElementRelationship: smd.Atomic},
		}},
	}}
}

// unionErrorKind maps an error of NormalizeUnions to one of Skewer's error kinds.
func unionErrorKind(err error) string {
	for _, known := range []struct{ part, kind string }{
		{"multiple new fields added", kindUnionSeveralMembers},
		{"multiple fields set without discriminator change", kindUnionSeveralMembers},
		{"and field changed (", kindUnionUnselectedMemberSet},
	} {
		if strings.Contains(err.Error(), known.part) {
			return known.kind
		}
	}
	return kindUnclassified
}
