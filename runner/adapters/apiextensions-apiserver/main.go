// Command skewer-apiextensions-apiserver answers the operations "admit" and "validate-definition" of the Skewer adapter
// protocol: it admits custom resources, and validates their definitions, with the code of k8s.io/apiextensions-apiserver, the
// part of kube-apiserver that serves them.
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
	"k8s.io/klog/v2"

	"skewer.dev/conversation"
)

const (
	libraryPath                 = "k8s.io/apiextensions-apiserver"
	operationAdmit              = "admit"
	operationValidateDefinition = "validate-definition"
	// maxLine bounds one request.
	maxLine = 64 << 20
)

func main() {
	debug.SetGCPercent(400)
	silenceLogs()
	if err := newServer(os.Stdin, os.Stdout).Serve(); err != nil {
		fmt.Fprintln(os.Stderr, "skewer-apiextensions-apiserver:", err)
		os.Exit(1)
	}
}

func newServer(in io.Reader, out io.Writer) *conversation.Server[request] {
	definitions := definitionCache{}
	return conversation.NewServer(conversation.Adapter[request]{
		Started: conversation.Started{
			Name:     libraryPath,
			Version:  libraryVersion(),
			Language: "go",
			Supports: conversation.Supports{
				Operations:   []string{operationAdmit, operationValidateDefinition},
				LossyNumbers: []string{operationAdmit},
			},
		},
		Unmarshal:   json.Unmarshal,
		Head:        func(req *request) *conversation.Head { return &req.Head },
		Run:         func(req *request) conversation.Outcome { return run(definitions, req) },
		TooDeepKind: "too-deep",
	}, in, out, maxLine)
}

// silenceLogs drops the log of the library: the runner shows standard error as the adapter's own.
func silenceLogs() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := flags.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// libraryVersion is the version of k8s.io/apiextensions-apiserver that was linked in.
func libraryVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == libraryPath {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}
