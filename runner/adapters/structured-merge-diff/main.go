// Command skewer-smd answers the Skewer adapter protocol with merge.Updater of sigs.k8s.io/structured-merge-diff/v6,
// the library under the server-side apply of Kubernetes. The protocol is described in ../PROTOCOL.md.
package main

import (
	"skewer.dev/requests"
)

const libraryPath = "sigs.k8s.io/structured-merge-diff/v6"

func main() { requests.Main(implementation()) }

func implementation() requests.Implementation {
	return requests.Implementation{
		Name:    libraryPath,
		Version: requests.ModuleVersion(libraryPath),
		Operations: []requests.Operation{
			{Name: "server-side-apply", Run: serverSideApply},
			{Name: "managed-update", Run: managedUpdate},
		},
		Classify: classify,
	}
}
