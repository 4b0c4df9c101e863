package main

import (
	"encoding/json"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// deploymentOpenAPI is the part of the published type apps/v1 Deployment that the documents use.
const deploymentOpenAPI = `{"Deployment":{"type":"object",
"x-kubernetes-group-version-kind":[{"group":"apps","version":"v1","kind":"Deployment"}],
"properties":{
  "apiVersion":{"type":"string"},"kind":{"type":"string"},
  "metadata":{"type":"object","properties":{
    "name":{"type":"string"},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "annotations":{"type":"object","additionalProperties":{"type":"string"}},
    "managedFields":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"object"}}}},
  "spec":{"type":"object","properties":{
    "replicas":{"type":"integer"},
    "strategy":{"type":"object","properties":{"type":{"type":"string"}}},
    "template":{"type":"object","properties":{"spec":{"type":"object","properties":{
      "containers":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
        "items":{"type":"object","properties":{
          "name":{"type":"string"},"image":{"type":"string"},
          "env":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
            "items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}},
          "ports":{"type":"array","x-kubernetes-list-type":"map",
            "x-kubernetes-list-map-keys":["containerPort","protocol"],
            "items":{"type":"object","properties":{
              "containerPort":{"type":"integer"},"protocol":{"type":"string","default":"TCP"}}}}}}}}}}}}}}}}`

// The managers of the Deployment: applier applied lastApplied, and updater changed the rest of live.
const applier, updater = "kubectl", "controller"

// oneVersion implements the interfaces of a field manager for a resource with one version and without defaults.
type oneVersion struct{}

func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

func (oneVersion) Convert(_, _, _ any) error { return errors.New("not supported") }

func (oneVersion) ConvertFieldLabel(_ apischema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) New(kind apischema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}

// fieldManager returns the field manager of an API server for Deployments without Go types.
func fieldManager() (*managedfields.FieldManager, error) {
	components := map[string]*spec.Schema{}
	if err := json.Unmarshal([]byte(deploymentOpenAPI), &components); err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(components, false)
	if err != nil {
		return nil, err
	}
	kind := apischema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	all := oneVersion{}
	return managedfields.NewDefaultCRDFieldManager(types, all, all, all, kind, kind.GroupVersion(), "", nil)
}

func decode(text []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	return object, utiljson.Unmarshal(text, &object.Object)
}

// request runs a request of a manager on the bytes of two objects, and returns the bytes of the result.
func request(
	live, sent []byte, run func(live, sent runtime.Object) (runtime.Object, error),
) ([]byte, error) {
	liveObject, err := decode(live)
	if err != nil {
		return nil, err
	}
	sentObject, err := decode(sent)
	if err != nil {
		return nil, err
	}
	result, err := run(liveObject, sentObject)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result.(*unstructured.Unstructured).Object)
}

func serverSideApply(manager *managedfields.FieldManager, live, configuration []byte) ([]byte, error) {
	return request(live, configuration, func(live, configuration runtime.Object) (runtime.Object, error) {
		return manager.Apply(live, configuration, applier, true)
	})
}

func managedUpdate(manager *managedfields.FieldManager, live, updated []byte) ([]byte, error) {
	return request(live, updated, func(live, updated runtime.Object) (runtime.Object, error) {
		return manager.Update(live, updated, updater)
	})
}

// addManaged adds the documents of server-side apply: live with its managed fields, and an update of it.
func (d *documents) addManaged(manager *managedfields.FieldManager) error {
	empty := []byte(`{"apiVersion":"apps/v1","kind":"Deployment"}`)
	applied, err := serverSideApply(manager, empty, d.lastApplied)
	if err != nil {
		return err
	}
	if d.managedLive, err = managedUpdate(manager, applied, d.live); err != nil {
		return err
	}
	live, err := decode(d.managedLive)
	if err != nil {
		return err
	}
	modified, err := decode(d.modified)
	if err != nil {
		return err
	}
	live.Object["spec"] = modified.Object["spec"]
	d.managedNew, err = json.Marshal(live.Object)
	return err
}
