package main

import (
	"io"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"skewer.dev/conversation"
)

// newServer answers requests with the library.
func newServer(in io.Reader, out io.Writer, version string, maxLine int) *conversation.Server[request] {
	schemas := newSchemaCache()
	adapter := conversation.Adapter[request]{
		Started: conversation.Started{
			Name:     libraryPath,
			Version:  version,
			Language: "go",
			Supports: conversation.Supports{
				Operations: operationNames(),
				Directives: shippedDirectives,
				Lookups:    lookups,
				Unions:     unionKinds,
			},
		},
		Unmarshal:   func(line []byte, into any) error { return utiljson.Unmarshal(line, into) },
		Head:        func(req *request) *conversation.Head { return &req.Head },
		Run:         func(req *request) outcome { return runRequest(&schemas, req) },
		TooDeepKind: kindTooDeep,
	}
	return conversation.NewServer(adapter, in, out, maxLine)
}
