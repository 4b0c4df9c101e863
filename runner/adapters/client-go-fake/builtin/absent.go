package builtin

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"skewer.dev/requests"
)

// fields is a set of field paths. An item of a list has the path of the list, so that a field counts as present if one
// item of the list has it.
type fields map[string]bool

// addDocument adds the fields of a document below a path.
func (f fields) addDocument(path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			f[path+"/"+name] = true
			f.addDocument(path+"/"+name, inner)
		}
	case []any:
		for _, item := range value {
			f.addDocument(path, item)
		}
	}
}

// addJSONPatch adds the fields that the operations of a JSON patch name or set.
func (f fields) addJSONPatch(text json.RawMessage) {
	var operations []struct {
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	// The library reports a patch that cannot be read.
	if json.Unmarshal(text, &operations) != nil {
		return
	}
	for _, operation := range operations {
		path := ""
		for _, name := range strings.Split(strings.TrimPrefix(operation.Path, "/"), "/") {
			if _, err := strconv.Atoi(name); err == nil || name == "-" {
				continue
			}
			path += "/" + strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
			f[path] = true
		}
		if value, err := requests.DecodeValue(operation.Value); err == nil {
			f.addDocument(path, value)
		}
	}
}

// dropUnset removes the fields with a zero value that are not in the set. Go writes a field of a struct that is not set as
// a zero value, unless the field is left out if it is empty. No client can tell such a zero from a field that is not set.
func (f fields) dropUnset(path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			f.dropUnset(path+"/"+name, inner)
			if !f[path+"/"+name] && isZero(inner) {
				delete(value, name)
			}
		}
	case []any:
		for _, item := range value {
			f.dropUnset(path, item)
		}
	}
}

// isZero tells whether a value is null, false, a number 0, or an empty text, list or map.
func isZero(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return reflect.ValueOf(value).IsZero()
}
