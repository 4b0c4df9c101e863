package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"skewer.dev/conversation"
)

const operationRequest = "request"

// request is any line that the runner sends. Members that are not listed are ignored.
type request struct {
	conversation.Head
	Operation string    `json:"operation"`
	Documents documents `json:"documents"`
	Options   options   `json:"options"`
}

// documents are kept as text. A document that was left out is nil.
type documents struct {
	Live json.RawMessage `json:"live"`
	Body json.RawMessage `json:"body"`
}

type options struct {
	Request         string `json:"request"`
	APIVersion      string `json:"apiVersion"`
	Kind            string `json:"kind"`
	Subresource     string `json:"subresource"`
	Manager         string `json:"manager"`
	Force           *bool  `json:"force"`
	FieldValidation string `json:"fieldValidation"`
}

// verb is how a request is sent.
type verb struct {
	method      string
	name        string
	contentType string
}

const requestApply = "server-side-apply"

var verbs = map[string]verb{
	"create":                {http.MethodPost, "create", "application/json"},
	"update":                {http.MethodPut, "update", "application/json"},
	"strategic-merge-patch": {http.MethodPatch, "patch", "application/strategic-merge-patch+json"},
	"json-merge-patch":      {http.MethodPatch, "patch", "application/merge-patch+json"},
	"json-patch":            {http.MethodPatch, "patch", "application/json-patch+json"},
	requestApply:            {http.MethodPatch, "patch", "application/apply-patch+yaml"},
}

// isWhole tells whether the body of a request is a whole object, which names itself.
func (o *options) isWhole() bool {
	return o.Request == "create" || o.Request == "update" || o.Request == requestApply
}

// query is the query of the request's URL.
func (o *options) query() string {
	values := url.Values{}
	if o.Manager != "" {
		values.Set("fieldManager", o.Manager)
	}
	if o.Force != nil && o.Request == requestApply {
		values.Set("force", fmt.Sprint(*o.Force))
	}
	if o.FieldValidation != "" {
		values.Set("fieldValidation", o.FieldValidation)
	}
	return values.Encode()
}

// run performs a request. Whatever the handlers do, a panic included, becomes an outcome.
func run(req *request) (o conversation.Outcome) {
	defer func() {
		if r := recover(); r != nil {
			// The handlers put the stack behind the message.
			message, stack, _ := strings.Cut(fmt.Sprint(r), "\n")
			kind := "panic"
			// A server answers with an error. That of a JSON patch has a kind.
			if strings.Contains(stack, "evanphx/json-patch") {
				kind = "json-patch-failed"
			}
			o = refusal(kind, message)
		}
	}()
	if req.Operation != operationRequest {
		return unsupported("the operation %q is not supported", req.Operation)
	}
	how, known := verbs[req.Options.Request]
	switch {
	case req.Options.Request == "":
		return broken(`"request" needs the option "request"`)
	case !known:
		return unsupported("requests of type %q are not known", req.Options.Request)
	case req.Documents.Body == nil:
		return broken(`"request" needs the document "body"`)
	case req.Options.Subresource != "":
		return unsupported("subresources are not supported")
	case req.Options.Request == requestApply && !supportsApply:
		return unsupported("server-side apply of this release is not supported")
	case !supportsApply && bytes.Contains(req.Documents.Body, []byte(`"managedFields"`)):
		return unsupported("managed fields of this release are not supported")
	}
	objects, err := prepare(req)
	if err != nil {
		return broken("%s", err)
	}
	kind := objects.kind
	if reason := unsupportedKind(kind); reason != "" {
		return unsupported("%s", reason)
	}
	s := newStore(kind, objects.live)
	if s.data != nil {
		if _, err := s.object(); err != nil {
			return unsupported("the live document cannot be a stored %s: %s", kind.Kind, err)
		}
	}
	answer, err := s.send(how, objects, req.Options.query())
	if err != nil {
		return refusal("unclassified", err.Error())
	}
	if answer.code >= http.StatusBadRequest {
		return refused(req.Options.Request, answer)
	}
	result, err := objects.result(s.data)
	if err != nil {
		return refusal("unclassified", err.Error())
	}
	return conversation.Outcome{Result: result}
}

// notStored are kinds with metadata that clients send or get, but that cannot be stored and applied.
var notStored = map[string]bool{
	"Binding": true, "JobTemplate": true, "LocalSubjectAccessReview": true, "PodStatusResult": true,
	"RangeAllocation": true, "Scale": true, "SelfSubjectAccessReview": true, "SelfSubjectReview": true,
	"SelfSubjectRulesReview": true, "SubjectAccessReview": true, "TokenRequest": true, "TokenReview": true,
}

// unsupportedKind says why no object of a kind can be stored, or "".
func unsupportedKind(kind schema.GroupVersionKind) string {
	object, err := scheme.Scheme.New(kind)
	if err != nil {
		return fmt.Sprintf("this release has no built-in type %s of %q", kind.Kind, kind.GroupVersion())
	}
	if _, err := meta.Accessor(object); err != nil || notStored[kind.Kind] {
		return fmt.Sprintf("%s is no type of stored objects", kind.Kind)
	}
	return ""
}

func unsupported(format string, args ...any) conversation.Outcome {
	return conversation.Outcome{Unsupported: fmt.Sprintf(format, args...)}
}

func broken(format string, args ...any) conversation.Outcome {
	return conversation.Outcome{Broken: fmt.Sprintf(format, args...)}
}

func refusal(kind, message string) conversation.Outcome {
	return conversation.Outcome{Refusal: &conversation.Refusal{Kind: kind, Message: message}}
}
