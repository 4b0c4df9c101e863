// Command skewer-helm answers the Skewer adapter protocol with the actions of Helm: it installs or upgrades a release
// whose chart renders one object. The protocol is described in ../PROTOCOL.md.
package main

import (
	"path/filepath"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"skewer.dev/clients"
)

const (
	releaseName = "skewer"
	chartName   = "skewer"
	chartFile   = "templates/object.yaml"
	// chartTemplate renders the manifest as it is.
	chartTemplate = "{{ .Values.manifest }}"
)

func values(manifest []byte) map[string]any {
	return map[string]any{"manifest": string(manifest)}
}

// rendered is a manifest in the form in which Helm keeps it with a release.
func rendered(manifest []byte) string {
	return "---\n# Source: " + chartName + "/" + chartFile + "\n" + string(manifest) + "\n"
}

// refused gives the refusal to adopt an object its kind.
func refused(err error) error {
	if err != nil && strings.Contains(err.Error(), "cannot be imported into the current release") {
		return &clients.Refusal{Kind: "already-exists", Err: err}
	}
	return err
}

// getter connects Helm to the server, as its command line does.
func getter(exchange *clients.Exchange) *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(true)
	cache := filepath.Join(exchange.Folder, "cache")
	flags.KubeConfig, flags.Namespace, flags.CacheDir = &exchange.Kubeconfig, &exchange.Namespace, &cache
	return flags
}
