package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes/scheme"
)

// store is the storage of one object. It keeps the bytes that the codec of its type writes, as etcd does.
type store struct {
	kind     schema.GroupVersionKind
	resource schema.GroupVersionResource
	codec    runtime.Codec
	// data is nil if the object does not exist.
	data []byte
}

func newStore(kind schema.GroupVersionKind, data []byte) *store {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	version := kind.GroupVersion()
	// The external version is also the stored one: client-go has no internal versions.
	codec := scheme.Codecs.CodecForVersions(info.Serializer, scheme.Codecs.UniversalDeserializer(), version, version)
	return &store{kind: kind, resource: resource, codec: codec, data: data}
}

// object is a copy of the decoded object, as API servers get it from their watch cache. Copying makes a difference: the
// lists of a copy have no spare capacity, those of a decoded object have. Strategic merge patch depends on it for lists of
// scalars with repeated items, because it appends to lists that it still reads.
func (s *store) object() (runtime.Object, error) {
	decoded, err := runtime.Decode(s.codec, s.data)
	if err != nil {
		return nil, err
	}
	return decoded.DeepCopyObject(), nil
}

// New implements rest.Storage.
func (s *store) New() runtime.Object {
	object, err := scheme.Scheme.New(s.kind)
	if err != nil {
		panic(err)
	}
	return object
}

// Destroy implements rest.Storage.
func (s *store) Destroy() {}

// Get implements rest.Getter.
func (s *store) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if s.data == nil {
		return nil, errors.NewNotFound(s.resource.GroupResource(), name)
	}
	return s.object()
}

// Create implements rest.Creater.
func (s *store) Create(
	_ context.Context, object runtime.Object, _ rest.ValidateObjectFunc, _ *metav1.CreateOptions,
) (runtime.Object, error) {
	if s.data != nil {
		return nil, errors.NewAlreadyExists(s.resource.GroupResource(), nameOf(object))
	}
	return s.write(object)
}

// Update implements rest.Updater.
func (s *store) Update(
	ctx context.Context, name string, info rest.UpdatedObjectInfo, _ rest.ValidateObjectFunc,
	_ rest.ValidateObjectUpdateFunc, forceAllowCreate bool, _ *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	live, err := s.Get(ctx, name, nil)
	created := errors.IsNotFound(err)
	if created && forceAllowCreate {
		live = s.New()
	} else if err != nil {
		return nil, false, err
	}
	version := resourceVersionOf(live)
	object, err := info.UpdatedObject(ctx, live)
	if err != nil {
		return nil, false, err
	}
	if given := resourceVersionOf(object); !created && given != "" && given != version {
		return nil, false, errors.NewConflict(s.resource.GroupResource(), name, errModified)
	}
	object, err = s.write(object)
	return object, created, err
}

func (s *store) write(object runtime.Object) (runtime.Object, error) {
	data, err := runtime.Encode(s.codec, object)
	if err != nil {
		return nil, err
	}
	s.data = data
	return s.object()
}

type modifiedError struct{}

func (modifiedError) Error() string { return "the object has been modified" }

var errModified = modifiedError{}

func nameOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}

func resourceVersionOf(object runtime.Object) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return accessor.GetResourceVersion()
}
