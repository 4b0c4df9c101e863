// Package builtin is the part that adapters of fake clients share: the kinds of client-go, and documents as objects of
// these kinds.
package builtin

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"skewer.dev/requests"
)

// kinds has the kinds of client-go by the name of their type in an OpenAPI document, such as `core.v1.Pod`.
var kinds = sync.OnceValue(func() map[string]schema.GroupVersionKind {
	kinds := map[string]schema.GroupVersionKind{}
	for kind, goType := range scheme.Scheme.AllKnownTypes() {
		path, ok := strings.CutPrefix(goType.PkgPath(), "k8s.io/api/")
		if ok && goType.Name() == kind.Kind {
			kinds[strings.ReplaceAll(path, "/", ".")+"."+kind.Kind] = kind
		}
	}
	return kinds
})

// Kind returns the kind of the objects of a request. It is unsupported if client-go does not have the kind, or if the
// patch metadata of the request is not that of client-go.
func Kind(call *requests.Call, documents ...map[string]any) (schema.GroupVersionKind, error) {
	if call.Schema == nil {
		for _, document := range documents {
			version, _ := document["apiVersion"].(string)
			kind, _ := document["kind"].(string)
			found := schema.FromAPIVersionAndKind(version, kind)
			if version != "" && scheme.Scheme.Recognizes(found) {
				return found, nil
			}
		}
		return schema.GroupVersionKind{}, requests.Unsupported("the documents do not name a kind of client-go")
	}
	kind, ok := kinds()[strings.TrimPrefix(call.Root, "io.k8s.api.")]
	if !ok {
		return kind, requests.Unsupported("%s is not a kind of client-go", call.Root)
	}
	goType := scheme.Scheme.AllKnownTypes()[kind]
	key := "checked " + call.Root
	checked, ok := call.Schema.Built[key]
	if !ok {
		checker := metadataChecker{components: call.Schema.Components, seen: map[string]bool{}}
		checked = checker.check(&property{Ref: componentPrefix + call.Root}, goType)
		call.Schema.Built[key] = checked
	}
	if difference := checked.(string); difference != "" {
		return kind, requests.Unsupported("the types of the request are not those of client-go: %s", difference)
	}
	for _, document := range documents {
		if field := unknownField(call.Schema, &property{Ref: componentPrefix + call.Root}, goType, document); field != "" {
			return kind, requests.Unsupported("client-go does not have the field %s", field)
		}
	}
	return kind, nil
}

const componentPrefix = "#/components/schemas/"

// property is what is read of a schema.
type property struct {
	Ref                  string               `json:"$ref"`
	AllOf                []property           `json:"allOf"`
	Properties           map[string]*property `json:"properties"`
	Items                *property            `json:"items"`
	AdditionalProperties json.RawMessage      `json:"additionalProperties"`
	Strategy             string               `json:"x-kubernetes-patch-strategy"`
	MergeKey             string               `json:"x-kubernetes-patch-merge-key"`
}

// resolve follows the reference of a property. It returns nil if there is none to follow, or if it leads nowhere.
func (p *property) resolve(components map[string]json.RawMessage) (name string, resolved *property) {
	for range 100 {
		if p.Ref == "" && len(p.AllOf) == 1 {
			p = &p.AllOf[0]
		}
		if p.Ref == "" {
			return name, p
		}
		name = strings.TrimPrefix(p.Ref, componentPrefix)
		next := &property{}
		if json.Unmarshal(components[name], next) != nil {
			return name, &property{}
		}
		p = next
	}
	return name, &property{}
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// isLeaf tells whether a type has a form of its own in JSON.
func isLeaf(t reflect.Type) bool {
	return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

// fieldOf returns the field with this name in JSON.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && tag == "" {
			if found, ok := fieldOf(field.Type, name); ok {
				return found, true
			}
		} else if tag == name {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// metadataChecker compares the patch metadata of a schema with the tags of Go types.
type metadataChecker struct {
	components map[string]json.RawMessage
	seen       map[string]bool
}

// check returns the first difference.
func (c *metadataChecker) check(p *property, t reflect.Type) string {
	name, resolved := p.resolve(c.components)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case isLeaf(t) || name != "" && c.seen[name]:
		return ""
	case t.Kind() == reflect.Slice && resolved.Items != nil:
		return c.check(resolved.Items, t.Elem())
	case t.Kind() != reflect.Struct:
		return ""
	}
	c.seen[name] = true
	for member, p := range resolved.Properties {
		field, ok := fieldOf(t, member)
		if !ok {
			continue
		}
		if field.Tag.Get("patchStrategy") != p.Strategy || field.Tag.Get("patchMergeKey") != p.MergeKey {
			return "the patch metadata of " + t.Name() + "." + member
		}
		if difference := c.check(p, field.Type); difference != "" {
			return difference
		}
	}
	return ""
}

// unknownField returns a field of a document that the schema has, and the Go type does not.
func unknownField(s *requests.Schema, p *property, t reflect.Type, value any) string {
	_, resolved := p.resolve(s.Components)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isLeaf(t) {
		return ""
	}
	switch value := value.(type) {
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return ""
		}
		for name, member := range value {
			p, ok := resolved.Properties[name]
			if !ok {
				continue
			}
			field, ok := fieldOf(t, name)
			if !ok {
				return t.Name() + "." + name
			}
			if found := unknownField(s, p, field.Type, member); found != "" {
				return found
			}
		}
	case []any:
		if t.Kind() != reflect.Slice || resolved.Items == nil {
			return ""
		}
		for _, item := range value {
			if found := unknownField(s, resolved.Items, t.Elem(), item); found != "" {
				return found
			}
		}
	}
	return ""
}
