package main

import (
	"encoding/json"
	"maps"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"skewer.dev/requests"
)

// identity has the fields that tell objects apart. Nobody owns them.
var identity = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"),
	fieldpath.MakePathOrDie("kind"),
	fieldpath.MakePathOrDie("metadata"),
	fieldpath.MakePathOrDie("metadata", "name"),
	fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "creationTimestamp"),
	fieldpath.MakePathOrDie("metadata", "selfLink"),
	fieldpath.MakePathOrDie("metadata", "uid"),
	fieldpath.MakePathOrDie("metadata", "clusterName"),
	fieldpath.MakePathOrDie("metadata", "generation"),
	fieldpath.MakePathOrDie("metadata", "managedFields"),
	fieldpath.MakePathOrDie("metadata", "resourceVersion"),
)

// change is a request to the library.
type change struct {
	resource *resource
	updater  *merge.Updater
	endpoint string
	// live and sent are the documents without their managed fields.
	live, sent map[string]any
	// fields are the managed fields of the live object.
	fields managedFields
	// sentFields are the managed fields of the sent object, if it has some that can be read.
	sentFields *managedFields
	// hasSentFields also counts those that cannot be read.
	hasSentFields bool
}

func newChange(call *requests.Call, name string, text json.RawMessage) (*change, error) {
	if err := requests.Required(name, text); err != nil {
		return nil, err
	}
	sent, err := requests.DecodeObject(text)
	if err != nil {
		return nil, err
	}
	live, err := requests.DecodeObject(call.Documents.Live)
	if err != nil {
		return nil, err
	}
	version, _ := sent["apiVersion"].(string)
	if kind, _ := sent["kind"].(string); version == "" || kind == "" {
		return nil, requests.Refuse(requests.InvalidDocument, `an object needs "apiVersion" and "kind"`)
	}
	if len(live) == 0 {
		live = map[string]any{"apiVersion": version, "kind": sent["kind"]}
	}
	c := &change{live: live, sent: sent, endpoint: version}
	if call.Options.APIVersion != "" {
		c.endpoint = call.Options.APIVersion
	}
	if c.resource, err = resourceOf(call, c.endpoint); err != nil {
		return nil, err
	}
	builder := merge.UpdaterBuilder{Converter: c.resource, IgnoreFilter: c.resource.filters}
	c.updater = builder.BuildUpdater()
	if c.fields, _, err = takeManagedFields(live); err != nil {
		return nil, err
	}
	fields, present, err := takeManagedFields(sent)
	c.hasSentFields = present
	if present && err == nil {
		c.sentFields = &fields
	}
	for _, document := range []map[string]any{live, sent} {
		if err := checkNumbers(document); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// liveValue returns the live object in the version of the endpoint.
func (c *change) liveValue() (*typed.TypedValue, error) {
	value, err := c.resource.value(c.live, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	return c.resource.Convert(value, fieldpath.APIVersion(c.endpoint))
}

func serverSideApply(call *requests.Call) ([]byte, error) {
	c, err := newChange(call, "configuration", call.Documents.Configuration)
	if err != nil {
		return nil, err
	}
	if c.sent["apiVersion"] != c.endpoint {
		return nil, requests.Refuse(requests.WrongAPIVersion, "the configuration has another version than the endpoint")
	}
	if c.hasSentFields {
		return nil, requests.Refuse(requests.InvalidManagedFields, "a configuration has no managed fields")
	}
	live, err := c.liveValue()
	if err != nil {
		return nil, err
	}
	configuration, err := c.resource.value(c.sent)
	if err != nil {
		return nil, err
	}
	id := newOwner(call.Options.Manager, "Apply", c.endpoint, call.Options.Subresource).String()
	former := maps.Clone(c.fields.sets)
	merged, sets, err := c.updater.Apply(
		live, configuration, fieldpath.APIVersion(c.endpoint), c.fields.sets, id, call.Options.Force)
	if err != nil {
		return nil, err
	}
	// The library returns no object if nothing but managed fields changed.
	object := c.live
	if merged != nil {
		object, _ = merged.AsValue().Unstructured().(map[string]any)
	}
	return c.result(object, sets, id, merged != nil || !sets.Equals(former))
}

func managedUpdate(call *requests.Call) ([]byte, error) {
	c, err := newChange(call, "new", call.Documents.New)
	if err != nil {
		return nil, err
	}
	// An update may change the managed fields themselves, but not by leaving them out, and not through a subresource.
	if c.sentFields != nil && call.Options.Subresource == "" {
		c.fields = *c.sentFields
	}
	live, err := c.liveValue()
	if err != nil {
		return nil, err
	}
	updated, err := c.resource.value(c.sent, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	if updated, err = c.resource.Convert(updated, fieldpath.APIVersion(c.endpoint)); err != nil {
		return nil, err
	}
	id := newOwner(call.Options.Manager, update, c.endpoint, call.Options.Subresource).String()
	former := maps.Clone(c.fields.sets)
	_, sets, err := c.updater.Update(live, updated, fieldpath.APIVersion(c.endpoint), c.fields.sets, id)
	if err != nil {
		return nil, err
	}
	old, had := former[id]
	now, has := sets[id]
	return c.result(c.sent, sets, id, has && (!had || !now.Set().Equals(old.Set())))
}

// result adds the managed fields to an object. The entry of the manager is the newest one if it changed.
func (c *change) result(
	object map[string]any, sets fieldpath.ManagedFields, manager string, changed bool,
) ([]byte, error) {
	if own, ok := sets[manager]; ok {
		set := own.Set().Difference(identity)
		if set.Empty() {
			delete(sets, manager)
		} else {
			sets[manager] = fieldpath.NewVersionedSet(set, own.APIVersion(), own.Applied())
		}
	}
	c.fields.sets = sets
	if changed {
		c.fields.times[manager] = time.Now()
	}
	list, err := c.fields.list()
	if err != nil {
		return nil, err
	}
	if list != nil {
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			metadata = map[string]any{}
			object["metadata"] = metadata
		}
		metadata["managedFields"] = list
	}
	return requests.AppendValue(nil, object)
}
