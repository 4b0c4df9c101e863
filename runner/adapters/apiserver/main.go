// Command skewer-apiserver answers the operation "request" of the Skewer adapter protocol with the request handlers of
// kube-apiserver. It is built once for each Kubernetes release, from the same source.
//
// The protocol is described in ../PROTOCOL.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"skewer.dev/conversation"
)

const (
	handlersPath = "k8s.io/apiserver"
	// maxLine bounds one request.
	maxLine = 64 << 20
)

func main() {
	debug.SetGCPercent(400)
	silenceLogs()
	if err := newServer(os.Stdin, os.Stdout).Serve(); err != nil {
		fmt.Fprintln(os.Stderr, "skewer-apiserver:", err)
		os.Exit(1)
	}
}

func newServer(in io.Reader, out io.Writer) *conversation.Server[request] {
	return conversation.NewServer(conversation.Adapter[request]{
		Started: conversation.Started{
			Name:     "kube-apiserver handlers",
			Version:  kubernetesVersion(),
			Language: "go",
			Supports: conversation.Supports{
				Operations:   []string{operationRequest},
				LossyNumbers: []string{operationRequest},
			},
		},
		Unmarshal:   json.Unmarshal,
		Head:        func(req *request) *conversation.Head { return &req.Head },
		Run:         run,
		TooDeepKind: "too-deep",
	}, in, out, maxLine)
}

// silenceLogs drops the log of the handlers. They log every refused request, and the runner shows standard error as
// the adapter's own.
func silenceLogs() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	initLogFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			panic(err)
		}
	}
	discardLogs()
	utilruntime.ErrorHandlers = nil
}

// kubernetesVersion is the release of the handlers: 1.28.15 for the module version v0.28.15.
func kubernetesVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == handlersPath {
				return strings.Replace(module.Version, "v0.", "1.", 1)
			}
		}
	}
	return "unknown"
}
