package builtin

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestOnlyZerosOfFieldsThatNoDocumentHasAreRemoved(t *testing.T) {
	decode := func(text string) any {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	present := fields{}
	present.addDocument("", decode(`{"spec":{"ports":[{"port":0},{"name":"a"}],"paused":true}}`))
	present.addJSONPatch([]byte(`[{"op":"add","path":"/spec/volumes/-","value":{"emptyDir":{}}},{"op":"remove","path":"/a~1b"}]`))
	result := decode(`{"a/b":"","status":{},"spec":{"paused":false,"replicas":0,"selector":null,"template":{"spec":{}},
		"ports":[{"port":0,"name":"","nodePort":0}],"volumes":[{"emptyDir":{},"name":""}],"count":1}}`)
	present.dropUnset("", result)
	expected := decode(`{"a/b":"","spec":{"paused":false,"ports":[{"port":0,"name":""}],"volumes":[{"emptyDir":{}}],"count":1}}`)
	if !reflect.DeepEqual(result, expected) {
		t.Errorf("got %v, expected %v", result, expected)
	}
}
