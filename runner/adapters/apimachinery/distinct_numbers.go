//go:build !no_managed_fields

package main

import (
	"fmt"

	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// indistinctNumbers is the beginning of the message about a list whose items only integers tell apart.
const indistinctNumbers = "two items differ only in integers that are the same float"

// checkDistinctNumbers refuses a value in which the items of a list have different identities that are equal if
// integers are converted to floats. The library compares integers with each other exactly, and with floats as floats.
// Equality is then not transitive, and merging may not come to an end. Besides, it reads integers in managed fields as
// floats.
func checkDistinctNumbers(value *typed.TypedValue) error {
	content := value.AsValue().Unstructured()
	// The check is slow, and few documents have such integers.
	if !hasInexactInteger(content) {
		return nil
	}
	return checkDistinctIn(value.Schema(), value.TypeRef(), content)
}

// hasInexactInteger tells whether a value contains an integer that can share its float with another one.
func hasInexactInteger(v any) bool {
	const maxExactInteger = 1<<53 - 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if hasInexactInteger(member) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if hasInexactInteger(item) {
				return true
			}
		}
	case int64:
		return v < -maxExactInteger || v > maxExactInteger
	}
	return false
}

func checkDistinctIn(s *smdschema.Schema, ref smdschema.TypeRef, v any) error {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map == nil {
			return nil
		}
		for name, member := range v {
			ref := atom.Map.ElementType
			if field, ok := atom.Map.FindField(name); ok {
				ref = field.Type
			}
			if err := checkDistinctIn(s, ref, member); err != nil {
				return err
			}
		}
	case []any:
		if atom.List == nil {
			return nil
		}
		if atom.List.ElementRelationship == smdschema.Associative {
			if err := checkDistinctItems(s, atom.List, v); err != nil {
				return err
			}
		}
		for _, item := range v {
			if err := checkDistinctIn(s, atom.List.ElementType, item); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkDistinctItems(s *smdschema.Schema, list *smdschema.List, items []any) error {
	// The identities that are equal with floats instead of integers.
	seen := map[string][][]any{}
	for _, item := range items {
		identity := identityOf(s, list, item)
		floats := fmt.Sprintf("%#v", withFloats(identity))
		for _, other := range seen[floats] {
			if haveDifferentIntegers(identity, other) {
				message := fmt.Sprintf("%s: %v and %v", indistinctNumbers, other, identity)
				return typed.ValidationErrors{{ErrorMessage: message}}
			}
		}
		seen[floats] = append(seen[floats], identity)
	}
	return nil
}

// identityOf is the item itself, or the values of its keys.
func identityOf(s *smdschema.Schema, list *smdschema.List, item any) []any {
	fields, ok := item.(map[string]any)
	if len(list.Keys) == 0 || !ok {
		return []any{item}
	}
	identity := make([]any, 0, len(list.Keys))
	for _, key := range list.Keys {
		value, ok := fields[key]
		if !ok {
			value = defaultOf(s, list.ElementType, key)
		}
		identity = append(identity, value)
	}
	return identity
}

func defaultOf(s *smdschema.Schema, ref smdschema.TypeRef, key string) any {
	if atom, ok := s.Resolve(ref); ok && atom.Map != nil {
		if field, ok := atom.Map.FindField(key); ok {
			return field.Default
		}
	}
	return nil
}

func withFloats(identity []any) []any {
	floats := make([]any, len(identity))
	for i, value := range identity {
		if integer, ok := value.(int64); ok {
			value = float64(integer)
		}
		floats[i] = value
	}
	return floats
}

func haveDifferentIntegers(a, b []any) bool {
	for i := range a {
		first, ok := a[i].(int64)
		second, isInteger := b[i].(int64)
		if ok && isInteger && first != second {
			return true
		}
	}
	return false
}
