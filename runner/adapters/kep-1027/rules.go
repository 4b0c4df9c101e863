package main

import "slices"

// union is a union of one struct. Without a discriminator, only its members are counted.
type union struct {
	discriminator, defaultValue string
	values                      []string
	members                     []member
	// mustBeSet says that a union without a discriminator needs a member.
	mustBeSet bool
}

type member struct {
	Field    string `json:"field"`
	Value    string `json:"value"`
	Optional bool   `json:"optional"`
}

// refusal is a reason for which an object is refused: a rule, the field that breaks it, and what is in conflict.
type refusal struct {
	kind, field string
	involved    []string
}

// rules are the rules of the KEP under some feature gates.
type rules struct {
	deliberate           deliberateError
	namesLastReason      bool
	ratcheting, isUpdate bool
}

// deliberateError is a deviation from the KEP. Tests use it to see that they notice the deviation.
type deliberateError string

const (
	keepsOtherMembers    deliberateError = "keeps-other-members"
	emptyValueKeepsAll   deliberateError = "empty-value-keeps-all"
	normalizesUnmodified deliberateError = "normalizes-unmodified"
	acceptsEmptyMember   deliberateError = "accepts-empty-member"
	toleratesAnyError    deliberateError = "tolerates-any-error"
)

var deliberateErrors = []deliberateError{
	keepsOtherMembers, emptyValueKeepsAll, normalizesUnmodified, acceptsEmptyMember, toleratesAnyError,
}

// normalize: "when the server receives an update request with a discriminator set to a given field, and multiple member
// fields are set it should clear all fields except the one pointed to by the discriminator if and only if the
// discriminator has been modified".
func (r *rules) normalize(u *union, stored, updated map[string]any) {
	if u.discriminator == "" || !r.isUpdate {
		return
	}
	isModified := u.value(stored) != u.value(updated)
	// "The server will see the unrecognized discriminator value and can fail loudly": it points to no field.
	if !(isModified && u.isValid(updated)) && (isModified || r.deliberate != normalizesUnmodified) {
		return
	}
	selected := u.selected(updated)
	if selected == nil && r.deliberate == emptyValueKeepsAll || selected != nil && r.deliberate == keepsOtherMembers {
		return
	}
	for _, m := range u.members {
		if selected == nil || m.Field != selected.Field {
			delete(updated, m.Field)
		}
	}
}

// refusals returns the reasons for which a normalized struct is refused. "Ratcheting validation means that objects will
// ignore stricter validation rules if and only if the existing object also fails the stricter validation for the same
// reason."
func (r *rules) refusals(u *union, stored, updated map[string]any) []refusal {
	reasons := r.reasons(u, stored, updated, r.isUpdate && u.value(stored) == u.value(updated))
	if r.ratcheting && stored != nil {
		before := r.reasons(u, stored, stored, true)
		reasons = slices.DeleteFunc(reasons, func(now refusal) bool {
			return slices.ContainsFunc(before, func(old refusal) bool {
				isNew := func(part string) bool { return !slices.Contains(old.involved, part) }
				isSame := now.kind == old.kind && now.field == old.field && !slices.ContainsFunc(now.involved, isNew)
				return isSame || r.deliberate == toleratesAnyError
			})
		})
	}
	if r.namesLastReason {
		slices.Reverse(reasons)
	}
	return reasons
}

func (r *rules) reasons(u *union, stored, updated map[string]any, isUnmodified bool) (reasons []refusal) {
	add := func(kind, field string, involved ...string) {
		reasons = append(reasons, refusal{kind, field, involved})
	}
	set := u.set(updated)
	if u.discriminator == "" {
		// "Validation - ensuring only one member field is set (or at most one if desired)."
		if len(set) > 1 {
			add("union-several-members", "", set...)
		} else if len(set) == 0 && u.mustBeSet {
			add("union-no-member", "")
		}
		return reasons
	}
	value := u.value(updated)
	// "The discriminator field must be a string and required", and "all discriminators should be defined as an enum".
	if text := updated[u.discriminator]; text != nil && !isString(text) {
		add("union-discriminator-not-a-string", u.discriminator)
	} else if !u.isValid(updated) && value == "" {
		add("union-discriminator-missing", u.discriminator)
	} else if !u.isValid(updated) {
		add("union-unknown-discriminator", u.discriminator, value)
	}
	// "When multiple union fields are set and the discriminator has not been modified we should error loudly".
	if len(set) > 1 && isUnmodified {
		add("union-several-members", "", set...)
	}
	if !u.isValid(updated) {
		return reasons
	}
	selected := u.selected(updated)
	// The discriminator "points to which of the other "union member" fields is to be respected".
	for _, field := range set {
		if selected == nil || field != selected.Field {
			add("union-unselected-member-set", field, value)
		}
	}
	// "That given field is empty and not marked as optional". "This does not apply to discriminator values that do not
	// correspond to any field."
	isEmpty := selected != nil && !slices.Contains(set, selected.Field)
	if isEmpty && !selected.Optional && r.deliberate != acceptsEmptyMember {
		add("union-selected-member-empty", selected.Field, value)
	}
	return reasons
}

// value returns the value of the discriminator. A field that is not there has the default, and so has an empty one,
// unless the empty string is one of the values.
func (u *union) value(object map[string]any) string {
	value, _ := object[u.discriminator].(string)
	if value == "" && (object[u.discriminator] == nil || !slices.Contains(u.values, "")) {
		return u.defaultValue
	}
	return value
}

func (u *union) isValid(object map[string]any) bool {
	text := object[u.discriminator]
	return (text == nil || isString(text)) && (u.values == nil || slices.Contains(u.values, u.value(object)))
}

func (u *union) selected(object map[string]any) *member {
	i := slices.IndexFunc(u.members, func(m member) bool { return m.Value == u.value(object) })
	if i < 0 {
		return nil
	}
	return &u.members[i]
}

func (u *union) set(object map[string]any) (fields []string) {
	for _, m := range u.members {
		if object[m.Field] != nil {
			fields = append(fields, m.Field)
		}
	}
	return fields
}

func isString(value any) bool {
	_, ok := value.(string)
	return ok
}
