package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"skewer.dev/requests"
)

const update = "Update"

// owner identifies a manager. The library knows managers by a string only, which is the JSON text of an owner.
type owner struct {
	Manager   string `json:"manager"`
	Operation string `json:"operation"`
	// APIVersion is empty for appliers: an applier stays the same when it changes the version.
	APIVersion  string `json:"apiVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
}

func newOwner(manager, operation, apiVersion, subresource string) owner {
	if operation != update {
		apiVersion = ""
	}
	return owner{manager, operation, apiVersion, subresource}
}

func (o owner) String() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func readOwner(text string) owner {
	var o owner
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}

// managedFields are the managed fields of an object: what the library needs, and the times by manager, which give the
// entries their order.
type managedFields struct {
	sets  fieldpath.ManagedFields
	times map[string]time.Time
}

// takeManagedFields removes the managed fields from an object and returns them. Present is false if the object has
// none.
func takeManagedFields(object map[string]any) (fields managedFields, present bool, err error) {
	fields = managedFields{fieldpath.ManagedFields{}, map[string]time.Time{}}
	metadata, _ := object["metadata"].(map[string]any)
	value := metadata["managedFields"]
	if value == nil {
		return fields, false, nil
	}
	delete(metadata, "managedFields")
	entries, _ := value.([]any)
	for _, entry := range entries {
		members, ok := entry.(map[string]any)
		// An empty entry says that the managed fields are to be removed.
		if ok && len(members) == 0 && len(entries) == 1 {
			break
		}
		if !ok {
			return fields, true, requests.Refuse(requests.InvalidManagedFields, "an entry of the managed fields is no map")
		}
		if err := fields.add(members); err != nil {
			return fields, true, err
		}
	}
	return fields, true, nil
}

func (f *managedFields) add(entry map[string]any) error {
	text := func(name string) string {
		value, _ := entry[name].(string)
		return value
	}
	operation, version := text("operation"), text("apiVersion")
	if operation != "Apply" && operation != update || version == "" || text("fieldsType") != "FieldsV1" {
		return requests.Refuse(requests.InvalidManagedFields,
			"an entry of the managed fields needs an operation, an apiVersion and the fieldsType FieldsV1")
	}
	content := []byte(text("fieldsV1"))
	if members, ok := entry["fieldsV1"].(map[string]any); ok {
		var err error
		if content, err = requests.AppendValue(nil, members); err != nil {
			return err
		}
	}
	set := fieldpath.NewSet()
	if len(content) > 0 && string(content) != "null" {
		if err := set.FromJSON(bytes.NewReader(content)); err != nil {
			return requests.Refuse(requests.InvalidManagedFields, "%v", err)
		}
	}
	id := newOwner(text("manager"), operation, version, text("subresource")).String()
	f.sets[id] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(version), operation == "Apply")
	if t := text("time"); t != "" {
		parsed, err := time.Parse(time.RFC3339, t)
		if err != nil {
			return requests.Refuse(requests.InvalidManagedFields, "%v", err)
		}
		f.times[id] = parsed
	}
	return nil
}

// list returns the managed fields as a reply has them. The order is that of API servers.
func (f *managedFields) list() ([]any, error) {
	ids := make([]string, 0, len(f.sets))
	for id := range f.sets {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		first, second := readOwner(a), readOwner(b)
		return cmp.Or(
			strings.Compare(first.Operation, second.Operation),
			f.times[a].Truncate(time.Second).Compare(f.times[b].Truncate(time.Second)),
			strings.Compare(first.Manager, second.Manager),
			cmp.Compare(f.sets[a].APIVersion(), f.sets[b].APIVersion()),
			strings.Compare(first.Subresource, second.Subresource))
	})
	var list []any
	for _, id := range ids {
		content, err := f.sets[id].Set().ToJSON()
		if err != nil {
			return nil, err
		}
		o := readOwner(id)
		entry := map[string]any{
			"operation": o.Operation, "apiVersion": string(f.sets[id].APIVersion()), "fieldsType": "FieldsV1",
			"fieldsV1": string(content),
		}
		if o.Manager != "" {
			entry["manager"] = o.Manager
		}
		if o.Subresource != "" {
			entry["subresource"] = o.Subresource
		}
		list = append(list, entry)
	}
	return list, nil
}
