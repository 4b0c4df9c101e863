// Command skewer-argo-cd answers the Skewer adapter protocol with the sync of Argo CD: the GitOps engine, called with the
// options of the application controller. The protocol is described in ../PROTOCOL.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"skewer.dev/clients"
)

// controller is the field manager of server-side apply. Upstream: ArgoCDSSAManager (argoproj/argo-cd, common).
const controller = "argocd-controller"

// program is the name of the application controller's process, which is the field manager of the requests that have no other:
// those of `kubectl auth reconcile`, which the engine calls for roles and role bindings.
const program = "argocd-application-controller"

func main() {
	clients.Main(clients.Client{
		Name:   "Argo CD",
		Module: module,
		Tools:  []string{"argocd", serverSideTool},
		Apply:  apply,
	})
}

func apply(ctx context.Context, exchange *clients.Exchange) error {
	exchange.Config.UserAgent = program
	target := &unstructured.Unstructured{}
	if err := target.UnmarshalJSON(exchange.Manifest); err != nil {
		return err
	}
	live, err := cached(ctx, exchange, target)
	if err != nil {
		return err
	}
	return sync(ctx, exchange, target, live)
}

// cached returns the object as the cluster cache of the controller has it, with managed fields. Nil if there is none.
func cached(ctx context.Context, exchange *clients.Exchange, target *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kube, err := dynamic.NewForConfig(exchange.Config)
	if err != nil {
		return nil, err
	}
	disco, err := discovery.NewDiscoveryClientForConfig(exchange.Config)
	if err != nil {
		return nil, err
	}
	gvk := target.GroupVersionKind()
	list, err := disco.ServerResourcesForGroupVersion(gvk.GroupVersion().String())
	if err != nil {
		return nil, err
	}
	for _, resource := range list.APIResources {
		if resource.Kind != gvk.Kind || strings.Contains(resource.Name, "/") {
			continue
		}
		resources := kube.Resource(gvk.GroupVersion().WithResource(resource.Name)).Namespace(target.GetNamespace())
		live, err := resources.Get(ctx, target.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return live, err
	}
	return nil, fmt.Errorf("the server does not list %s", gvk)
}

// failed returns the message of a sync as an error.
func failed(message string, results []string) error {
	return errors.New(strings.Join(append([]string{message}, results...), ": "))
}

var discard = logr.Discard()
