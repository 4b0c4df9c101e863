package builtin

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"skewer.dev/requests"
)

// defaultName is the name of objects without one. Fake clients find objects by their names.
const defaultName = "object"

// Exchange is an operation on one object of a fake client.
type Exchange struct {
	Kind schema.GroupVersionKind
	// Live and Sent are the documents of the request. Live has a kind and a name, whether the document has them or not.
	Live, Sent map[string]any
	Name       string
	Namespace  string
	// Exists tells whether the request has a live object.
	Exists bool
	// added are the members that the exchange added. They are removed from the result if they are in no document.
	added map[string]bool
	// present are the fields of the documents.
	present fields
}

// DecodePatch decodes a patch of a type. It returns nil for a JSON patch, and for a JSON merge patch that is no
// object: the fake client decides what becomes of it.
func DecodePatch(patchType types.PatchType, text json.RawMessage) (map[string]any, error) {
	if patchType == types.JSONPatchType {
		return nil, nil
	}
	sent, err := requests.DecodeObject(text)
	if patchType == types.MergePatchType && requests.IsNoObject(err) {
		return nil, nil
	}
	return sent, err
}

// NewExchange decodes the documents of a request. Sent is the patch, the configuration or the new object. It is nil if
// it is no object.
func NewExchange(call *requests.Call, sent map[string]any) (*Exchange, error) {
	options := &call.Options
	if options.Subresource != "" {
		return nil, requests.Unsupported("fake clients have no managed fields of subresources")
	}
	if len(options.Versions) > 1 {
		return nil, requests.Unsupported("fake clients do not convert objects")
	}
	live, err := requests.DecodeObject(call.Documents.Live)
	if requests.IsNoObject(err) {
		return nil, requests.Unsupported("a fake client holds objects")
	}
	if err != nil {
		return nil, err
	}
	kind, err := Kind(call, live, sent)
	if err != nil {
		return nil, err
	}
	e := &Exchange{Kind: kind, Live: live, Sent: sent, Exists: len(live) > 0, added: map[string]bool{}}
	for name, value := range map[string]string{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind} {
		for _, document := range []map[string]any{live, sent} {
			if found, ok := document[name]; ok && found != value {
				return nil, requests.Unsupported("a fake client has %s %s here, and the document has %v", name, value, found)
			}
		}
		e.added[name] = live[name] == nil && sent[name] == nil
		live[name] = value
	}
	e.Name, e.added["name"] = e.metadataText("name")
	if e.Name == "" {
		e.Name = defaultName
	}
	metadata, ok := live["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		live["metadata"] = metadata
		_, hasMetadata := sent["metadata"]
		e.added["metadata"] = !hasMetadata
	}
	metadata["name"] = e.Name
	e.Namespace, _ = e.metadataText("namespace")
	_, e.added["resourceVersion"] = e.metadataText("resourceVersion")
	e.present = fields{}
	e.present.addDocument("", live)
	e.present.addDocument("", sent)
	if sent == nil {
		e.present.addJSONPatch(call.Documents.Patch)
	}
	return e, nil
}

// metadataText returns a member of the metadata of the documents. Missing is true if no document has it.
func (e *Exchange) metadataText(name string) (text string, missing bool) {
	missing = true
	for _, document := range []map[string]any{e.Sent, e.Live} {
		metadata, _ := document["metadata"].(map[string]any)
		if value, ok := metadata[name]; ok {
			text, _ = value.(string)
			missing = false
		}
	}
	return text, missing
}

// Object decodes a document as an object of the kind. Managed fields can have `fieldsV1` as text.
func (e *Exchange) Object(document map[string]any) (runtime.Object, error) {
	if metadata, ok := document["metadata"].(map[string]any); ok {
		entries, _ := metadata["managedFields"].([]any)
		for _, entry := range entries {
			members, _ := entry.(map[string]any)
			if text, ok := members["fieldsV1"].(string); ok {
				members["fieldsV1"] = json.RawMessage(text)
			}
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	object, err := scheme.Scheme.New(e.Kind)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, object); err != nil {
		return nil, requests.Unsupported("client-go cannot hold the document: %v", err)
	}
	return object, nil
}

// Result returns an object as JSON, without the members that the exchange added and without the zero values of fields that
// no document has. Without withManagedFields, the managed fields are removed as well.
func (e *Exchange) Result(object runtime.Object, withManagedFields bool) ([]byte, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	// Clients return some typed objects without their kind.
	object.GetObjectKind().SetGroupVersionKind(e.Kind)
	entries := accessor.GetManagedFields()
	accessor.SetManagedFields(nil)
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	result, err := requests.DecodeObject(text)
	if err != nil {
		return nil, err
	}
	e.present.dropUnset("", result)
	metadata, ok := result["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		result["metadata"] = metadata
	}
	for _, name := range []string{"name", "resourceVersion"} {
		if e.added[name] {
			delete(metadata, name)
		}
	}
	for _, name := range []string{"apiVersion", "kind"} {
		if e.added[name] {
			delete(result, name)
		}
	}
	if withManagedFields && len(entries) > 0 {
		var list []any
		for _, entry := range entries {
			member := map[string]any{}
			for name, value := range map[string]string{
				"manager": entry.Manager, "operation": string(entry.Operation), "apiVersion": entry.APIVersion,
				"fieldsType": entry.FieldsType, "subresource": entry.Subresource,
			} {
				if value != "" {
					member[name] = value
				}
			}
			if entry.FieldsV1 != nil {
				member["fieldsV1"] = entry.FieldsV1.GetRawString()
			}
			list = append(list, member)
		}
		metadata["managedFields"] = list
	}
	if e.added["metadata"] && len(metadata) == 0 {
		delete(result, "metadata")
	}
	return requests.AppendValue(nil, result)
}
