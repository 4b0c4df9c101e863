package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The values that stored objects always have. The adapter adds them where no document has them.
const (
	defaultName            = "skewer"
	defaultUID             = "00000000-0000-4000-8000-000000000001"
	defaultResourceVersion = "1"
)

// objects are the documents of a request, with what a server needs and the documents may leave out.
type objects struct {
	kind      schema.GroupVersionKind
	name      string
	namespace string
	// live and body are JSON. live is nil if the object does not exist.
	live, body []byte
	// added are the members that no document has: of the object, and of its metadata.
	added, addedMetadata map[string]bool
	// managed tells whether the managed fields belong to the result.
	managed bool
}

// prepare reads the documents of a request. An error says why the request makes no sense.
func prepare(req *request) (*objects, error) {
	live, err := readObject(req.Documents.Live)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	// A body that is no object (a JSON patch, or a wrong body) names nothing. The server judges it.
	body, _ := readObject(req.Documents.Body)
	o := &objects{body: req.Documents.Body, added: map[string]bool{}, addedMetadata: map[string]bool{}}
	if o.kind, err = endpoint(&req.Options, live, body); err != nil {
		return nil, err
	}
	liveMetadata, bodyMetadata := metadataOf(live), metadataOf(body)
	o.name = firstText(defaultName, liveMetadata["name"], bodyMetadata["name"])
	o.namespace = firstText("", liveMetadata["namespace"], bodyMetadata["namespace"])
	_, hadLive := liveMetadata["managedFields"]
	_, hadBody := bodyMetadata["managedFields"]
	o.managed = hadLive || hadBody || req.Options.Manager != "" || req.Options.Request == requestApply

	for _, key := range []string{"apiVersion", "kind"} {
		o.added[key] = live[key] == nil && body[key] == nil
	}
	for _, key := range []string{"name", "uid", "resourceVersion"} {
		o.addedMetadata[key] = liveMetadata[key] == nil && bodyMetadata[key] == nil
	}
	if live != nil {
		setDefault(live, "apiVersion", o.kind.GroupVersion().String())
		setDefault(live, "kind", o.kind.Kind)
		metadata := ensureMetadata(live)
		setDefault(metadata, "name", o.name)
		if o.namespace != "" {
			setDefault(metadata, "namespace", o.namespace)
		}
		setDefault(metadata, "uid", defaultUID)
		setDefault(metadata, "resourceVersion", defaultResourceVersion)
		if o.live, err = encode(withFieldObjects(live)); err != nil {
			return nil, err
		}
	}
	// Only the members that are missing are added, so that the server sees the rest byte for byte, duplicate keys
	// included.
	if body != nil && req.Options.isWhole() && bodyMetadata["name"] == nil {
		if o.body, err = withName(o.body, o.name); err != nil {
			return nil, err
		}
	}
	if body != nil && req.Options.Request == requestApply {
		for _, member := range [][2]string{{"kind", o.kind.Kind}, {"apiVersion", o.kind.GroupVersion().String()}} {
			if body[member[0]] == nil {
				if o.body, err = withMember(o.body, bytes.IndexByte(o.body, '{')+1, member[0], member[1]); err != nil {
					return nil, err
				}
			}
		}
	}
	return o, nil
}

// endpoint is the kind that the request is sent to.
func endpoint(o *options, live, body map[string]any) (schema.GroupVersionKind, error) {
	apiVersion := o.APIVersion
	if apiVersion == "" {
		apiVersion = firstText("", live["apiVersion"], body["apiVersion"])
	}
	kind := o.Kind
	if kind == "" {
		kind = firstText("", live["kind"], body["kind"])
	}
	if apiVersion == "" || kind == "" {
		return schema.GroupVersionKind{}, fmt.Errorf(`neither the options nor the documents have "apiVersion" and "kind"`)
	}
	version, err := schema.ParseGroupVersion(apiVersion)
	return version.WithKind(kind), err
}

// withName adds metadata.name to the text of an object.
func withName(text []byte, name string) ([]byte, error) {
	at, err := insideMetadata(text)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		at = bytes.IndexByte(text, '{') + 1
		return withMember(text, at, "metadata", map[string]string{"name": name})
	}
	if bytes.HasPrefix(text[at:], []byte("null")) {
		encoded, err := encode(map[string]string{"name": name})
		return append(append(append([]byte{}, text[:at]...), encoded...), text[at+len("null"):]...), err
	}
	return withMember(text, at, "name", name)
}

// withMember adds a member to the text of an object, at an offset behind the opening brace.
func withMember(text []byte, at int, key string, value any) ([]byte, error) {
	encoded, err := encode(value)
	if err != nil {
		return nil, err
	}
	member := `"` + key + `":` + string(encoded)
	if rest := bytes.TrimLeft(text[at:], " \t\r\n"); rest[0] != '}' {
		member += ","
	}
	return append(append(append([]byte{}, text[:at]...), member...), text[at:]...), nil
}

// insideMetadata is the offset behind the opening brace of the object's metadata, or that of null if they are null. It is
// -1 if the object has no metadata.
func insideMetadata(text []byte) (int, error) {
	at := -1
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return at, err
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return at, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return at, err
		}
		if key == "metadata" && value[0] == '{' {
			at = int(decoder.InputOffset()) - len(value) + 1
		} else if key == "metadata" && value[0] == 'n' {
			at = int(decoder.InputOffset()) - len(value)
		}
	}
	return at, nil
}

// result is the stored object without what the adapter added.
func (o *objects) result(stored []byte) ([]byte, error) {
	object, err := readObject(stored)
	if err != nil {
		return nil, err
	}
	metadata := ensureMetadata(object)
	for key, added := range o.added {
		if added {
			delete(object, key)
		}
	}
	for key, added := range o.addedMetadata {
		if added {
			delete(metadata, key)
		}
	}
	if !o.managed {
		delete(metadata, "managedFields")
	}
	if entries, ok := metadata["managedFields"].([]any); ok {
		if err := withFieldTexts(entries); err != nil {
			return nil, err
		}
	}
	return encode(object)
}

// withFieldTexts removes the times of managed fields, and makes each fieldsV1 a text, as the results of
// "server-side-apply" have them.
func withFieldTexts(entries []any) error {
	for _, entry := range entries {
		fields, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		delete(fields, "time")
		if fields["fieldsV1"] != nil {
			text, err := encode(fields["fieldsV1"])
			if err != nil {
				return err
			}
			fields["fieldsV1"] = string(text)
		}
	}
	return nil
}

// withFieldObjects makes each fieldsV1 that is a text the object that an API server has.
func withFieldObjects(object map[string]any) map[string]any {
	entries, _ := metadataOf(object)["managedFields"].([]any)
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		if text, ok := fields["fieldsV1"].(string); ok && json.Valid([]byte(text)) {
			fields["fieldsV1"] = json.RawMessage(text)
		}
	}
	return object
}

// readObject reads an object, and keeps numbers as they are written. No text and null are no object.
func readObject(text []byte) (map[string]any, error) {
	if text == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	return object, err
}

func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}

func metadataOf(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata
}

func ensureMetadata(object map[string]any) map[string]any {
	if object["metadata"] == nil {
		object["metadata"] = map[string]any{}
	}
	metadata := metadataOf(object)
	if metadata == nil {
		// Wrong metadata stay as they are.
		metadata = map[string]any{}
	}
	return metadata
}

func setDefault(object map[string]any, key, value string) {
	if object[key] == nil {
		object[key] = value
	}
}

func firstText(otherwise string, values ...any) string {
	for _, value := range values {
		if text, ok := value.(string); ok && text != "" {
			return text
		}
	}
	return otherwise
}
