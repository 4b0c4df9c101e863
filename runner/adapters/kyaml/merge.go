package main

import (
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
	"sigs.k8s.io/kustomize/kyaml/yaml/walk"

	"skewer.dev/requests"
)

// merger applies patches. The schemas of the library are global, so that it remembers which one is set.
type merger struct {
	direction yaml.MergeOptionsListIncreaseDirection
	current   *requests.Schema
}

// apply is merge2.Merge, which takes the schema from `apiVersion` and `kind` of the documents. Documents of requests
// need not have any, so that the schema is given to the walker.
func (m *merger) apply(call *requests.Call) ([]byte, error) {
	if err := requests.Required("patch", call.Documents.Patch); err != nil {
		return nil, err
	}
	live, err := requests.DecodeObject(call.Documents.Live)
	if err != nil {
		return nil, err
	}
	patch, err := requests.DecodeObject(call.Documents.Patch)
	if err != nil {
		return nil, err
	}
	root, err := m.rootSchema(call)
	if err != nil {
		return nil, err
	}
	dest, err := node(live)
	if err != nil {
		return nil, err
	}
	src, err := node(patch)
	if err != nil {
		return nil, err
	}
	result, err := walk.Walker{
		Sources:      []*yaml.RNode{yaml.NewRNode(dest), yaml.NewRNode(src)},
		Visitor:      merge2.Merger{},
		Schema:       root,
		MergeOptions: yaml.MergeOptions{ListIncreaseDirection: m.direction},
	}.Walk()
	if err != nil {
		return nil, err
	}
	// The library deletes the whole document if the patch says so.
	if result == nil {
		return []byte("{}"), nil
	}
	return appendNode(nil, result.YNode())
}
