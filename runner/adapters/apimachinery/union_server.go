//go:build !no_managed_fields

package main

import (
	"fmt"
	"io"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"skewer.dev/conversation"
)

// newUnionServer answers only normalize-union: it stands for structured-merge-diff alone, without Kubernetes.
func newUnionServer(in io.Reader, out io.Writer, version string, maxLine int) *conversation.Server[request] {
	operations := []string{"normalize-union"}
	schemas := newSchemaCache()
	adapter := conversation.Adapter[request]{
		Started: conversation.Started{
			Name:     unionLibraryPath,
			Version:  version,
			Language: "go",
			Supports: conversation.Supports{
				Operations: operations,
				Unions:     []string{unionDiscriminated, unionZeroOrOne},
			},
		},
		Unmarshal: func(line []byte, into any) error { return utiljson.Unmarshal(line, into) },
		Head:      func(req *request) *conversation.Head { return &req.Head },
		Run: func(req *request) outcome {
			if !slices.Contains(operations, req.Operation) {
				reason := fmt.Sprintf("%s %s is asked for %v only, not for %q", unionLibraryPath, version, operations, req.Operation)
				return outcome{Unsupported: reason}
			}
			return runRequest(&schemas, req)
		},
		TooDeepKind: kindTooDeep,
	}
	return conversation.NewServer(adapter, in, out, maxLine)
}
