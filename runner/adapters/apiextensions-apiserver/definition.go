package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definitionvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	kjson "sigs.k8s.io/json"
)

// scheme has the versions of definitions.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	return s
}()

// strategy is what apiextensions-apiserver does before it stores an object.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// served is one version of a custom resource, as a server serves it.
type served struct {
	strategy strategy
	// body and strictBody decode request bodies, and stored the objects of the storage.
	body, strictBody, stored runtime.Decoder
}

// maxDefinitions bounds the cache. Most requests have the definition of the request before.
const maxDefinitions = 32

type definitionKey struct {
	text, version string
	ratcheting    bool
}

// definitionCache keeps definitions, as the compilation of rules is slow.
type definitionCache map[definitionKey]*served

func (c definitionCache) get(text json.RawMessage, version string, ratcheting bool) (*served, error) {
	key := definitionKey{string(text), version, ratcheting}
	if found, ok := c[key]; ok {
		return found, nil
	}
	made, err := newServed(text, version)
	if err != nil {
		return nil, err
	}
	if len(c) >= maxDefinitions {
		clear(c)
	}
	c[key] = made
	return made, nil
}

// readDefinition decodes a definition as a server does, and returns it in the version of the request and in the internal one.
func readDefinition(text json.RawMessage) (*apiextensionsv1.CustomResourceDefinition, *apiextensions.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, crd); err != nil {
		return nil, nil, err
	}
	scheme.Default(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	return crd, internal, scheme.Convert(crd, internal, nil)
}

// newServed follows getOrCreateServingInfoFor of customresource_handler.go.
func newServed(text json.RawMessage, version string) (*served, error) {
	crd, internal, err := readDefinition(text)
	if err != nil {
		return nil, err
	}
	if errs := definitionvalidation.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	if version == "" {
		version = crd.Spec.Versions[0].Name
	}
	schemas := map[string]*structuralschema.Structural{}
	for _, v := range crd.Spec.Versions {
		props, err := internalSchema(&v)
		if err != nil {
			return nil, err
		}
		structural, err := structuralschema.NewStructural(props)
		if err != nil {
			return nil, err
		}
		structural = structural.DeepCopy()
		if err := defaulting.PruneDefaults(structural); err != nil {
			return nil, err
		}
		schemas[v.Name] = structural
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return serve(crd, &v, schemas)
		}
	}
	return nil, fmt.Errorf("the definition has no version %q", version)
}

func internalSchema(v *apiextensionsv1.CustomResourceDefinitionVersion) (*apiextensions.JSONSchemaProps, error) {
	internal := &apiextensions.CustomResourceValidation{}
	err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil)
	return internal.OpenAPIV3Schema, err
}

func serve(crd *apiextensionsv1.CustomResourceDefinition, v *apiextensionsv1.CustomResourceDefinitionVersion, schemas map[string]*structuralschema.Structural) (*served, error) {
	props, err := internalSchema(v)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if v.Subresources != nil && v.Subresources.Status != nil {
		status = &apiextensions.CustomResourceSubresourceStatus{}
	}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		scale = &apiextensions.CustomResourceSubresourceScale{}
		if err := apiextensionsv1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(v.Subresources.Scale, scale, nil); err != nil {
			return nil, err
		}
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
	typer := crdserverscheme.NewUnstructuredObjectTyper()
	// The validator of the status is only for requests to the subresource.
	made := &served{strategy: customresource.NewStrategy(typer, crd.Spec.Scope == apiextensionsv1.NamespaceScoped, kind, validator, nil, schemas[v.Name], status, scale, v.SelectableFields)}
	return made, made.setDecoders(crd, kind, schemas)
}

// setDecoders makes the decoders of upstream, with the serializers that customresource_handler.go gives them.
func (s *served) setDecoders(crd *apiextensionsv1.CustomResourceDefinition, kind schema.GroupVersionKind, schemas map[string]*structuralschema.Structural) error {
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		return err
	}
	converter, unsafeConverter, err := factory.NewConverter(crd)
	if err != nil {
		return err
	}
	typer := crdserverscheme.NewUnstructuredObjectTyper()
	negotiated := unstructuredNegotiatedSerializer{
		typer: typer, creator: creator{}, converter: converter, structuralSchemas: schemas,
		structuralSchemaGK: kind.GroupKind(), preserveUnknownFields: crd.Spec.PreserveUnknownFields,
	}
	decoder := func(strict bool) runtime.Decoder {
		options := jsonserializer.SerializerOptions{Strict: strict, StreamingCollectionsEncoding: true}
		serializer := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, creator{}, typer, options)
		return decoderToVersion(negotiated, serializer, kind.GroupVersion())
	}
	s.body, s.strictBody = decoder(false), decoder(true)
	getter := crdConversionRESTOptionsGetter{
		RESTOptionsGetter: jsonStorage{}, converter: unsafeConverter,
		encoderVersion: kind.GroupVersion(), decoderVersion: kind.GroupVersion(), structuralSchemas: schemas,
		structuralSchemaGK: kind.GroupKind(), preserveUnknownFields: crd.Spec.PreserveUnknownFields,
	}
	options, err := getRESTOptions(getter, schema.GroupResource{Group: kind.Group, Resource: crd.Spec.Names.Plural}, nil)
	if err != nil {
		return err
	}
	s.stored = options.StorageConfig.Codec
	return nil
}

// jsonStorage stores objects as JSON, like the options of apiextensions-apiserver.
type jsonStorage struct{}

func (jsonStorage) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.Config{Codec: unstructured.UnstructuredJSONScheme}
	return generic.RESTOptions{StorageConfig: config.ForResource(resource)}, nil
}

// creator is upstream's unstructuredCreator.
type creator struct{}

func (creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}
