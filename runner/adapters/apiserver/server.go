package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/scheme"
)

// maxBody is the limit of kube-apiserver for one request.
const maxBody = 3 << 20

var patchTypes = []string{
	"application/json-patch+json",
	"application/merge-patch+json",
	"application/strategic-merge-patch+json",
	"application/apply-patch+yaml",
}

// answer is the response to a request.
type answer struct {
	code int
	body []byte
}

// send performs a request on the stored object.
func (s *store) send(how verb, o *objects, query string) (*answer, error) {
	scope, err := s.scope(o)
	if err != nil {
		return nil, err
	}
	// The path has no meaning: the handlers take names from the namer.
	req := httptest.NewRequest(how.method, "/skewer?"+query, bytes.NewReader(o.body))
	req.Header.Set("Content-Type", how.contentType)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", defaultName)
	info := &apirequest.RequestInfo{
		IsResourceRequest: true, Verb: how.name, Path: req.URL.Path, APIGroup: s.kind.Group, APIVersion: s.kind.Version,
		Namespace: o.namespace, Resource: s.resource.Resource, Name: o.name,
	}
	ctx := apirequest.WithRequestInfo(apirequest.WithNamespace(req.Context(), o.namespace), info)
	ctx = withAudit(warning.WithWarningRecorder(ctx, noWarnings{}))
	recorder := httptest.NewRecorder()
	s.handler(how, scope)(recorder, req.WithContext(ctx))
	return &answer{recorder.Code, recorder.Body.Bytes()}, nil
}

func (s *store) handler(how verb, scope *handlers.RequestScope) http.HandlerFunc {
	switch how.method {
	case http.MethodPost:
		return handlers.CreateResource(s, scope, noAdmission{})
	case http.MethodPut:
		return handlers.UpdateResource(s, scope, noAdmission{})
	default:
		return handlers.PatchResource(s, scope, noAdmission{}, patchTypes)
	}
}

func (s *store) scope(o *objects) (*handlers.RequestScope, error) {
	scope := &handlers.RequestScope{
		Namer:                    namer{o.namespace, o.name},
		Serializer:               scheme.Codecs,
		ParameterCodec:           scheme.ParameterCodec,
		Creater:                  scheme.Scheme,
		Convertor:                scheme.Scheme,
		Defaulter:                scheme.Scheme,
		Typer:                    scheme.Scheme,
		UnsafeConvertor:          runtime.UnsafeObjectConvertor(scheme.Scheme),
		EquivalentResourceMapper: runtime.NewEquivalentResourceRegistry(),
		TableConvertor:           noTables{},
		Resource:                 s.resource,
		Kind:                     s.kind,
		MetaGroupVersion:         metav1.SchemeGroupVersion,
		HubGroupVersion:          s.kind.GroupVersion(),
		MaxRequestBodyBytes:      maxBody,
	}
	return scope, setFieldManager(scope, s.kind)
}

// namer names the object of the request, whatever the path.
type namer struct{ namespace, name string }

func (n namer) Namespace(*http.Request) (string, error)    { return n.namespace, nil }
func (n namer) Name(*http.Request) (string, string, error) { return n.namespace, n.name, nil }
func (namer) ObjectName(object runtime.Object) (string, string, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return "", "", err
	}
	return accessor.GetNamespace(), accessor.GetName(), nil
}

// Old releases have these methods in the interface, too.

func (namer) SetSelfLink(runtime.Object, string) error                             { return nil }
func (namer) GenerateLink(*apirequest.RequestInfo, runtime.Object) (string, error) { return "", nil }
func (namer) GenerateListLink(*http.Request) (string, error)                       { return "", nil }

type noAdmission struct{}

func (noAdmission) Handles(admission.Operation) bool { return false }

type noWarnings struct{}

func (noWarnings) AddWarning(string, string) {}

type noTables struct{}

func (noTables) ConvertToTable(context.Context, runtime.Object, runtime.Object) (*metav1.Table, error) {
	return nil, errors.New("tables are not supported")
}
