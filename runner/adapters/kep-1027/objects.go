package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"skewer.dev/requests"
)

// schema is an OpenAPI schema with the parts that matter for unions.
type schema struct {
	Ref          string             `json:"$ref"`
	AllOf        []*schema          `json:"allOf"`
	Properties   map[string]*schema `json:"properties"`
	Items        *schema            `json:"items"`
	Additional   *schema            `json:"additionalProperties"`
	Default      any                `json:"default"`
	Keys         []string           `json:"x-kubernetes-list-map-keys"`
	Strategy     string             `json:"x-kubernetes-patch-strategy"`
	MergeKey     string             `json:"x-kubernetes-patch-merge-key"`
	FieldMembers *struct {
		FieldMembers map[string]*struct {
			Name     string `json:"name"`
			Optional bool   `json:"optional"`
		} `json:"fieldMembers"`
	} `json:"x-kubernetes-unions"`
	Others []struct {
		Kind          string   `json:"kind"`
		Discriminator string   `json:"discriminator"`
		Values        []string `json:"values"`
		Members       []member `json:"members"`
	} `json:"x-skewer-unions"`
}

// write is the admission of one object.
type write struct {
	rules
	types map[string]*schema
}

// admit normalizes and validates the unions of a value and of all values in it.
func (w *write) admit(s *schema, path string, stored, updated any) error {
	keys := s.itemKeys()
	s = w.resolve(s)
	switch updated := updated.(type) {
	case map[string]any:
		stored, _ := stored.(map[string]any)
		unions := s.unions()
		for _, u := range unions {
			w.normalize(u, stored, updated)
		}
		for _, u := range unions {
			for _, r := range w.refusals(u, stored, updated) {
				return requests.RefuseAt(r.kind, join(path, r.field), "KEP-1027: %v", r.involved)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(updated)) {
			inner := s.Properties[name]
			if inner == nil {
				inner = s.Additional
			}
			if inner != nil {
				if err := w.admit(inner, join(path, name), stored[name], updated[name]); err != nil {
					return err
				}
			}
		}
	case []any:
		stored, _ := stored.([]any)
		for i, item := range updated {
			if s.Items == nil {
				break
			}
			if err := w.admit(s.Items, fmt.Sprintf("%s[%d]", path, i), counterpart(keys, stored, item, i), item); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve follows a reference.
func (w *write) resolve(s *schema) *schema {
	for s.Ref != "" || len(s.AllOf) == 1 {
		if s.Ref == "" {
			s = s.AllOf[0]
		} else if s = w.types[s.Ref[len("#/components/schemas/"):]]; s == nil {
			return &schema{}
		}
	}
	return s
}

// itemKeys returns the fields that identify an item of a list.
func (s *schema) itemKeys() []string {
	if len(s.Keys) == 0 && s.Strategy == "merge" && s.MergeKey != "" {
		return []string{s.MergeKey}
	}
	return s.Keys
}

// counterpart returns the stored item with the keys of an item, or with its index if no keys identify items.
func counterpart(keys []string, stored []any, item any, index int) any {
	if len(keys) == 0 {
		if index < len(stored) {
			return stored[index]
		}
		return nil
	}
	identity := func(item any) string {
		object, _ := item.(map[string]any)
		var values []any
		for _, key := range keys {
			values = append(values, object[key])
		}
		return fmt.Sprintf("%#v", values)
	}
	i := slices.IndexFunc(stored, func(other any) bool { return identity(other) == identity(item) })
	if i < 0 {
		return nil
	}
	return stored[i]
}

// unions returns the unions of a struct, in the form in which the rules read them.
func (s *schema) unions() []*union {
	var unions []*union
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[field]
		if property.FieldMembers == nil {
			continue
		}
		u := &union{discriminator: field}
		u.defaultValue, _ = property.Default.(string)
		for _, value := range slices.Sorted(maps.Keys(property.FieldMembers.FieldMembers)) {
			u.values = append(u.values, value)
			if m := property.FieldMembers.FieldMembers[value]; m != nil {
				u.members = append(u.members, member{m.Name, value, m.Optional})
			}
		}
		unions = append(unions, u)
	}
	for _, other := range s.Others {
		u := &union{discriminator: other.Discriminator, values: other.Values, members: other.Members}
		u.mustBeSet = other.Kind == "exactly-one"
		if property := s.Properties[u.discriminator]; property != nil {
			u.defaultValue, _ = property.Default.(string)
		}
		if other.Kind != "modal" {
			unions = append(unions, u)
		}
	}
	return unions
}

func join(path, field string) string {
	if path == "" || field == "" {
		return path + field
	}
	return path + "." + field
}

// typesOf reads the components of a schema once.
func typesOf(read *requests.Schema) (map[string]*schema, error) {
	const key = "unions"
	if types, ok := read.Built[key].(map[string]*schema); ok {
		return types, nil
	}
	types := map[string]*schema{}
	for name, component := range read.Components {
		types[name] = &schema{}
		if err := json.Unmarshal(component, types[name]); err != nil {
			return nil, requests.Refuse(requests.InvalidSchema, "%s: %v", name, err)
		}
	}
	read.Built[key] = types
	return types, nil
}
