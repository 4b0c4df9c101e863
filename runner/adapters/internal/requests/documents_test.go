package requests

import (
	"errors"
	"testing"
)

func TestDocumentsComeBackAsTheyWent(t *testing.T) {
	for text, expected := range map[string]string{
		`{"b":1,"a":[null,true,"x"]}`:   `{"a":[null,true,"x"],"b":1}`,
		`{"a":1.0,"b":1,"c":-0.0}`:      `{"a":1.0,"b":1,"c":-0.0}`,
		`{"a":9007199254740993}`:        `{"a":9007199254740993}`,
		`{"a":9223372036854775808}`:     `{"a":9.223372036854776e+18}`,
		`{"a":1e2,"b":-0}`:              `{"a":100.0,"b":0}`,
		`{"a":"<ä\n\u2028\ud800"}`:      "{\"a\":\"<ä\\n\u2028\ufffd\"}",
		`null`:                          `{}`,
		`{"a":{"b":{},"c":[]},"d":"1"}`: `{"a":{"b":{},"c":[]},"d":"1"}`,
	} {
		object, err := DecodeObject([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := AppendValue(nil, object); err != nil || string(got) != expected {
			t.Errorf("%s: expected %s, but got %s (%v)", text, expected, got, err)
		}
	}
}

func TestOtherDocumentsAreRefused(t *testing.T) {
	for _, text := range []string{`[]`, `1`, `"a"`, `{"a":1e999}`} {
		_, err := DecodeObject([]byte(text))
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Refusal.Kind != InvalidDocument {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
