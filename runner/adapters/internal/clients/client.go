// Package clients is the part that the adapters of clients share: they let a tool apply a manifest to an API server, and
// report the requests that it sent. The operation is apply-manifest in ../../PROTOCOL.md.
package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"skewer.dev/conversation"
)

// maxLine is the maximum length of a request.
const maxLine = 256 << 20

// Client is the tool that an adapter wraps.
type Client struct {
	Name string
	// Module is the Go module of the tool, whose version is that of the tool.
	Module string
	// Tools are the ways to apply that the adapter has, by the names of the cases.
	Tools []string
	// Apply applies a manifest as the tool does. The error is the tool's own.
	Apply func(context.Context, *Exchange) error
}

// Exchange is one manifest to apply.
type Exchange struct {
	Tool string
	// Server is the address of a recording proxy. It needs no credentials.
	Server string
	// Config connects to the proxy.
	Config *rest.Config
	// Kubeconfig is a file with the address of the proxy and the namespace.
	Kubeconfig string
	Namespace  string
	// Previous is the manifest that was applied before. Nil for the first one.
	Previous json.RawMessage
	Manifest json.RawMessage
	// PreviousTool is the tool that applied the manifest before.
	PreviousTool string
	// Force takes fields from other managers, if the tool has an option for it.
	Force bool
	// Folder is an empty folder for files of the tool.
	Folder string
}

type request struct {
	conversation.Head
	Operation string `json:"operation"`
	Documents struct {
		LastApplied json.RawMessage `json:"lastApplied"`
		Modified    json.RawMessage `json:"modified"`
	} `json:"documents"`
	Options struct {
		Tool         string `json:"tool"`
		PreviousTool string `json:"previousTool"`
		Kubeconfig   string `json:"kubeconfig"`
		Namespace    string `json:"namespace"`
		Force        bool   `json:"force"`
	} `json:"options"`
}

// result is the result of the operation.
type result struct {
	Requests []*Request `json:"requests"`
	// Error is set if the tool failed.
	Error *failure `json:"error,omitempty"`
}

// failure is an error of the tool. It has a kind if the tool itself refused the manifest.
type failure struct {
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message"`
}

// Refusal is an error with which a tool refuses a manifest that the server would accept.
type Refusal struct {
	// Kind is one of the error kinds of the protocol.
	Kind string
	Err  error
}

func (r *Refusal) Error() string { return r.Err.Error() }

func (r *Refusal) Unwrap() error { return r.Err }

const operation = "apply-manifest"

// limit is the time that a tool has. The runner's own limit is longer.
const limit = 20 * time.Second

// Main serves standard input and output until the conversation ends.
func Main(client Client) {
	adapter := conversation.Adapter[request]{
		Started: conversation.Started{
			Name:     client.Name,
			Version:  moduleVersion(client.Module),
			Language: "go",
			Supports: conversation.Supports{Operations: []string{operation}, Tools: client.Tools},
		},
		Unmarshal: json.Unmarshal,
		Head:      func(r *request) *conversation.Head { return &r.Head },
		Run:       func(r *request) conversation.Outcome { return run(client, r) },
	}
	// Tools print to standard output, which is that of the protocol.
	out := os.Stdout
	os.Stdout = os.Stderr
	if err := conversation.NewServer(adapter, os.Stdin, out, maxLine).Serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(client Client, r *request) (outcome conversation.Outcome) {
	switch {
	case r.Operation != operation:
		return conversation.Outcome{Unsupported: fmt.Sprintf("%s does not have the operation %s", client.Name, r.Operation)}
	case !slices.Contains(client.Tools, r.Options.Tool):
		return conversation.Outcome{Unsupported: fmt.Sprintf("%s is not the tool %s", client.Name, r.Options.Tool)}
	case len(r.Documents.Modified) == 0:
		return conversation.Outcome{Broken: "the document modified is missing"}
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			message := fmt.Sprintf("%v\n%s", panicked, debug.Stack())
			outcome = conversation.Outcome{Refusal: &conversation.Refusal{Kind: "panic", Message: message}}
		}
	}()
	answer, err := apply(client, r)
	if err != nil {
		return conversation.Outcome{Broken: err.Error()}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return conversation.Outcome{Broken: err.Error()}
	}
	return conversation.Outcome{Result: text}
}

// apply lets the tool apply the manifest. The error is that of the adapter.
func apply(client Client, r *request) (*result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	upstream, err := clientcmd.BuildConfigFromFlags("", r.Options.Kubeconfig)
	if err != nil {
		return nil, err
	}
	upstream.QPS = -1
	if err := waitForType(ctx, upstream, r.Documents.Modified); err != nil {
		return nil, err
	}
	recorder, err := record(upstream)
	if err != nil {
		return nil, err
	}
	defer recorder.close()
	folder, err := os.MkdirTemp("", "skewer-client-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, recorder.address(), r.Options.Namespace); err != nil {
		return nil, err
	}
	exchange := Exchange{
		Tool:         r.Options.Tool,
		Server:       recorder.address(),
		Config:       &rest.Config{Host: recorder.address(), QPS: -1},
		Kubeconfig:   kubeconfig,
		Namespace:    r.Options.Namespace,
		Previous:     present(r.Documents.LastApplied),
		Manifest:     r.Documents.Modified,
		PreviousTool: r.Options.PreviousTool,
		Force:        r.Options.Force,
		Folder:       folder,
	}
	answer := &result{}
	if err := client.Apply(ctx, &exchange); err != nil {
		answer.Error = &failure{Message: err.Error()}
		var refusal *Refusal
		if errors.As(err, &refusal) {
			answer.Error.Kind = refusal.Kind
		}
	}
	answer.Requests = recorder.requests()
	return answer, nil
}

func writeKubeconfig(path, address, namespace string) error {
	const name = "skewer"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: address}
	config.Contexts[name] = &api.Context{Cluster: name, Namespace: namespace}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}

func present(document json.RawMessage) json.RawMessage {
	if string(document) == "null" {
		return nil
	}
	return document
}

func moduleVersion(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				return module.Version[1:]
			}
		}
	}
	return "unknown"
}
