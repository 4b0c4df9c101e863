// Package builtintest has the requests that the adapters of fake clients are tested with.
package builtintest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"skewer.dev/requests"
)

// service is a part of the types of Kubernetes: a Service and its ports.
const service = `{"components":{"schemas":{
	"core.v1.Service":{"type":"object","properties":{"metadata":{"type":"object"},
		"spec":{"$ref":"#/components/schemas/core.v1.ServiceSpec"}}},
	"core.v1.ServiceSpec":{"type":"object","properties":{"ipFamily":{"type":"string"},"ports":{"type":"array",
		"items":{"$ref":"#/components/schemas/core.v1.ServicePort"},
		"x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"KEY"}}},
	"core.v1.ServicePort":{"type":"object","properties":{"port":{"type":"integer"},"protocol":{"type":"string"}}}}}}`

const (
	configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}`
	changed   = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"2"}}`
	ports     = `{"spec":{"ports":[{"port":80,"protocol":"TCP","targetPort":1},{"port":90,"targetPort":2}]}}`
	// owns is the beginning of an entry of managed fields.
	owns = `{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":"{\"f:data\":{\"f:a\":{}}}",` +
		`"manager":"m","operation":`
	unnamed = `{"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap"}`
)

// cases are requests, and parts of their replies.
var cases = []struct{ name, request, reply string }{
	{"strategic merge patch", apply("port", ports, `{"spec":{"ports":[{"port":80,"$patch":"delete"}]}}`),
		`"result":{"spec":{"ports":[{"port":90,"targetPort":2}]}}`},
	{"refused strategic merge patch", apply("port", ports, `{"spec":{"ports":[{"protocol":"UDP"}]}}`),
		`"error":{"kind":"missing-merge-key"`},
	{"other patch metadata", apply("protocol", ports, `{}`), `"kind":"unsupported"`},
	{"another type", strings.Replace(apply("port", ports, `{}`), `"root":"core.v1.Service"`, `"root":"Service"`, 1),
		`"kind":"refused","seq":1,"error":{"kind":"invalid-schema"`},
	{"a part of an object",
		strings.Replace(apply("port", `{}`, `{}`), `"root":"core.v1.Service"`, `"root":"core.v1.ServiceSpec"`, 1),
		`"kind":"unsupported"`},
	{"a field of another release", apply("port", `{"spec":{"ipFamily":"IPv4"}}`, `{}`), `"kind":"unsupported"`},
	{"JSON merge patch", run("json-merge-apply", `"live":`+configMap+`,"patch":{"data":{"a":null,"b":"1"}}`, `{}`),
		`"result":{"apiVersion":"v1","data":{"b":"1"},"kind":"ConfigMap","metadata":{"name":"c"}}`},
	{"an object without a name", run("json-merge-apply", `"live":`+unnamed+`,"patch":{}`, `{}`), `"result":` + unnamed},
	{"an object without a kind",
		run("json-merge-apply", `"live":{"data":{"a":"1"}},"patch":{}`, `{}`), `"kind":"unsupported"`},
	{"JSON patch",
		run("json-patch-apply", `"live":`+configMap+`,"patch":[{"op":"replace","path":"/data/a","value":"2"}]`, `{}`),
		`"result":{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"c"}}`},
	{"refused JSON patch",
		run("json-patch-apply", `"live":`+configMap+`,"patch":[{"op":"remove","path":"/data/x"}]`, `{}`),
		`"error":{"kind":"json-patch-failed"`},
	{"undecodable",
		run("json-merge-apply", `"live":`+configMap+`,"patch":{"data":{"a":1}}`, `{}`), `"error":{"kind":"undecodable"`},
	{"apply creates", run("server-side-apply", `"configuration":`+configMap, `{"manager":"m"}`),
		`"managedFields":[` + owns + `"Apply"}]`},
	{"conflict", run("server-side-apply", `"live":`+configMap+`,"configuration":`+changed, `{"manager":"m"}`),
		`"conflicts":[{"manager":"before-first-apply","operation":"Update","apiVersion":"v1","path":".data.a"}]`},
	{"force", run("server-side-apply", `"live":`+configMap+`,"configuration":`+changed, `{"manager":"m","force":true}`),
		`"data":{"a":"2"}`},
	{"undeclared field",
		run("server-side-apply", `"configuration":`+strings.Replace(configMap, "data", "dat", 1), `{"manager":"m"}`),
		`"error":{"kind":"field-not-declared"`},
	{"update", run("managed-update", `"live":`+configMap+`,"new":`+changed, `{"manager":"m"}`),
		`"managedFields":[` + owns + `"Update"}]`},
	{"create", run("managed-update", `"new":`+changed, `{"manager":"m"}`), `"manager":"m","operation":"Update"`},
}

func run(operation, documents, options string) string {
	return `{"kind":"run","seq":1,"operation":"` + operation + `","documents":{` + documents + `},"options":` +
		options + `}`
}

func apply(mergeKey, live, patch string) string {
	schema := strings.Replace(service, "KEY", mergeKey, 1)
	return `{"kind":"run","seq":1,"operation":"apply","schema":{"root":"core.v1.Service","openapi":` + schema +
		`},"documents":{"live":` + live + `,"patch":` + patch + `}}`
}

// Test sends the requests to an implementation, except those with these names.
func Test(t *testing.T, implementation requests.Implementation, without ...string) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			for _, name := range without {
				if tc.name == name {
					t.Skip("the client differs")
				}
			}
			reply := Ask(t, implementation, tc.request)
			if !strings.Contains(reply, tc.reply) {
				t.Errorf("expected %s, but got %s", tc.reply, reply)
			}
		})
	}
}

// Ask returns the reply to a request.
func Ask(t *testing.T, implementation requests.Implementation, request string) string {
	t.Helper()
	var in, out bytes.Buffer
	in.WriteString(`{"kind":"start","protocol":1}` + "\n")
	if err := json.Compact(&in, []byte(request)); err != nil {
		t.Fatalf("%v in %s", err, request)
	}
	if err := requests.NewServer(implementation, &in, &out).Serve(); err != nil {
		t.Fatal(err)
	}
	_, reply, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return reply
}
