package main

import (
	_ "unsafe" // for go:linkname

	// For its functions below.
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
)

// The decoders of custom resources are not exported. The two types here have the layout of the types of the same names in
// customresource_handler.go, so that upstream's methods can be called on them. A test compares the layouts.

// unstructuredNegotiatedSerializer makes the decoders of request bodies.
type unstructuredNegotiatedSerializer struct {
	typer     runtime.ObjectTyper
	creator   runtime.ObjectCreater
	converter runtime.ObjectConvertor

	structuralSchemas     map[string]*structuralschema.Structural
	structuralSchemaGK    schema.GroupKind
	preserveUnknownFields bool

	supportedMediaTypes []runtime.SerializerInfo
}

//go:linkname decoderToVersion k8s.io/apiextensions-apiserver/pkg/apiserver.unstructuredNegotiatedSerializer.DecoderToVersion
func decoderToVersion(s unstructuredNegotiatedSerializer, decoder runtime.Decoder, gv runtime.GroupVersioner) runtime.Decoder

// crdConversionRESTOptionsGetter makes the codecs of stored objects.
type crdConversionRESTOptionsGetter struct {
	generic.RESTOptionsGetter
	converter             runtime.ObjectConvertor
	encoderVersion        schema.GroupVersion
	decoderVersion        schema.GroupVersion
	structuralSchemas     map[string]*structuralschema.Structural
	structuralSchemaGK    schema.GroupKind
	preserveUnknownFields bool
}

//go:linkname getRESTOptions k8s.io/apiextensions-apiserver/pkg/apiserver.crdConversionRESTOptionsGetter.GetRESTOptions
func getRESTOptions(t crdConversionRESTOptionsGetter, resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error)
