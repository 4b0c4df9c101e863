//go:build !no_unions

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	unionDiscriminated = "discriminated"
	unionExactlyOne    = "exactly-one"
	unionZeroOrOne     = "zero-or-one"
	unionModal         = "modal"
)

// unionError is one error of a validation, as the reply lists it.
type unionError struct {
	Field   string `json:"field"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Origin  string `json:"origin,omitempty"`
}

// validateUnion runs what a generated validation function runs for a union of a built-in type, with accessors
var (
	unionKinds = []string{unionDiscriminated, unionExactlyOne, unionZeroOrOne, unionModal}
	unionTasks = []task{{name: "validate-union", run: (*call).validateUnion}}
)

// that read the members from a decoded document instead of a struct.
func (c *call) validateUnion() ([]byte, error) {
	union := c.req.Union
	if union == nil {
		return nil, &badRequest{`"validate-union" needs a "union"`}
	}
	if err := required("new", c.req.Documents.New); err != nil {
		return nil, err
	}
	newObject, err := decodeObject(c.req.Documents.New)
	if err != nil {
		return nil, err
	}
	op := operation.Operation{Type: operation.Create}
	var oldObject map[string]any
	if old := c.req.Documents.Old; old != nil && string(old) != "null" {
		if oldObject, err = decodeObject(old); err != nil {
			return nil, err
		}
		op.Type = operation.Update
	}
	errs, err := validateMembers(op, union, newObject, oldObject)
	if err != nil {
		return nil, err
	}
	listed := make([]unionError, 0, len(errs))
	for _, e := range errs {
		listed = append(listed, unionError{
			Field: e.Field, Type: string(e.Type), Message: e.Detail, Origin: e.Origin,
		})
		if e.Field == "<nil>" {
			// This is how the library prints the root.
			listed[len(listed)-1].Field = ""
		}
	}
	return json.Marshal(listed)
}

func validateMembers(
	op operation.Operation, union *unionRequest, newObject, oldObject map[string]any,
) (field.ErrorList, error) {
	var path *field.Path
	if union.Path != "" {
		path = field.NewPath(union.Path)
	}
	var members []validate.UnionMember
	var isSet []validate.ExtractorFn[map[string]any, bool]
	for _, member := range union.Members {
		if union.Kind == unionDiscriminated {
			members = append(members, validate.NewDiscriminatedUnionMember(member.Field, member.Value))
		} else {
			members = append(members, validate.NewUnionMember(member.Field))
		}
		isSet = append(isSet, func(object map[string]any) bool { return object[member.Field] != nil })
	}
	ctx := context.Background()
	switch union.Kind {
	case unionDiscriminated:
		if union.Discriminator == "" {
			return nil, &badRequest{`a discriminated union needs a "discriminator"`}
		}
		membership := validate.NewDiscriminatedUnionMembership(union.Discriminator, members...)
		discriminator := func(object map[string]any) string {
			value, _ := object[union.Discriminator].(string)
			return value
		}
		return validate.DiscriminatedUnion(ctx, op, path, newObject, oldObject, membership, discriminator, isSet...), nil
	case unionExactlyOne:
		return validate.Union(ctx, op, path, newObject, oldObject, validate.NewUnionMembership(members...), isSet...), nil
	case unionZeroOrOne:
		return validate.ZeroOrOneOfUnion(
			ctx, op, path, newObject, oldObject, validate.NewUnionMembership(members...), isSet...), nil
	case unionModal:
		return validateModes(op, path, union, newObject, oldObject)
	default:
		return nil, &badRequest{fmt.Sprintf("unions of kind %q are not known", union.Kind)}
	}
}

// validateModes runs what a generated validation function runs for the members of a modal union: one call for each
// member, with a rule for each value that the tags name, and the rule "forbidden" for all others. A member is a pointer.
func validateModes(
	op operation.Operation, path *field.Path, union *unionRequest, newObject, oldObject map[string]any,
) (field.ErrorList, error) {
	if union.Discriminator == "" {
		return nil, &badRequest{`a modal union needs a "discriminator"`}
	}
	discriminator := func(object *map[string]any) string {
		value, _ := (*object)[union.Discriminator].(string)
		return value
	}
	var oldStruct *map[string]any
	if oldObject != nil {
		oldStruct = &oldObject
	}
	var errs field.ErrorList
	for _, member := range union.Members {
		var rules []validate.DiscriminatedRule[*any, string]
		for _, mode := range member.Modes {
			rule := validate.DiscriminatedRule[*any, string]{Value: mode.Value}
			switch mode.Rule {
			case "required":
				rule.Validation = validate.RequiredPointer[any]
			case "forbidden":
				rule.Validation = validate.ForbiddenPointer[any]
			case "optional":
				// OptionalPointer ends the validation of a member that is not set, and its errors are dropped.
			default:
				return nil, &badRequest{fmt.Sprintf("the rule %q is not known", mode.Rule)}
			}
			rules = append(rules, rule)
		}
		value := func(object *map[string]any) *any {
			if value := (*object)[member.Field]; value != nil {
				return &value
			}
			return nil
		}
		errs = append(errs, validate.Discriminated(context.Background(), op, path, &newObject, oldStruct, member.Field,
			value, discriminator, validate.SemanticDeepEqual[*any], validate.ForbiddenPointer[any], rules)...)
	}
	return errs, nil
}
