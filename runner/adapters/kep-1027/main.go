// Command skewer-kep-1027 answers the operation admit-union of the Skewer adapter protocol with the rules of KEP-1027,
// which are written here from the text of the proposal. The protocol is described in ../PROTOCOL.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"skewer.dev/conversation"
	"skewer.dev/requests"
)

// policies are the names under which the rules are asked for, beside "own".
var policies = []string{"none", "kep-1027", "kep-1027-ratcheting"}

func main() {
	name := flag.String("error", "", "deviate from the KEP in one rule, to test a test: one of "+fmt.Sprint(deliberateErrors))
	last := flag.Bool("last-reason", false, "name the last of several reasons, which is as right as the first, to test a test")
	flag.Parse()
	if *name != "" && !slices.Contains(deliberateErrors, deliberateError(*name)) {
		fmt.Fprintf(os.Stderr, "skewer-kep-1027: there is no error %q: expected one of %v\n", *name, deliberateErrors)
		os.Exit(2)
	}
	requests.Main(implementation(rules{deliberate: deliberateError(*name), namesLastReason: *last}))
}

func implementation(rules rules) requests.Implementation {
	admit := func(call *requests.Call) ([]byte, error) { return admitUnion(call, rules) }
	return requests.Implementation{
		Name:       "kep-1027",
		Version:    "alpha",
		Policies:   policies,
		Operations: []requests.Operation{{Name: "admit-union", Run: admit}},
		Classify:   func(error) conversation.Refusal { return conversation.Refusal{} },
	}
}

func admitUnion(call *requests.Call, rules rules) ([]byte, error) {
	options := call.Options
	if options.Policy != "own" && !slices.Contains(policies, options.Policy) {
		return nil, requests.Unsupported("there are only the rules of KEP-1027, not those of the policy %q", options.Policy)
	}
	if call.Schema == nil {
		return nil, requests.Broken(`"admit-union" needs a "schema"`)
	}
	if err := requests.Required("new", call.Documents.New); err != nil {
		return nil, err
	}
	updated, err := requests.DecodeObject(call.Documents.New)
	if err != nil {
		return nil, err
	}
	stored, err := requests.DecodeObject(call.Documents.Old)
	if err != nil {
		return nil, err
	}
	types, err := typesOf(call.Schema)
	if err != nil {
		return nil, err
	}
	// "Yes, requests will simply skip union validation and normalization."
	if options.Gate {
		rules.ratcheting, rules.isUpdate = options.Ratcheting, call.Documents.Old != nil
		w := write{rules, types}
		if !w.isUpdate {
			stored = nil
		}
		if err := w.admit(types[call.Root], "", stored, updated); err != nil {
			return nil, err
		}
	}
	return requests.AppendValue(nil, updated)
}
