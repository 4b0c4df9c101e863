package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"skewer.dev/conversation"
)

// request is any line that the runner sends.
type request struct {
	conversation.Head
	Operation string `json:"operation"`
	Documents struct {
		Definition json.RawMessage `json:"definition"`
		Old        json.RawMessage `json:"old"`
		New        json.RawMessage `json:"new"`
	} `json:"documents"`
	Options struct {
		// Version is the version of the request. The default is the first of the definition.
		Version         string `json:"version"`
		FieldValidation string `json:"fieldValidation"`
		// Ratcheting is on unless it is false.
		Ratcheting *bool `json:"ratcheting"`
	} `json:"options"`
}

// result is the answer: an object or errors.
type result struct {
	// Object is the object to store. There is none if there are errors.
	Object map[string]any `json:"object,omitempty"`
	// Errors are sorted.
	Errors   []admissionError `json:"errors,omitempty"`
	Warnings []string         `json:"warnings,omitempty"`
	// RulesNotChecked says that other errors kept rules from being evaluated.
	RulesNotChecked bool `json:"rulesNotChecked,omitempty"`
}

func run(definitions definitionCache, req *request) (outcome conversation.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			outcome = refusal("panic", fmt.Sprint(p))
		}
	}()
	switch req.Operation {
	case operationAdmit:
	case operationValidateDefinition:
		return validateDefinition(req)
	default:
		return conversation.Outcome{Unsupported: fmt.Sprintf("unknown operation %q", req.Operation)}
	}
	if isMissing(req.Documents.Definition) || isMissing(req.Documents.New) {
		return conversation.Outcome{Broken: "admit needs the documents definition and new"}
	}
	if mode := req.Options.FieldValidation; !slices.Contains([]string{"", "Ignore", "Strict"}, mode) {
		return conversation.Outcome{Unsupported: fmt.Sprintf("the field validation %q", mode)}
	}
	ratcheting := req.Options.Ratcheting == nil || *req.Options.Ratcheting
	if err := setRatcheting(ratcheting); err != nil {
		return conversation.Outcome{Unsupported: err.Error()}
	}
	version, err := definitions.get(req.Documents.Definition, req.Options.Version, ratcheting)
	if err != nil {
		return refusal("invalid-schema", err.Error())
	}
	var old *unstructured.Unstructured
	if !isMissing(req.Documents.Old) {
		if old, err = decode(version.stored, req.Documents.Old); err != nil {
			return refusal("undecodable", "the old object: "+err.Error())
		}
	}
	admitted := version.admit(old, req.Documents.New, req.Options.FieldValidation == "Strict")
	removeAdded(admitted.Object, req.Documents.Old, req.Documents.New)
	encoded, err := json.Marshal(admitted)
	if err != nil {
		return refusal("unclassified", err.Error())
	}
	return conversation.Outcome{Result: encoded}
}

func isMissing(document json.RawMessage) bool {
	return len(document) == 0 || string(document) == "null"
}

// admit does what the handlers of create and update requests do with a body: they decode it, prepare the object, and
// validate it (rest.BeforeCreate and rest.BeforeUpdate, without their checks of metadata).
func (s *served) admit(old *unstructured.Unstructured, body json.RawMessage, strict bool) *result {
	decoder := s.body
	if strict {
		decoder = s.strictBody
	}
	object, err := decode(decoder, body)
	if err != nil {
		return &result{Errors: decodingErrors(err)}
	}
	r := &result{}
	ctx := genericapirequest.WithNamespace(context.Background(), object.GetNamespace())
	if old == nil {
		s.strategy.PrepareForCreate(ctx, object)
		r.Errors, r.RulesNotChecked = fieldErrors(s.strategy.Validate(ctx, object))
		r.Warnings = s.strategy.WarningsOnCreate(ctx, object)
	} else {
		completeForUpdate(object, old)
		s.strategy.PrepareForUpdate(ctx, object, old)
		r.Errors, r.RulesNotChecked = fieldErrors(s.strategy.ValidateUpdate(ctx, object, old))
		r.Warnings = s.strategy.WarningsOnUpdate(ctx, object, old)
	}
	if len(r.Errors) == 0 {
		r.Object = object.Object
	}
	return r
}

// removeAdded removes the metadata that neither document has: upstream gives every object a generation.
func removeAdded(object map[string]any, documents ...json.RawMessage) {
	for _, member := range []string{"generation", "resourceVersion"} {
		if !slices.ContainsFunc(documents, func(document json.RawMessage) bool { return hasMetadata(document, member) }) {
			unstructured.RemoveNestedField(object, "metadata", member)
		}
	}
}

// completeForUpdate adds what an update needs and documents leave out: resource versions. It keeps the generation, as
// rest.BeforeUpdate does.
func completeForUpdate(object, old *unstructured.Unstructured) {
	if old.GetResourceVersion() == "" {
		old.SetResourceVersion("1")
	}
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion(old.GetResourceVersion())
	}
	object.SetGeneration(old.GetGeneration())
}

func hasMetadata(document json.RawMessage, member string) bool {
	var object struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	// A document that cannot be read has no metadata.
	_ = json.Unmarshal(document, &object)
	_, found := object.Metadata[member]
	return found
}

func decode(decoder runtime.Decoder, text json.RawMessage) (*unstructured.Unstructured, error) {
	object, _, err := decoder.Decode(text, nil, &unstructured.Unstructured{})
	if err != nil {
		return nil, err
	}
	decoded, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("expected an object, found %T", object)
	}
	return decoded, nil
}

func refusal(kind, message string) conversation.Outcome {
	return conversation.Outcome{Refusal: &conversation.Refusal{Kind: kind, Message: message}}
}
