package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"skewer.dev/conversation"
)

// DecodeObject decodes a document. Integers that fit become int64, and other numbers float64. Null, and a document that
// was left out, are the empty object.
func DecodeObject(text json.RawMessage) (map[string]any, error) {
	if text == nil {
		return map[string]any{}, nil
	}
	value, err := DecodeValue(text)
	if err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return value, nil
	default:
		return nil, &noObject{Refuse(InvalidDocument, "expected an object, but got %.100s", text)}
	}
}

// noObject is the refusal of a document that is neither an object nor null.
type noObject struct{ error }

func (e *noObject) Unwrap() error { return e.error }

// IsNoObject tells whether DecodeObject refused a document because it is no object.
func IsNoObject(err error) bool {
	var e *noObject
	return errors.As(err, &e)
}

// DecodeValue decodes JSON text. Integers that fit become int64, and other numbers float64.
func DecodeValue(text json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		if conversation.TooDeep(err) {
			return nil, Refuse(TooDeep, "%v", err)
		}
		return nil, Refuse(InvalidDocument, "%v", err)
	}
	return withNumbers(value)
}

func withNumbers(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if value[key], err = withNumbers(member); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, item := range value {
			if value[i], err = withNumbers(item); err != nil {
				return nil, err
			}
		}
	case json.Number:
		return number(value)
	}
	return value, nil
}

func number(text json.Number) (any, error) {
	if !strings.ContainsAny(text.String(), ".eE") {
		if integer, err := text.Int64(); err == nil {
			return integer, nil
		}
	}
	float, err := text.Float64()
	if err != nil {
		return nil, Refuse(InvalidDocument, "%v", err)
	}
	return float, nil
}

// Required returns an error if a document was left out.
func Required(name string, text json.RawMessage) error {
	if text == nil {
		return Broken("the document %q is missing", name)
	}
	return nil
}

// AppendValue writes a document as JSON. Unlike encoding/json, it writes the float 1.0 as `1.0`. Members are sorted.
func AppendValue(b []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, value), nil
	case int:
		return strconv.AppendInt(b, int64(value), 10), nil
	case int64:
		return strconv.AppendInt(b, value, 10), nil
	case float64:
		return AppendFloat(b, value)
	case string:
		return conversation.AppendString(b, value), nil
	case []any:
		b = append(b, '[')
		for i, item := range value {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = AppendValue(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		return appendMap(b, value)
	default:
		return nil, fmt.Errorf("a %T cannot be in a document", value)
	}
}

func appendMap(b []byte, members map[string]any) ([]byte, error) {
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(conversation.AppendString(b, key), ':')
		var err error
		if b, err = AppendValue(b, members[key]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// AppendFloat writes a float with a fraction or an exponent.
func AppendFloat(b []byte, float float64) ([]byte, error) {
	if math.IsNaN(float) || math.IsInf(float, 0) {
		return nil, fmt.Errorf("%v cannot be in a document", float)
	}
	text := strconv.FormatFloat(float, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return append(b, text...), nil
}
