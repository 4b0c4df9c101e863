package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// waitForType waits until the server lists the type of an object. A definition that was just installed is served a moment
// before it is listed, and tools ask for the list.
func waitForType(ctx context.Context, config *rest.Config, object json.RawMessage) error {
	var typed metav1.TypeMeta
	if err := json.Unmarshal(object, &typed); err != nil {
		return fmt.Errorf("the manifest: %w", err)
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	for {
		resources, err := isListed(client, typed)
		if resources {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not list %s %s: %w", typed.APIVersion, typed.Kind, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// isListed looks at both forms of the list: that of all groups, and that of one.
func isListed(client *discovery.DiscoveryClient, typed metav1.TypeMeta) (bool, error) {
	_, all, err := client.ServerGroupsAndResources()
	if err != nil && len(all) == 0 {
		return false, err
	}
	single, err := client.ServerResourcesForGroupVersion(typed.APIVersion)
	if err != nil {
		return false, err
	}
	return has(all, typed) && has([]*metav1.APIResourceList{single}, typed), nil
}

func has(lists []*metav1.APIResourceList, typed metav1.TypeMeta) bool {
	for _, list := range lists {
		for _, resource := range list.APIResources {
			if list.GroupVersion == typed.APIVersion && resource.Kind == typed.Kind {
				return true
			}
		}
	}
	return false
}
