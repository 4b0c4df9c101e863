// Command skewer-kyaml answers the Skewer adapter protocol with the strategic merge patch of
// sigs.k8s.io/kustomize/kyaml, the library of kustomize. The protocol is described in ../PROTOCOL.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"skewer.dev/conversation"
	"skewer.dev/requests"
)

const libraryPath = "sigs.k8s.io/kustomize/kyaml"

func main() {
	list := flag.String("list", "prepend", "where new items of merged lists go: prepend, as in kustomize, or append")
	flag.Parse()
	directions := map[string]yaml.MergeOptionsListIncreaseDirection{
		"prepend": yaml.MergeOptionsListPrepend,
		"append":  yaml.MergeOptionsListAppend,
	}
	direction, ok := directions[*list]
	if !ok || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: skewer-kyaml [--list prepend|append]")
		os.Exit(2)
	}
	requests.Main(implementation(direction))
}

func implementation(direction yaml.MergeOptionsListIncreaseDirection) requests.Implementation {
	name := libraryPath
	if direction == yaml.MergeOptionsListAppend {
		// Both modes have their own results, and reports tell targets apart by their names.
		name += " (append)"
	}
	merger := merger{direction: direction}
	return requests.Implementation{
		Name:                  name,
		Version:               requests.ModuleVersion(libraryPath),
		Lookup:                "openapi",
		Directives:            []string{"$patch"},
		StoresOtherDirectives: true,
		Operations:            []requests.Operation{{Name: "apply", Run: merger.apply, Strategic: true}},
		Classify:              classify,
	}
}

func classify(err error) conversation.Refusal {
	if wrongKind := (*yaml.InvalidNodeKindError)(nil); errors.As(err, &wrongKind) {
		return conversation.Refusal{Kind: requests.WrongKind}
	}
	message := err.Error()
	switch {
	case strings.HasPrefix(message, "unknown patch strategy '"):
		return conversation.Refusal{Kind: requests.InvalidDirective, Directive: "$patch"}
	case strings.HasPrefix(message, "no implemented strategic merge patch strategy for "):
		return conversation.Refusal{Kind: requests.WrongKind}
	}
	return conversation.Refusal{}
}
