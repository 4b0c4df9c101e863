// Command skewer-apimachinery answers the Skewer adapter protocol with k8s.io/apimachinery, the library that
// kube-apiserver and kubectl are built on. It is the reference that other implementations are compared with.
//
// The protocol is described in ../PROTOCOL.md. The adapter reads requests from standard input and writes
// replies to standard output, one JSON object per line.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
)

const (
	libraryPath = "k8s.io/apimachinery"
	// unionLibraryPath is the library whose last releases of v4 normalize unions.
	unionLibraryPath = "sigs.k8s.io/structured-merge-diff"
	// maxLine bounds one request. A Kubernetes object is at most some 3 MiB; OpenAPI documents are larger.
	maxLine = 256 << 20
	// maxCopied bounds what the copy operations of one JSON patch copy, as kube-apiserver does. The library sets no
	// bound of its own, and a document that is copied into itself doubles.
	maxCopied = 3 << 20
)

func main() {
	// Documents live for one request only, so that nearly everything allocated is garbage soon. A lazier
	// collector costs some memory and gives a good part of the time back.
	debug.SetGCPercent(400)
	unions := flag.Bool("structured-merge-diff", false, "answer normalize-union only, as "+unionLibraryPath+" v4.3.0")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	server := newServer(os.Stdin, os.Stdout, moduleVersion(libraryPath), maxLine)
	if *unions {
		server = newUnionServer(os.Stdin, os.Stdout, moduleVersion(unionLibraryPath+"/v4"), maxLine)
	}
	if server == nil {
		fmt.Fprintln(os.Stderr, "skewer-apimachinery: this release is built without "+unionLibraryPath)
		os.Exit(2)
	}
	if err := server.Serve(); err != nil {
		fmt.Fprintln(os.Stderr, "skewer-apimachinery:", err)
		os.Exit(1)
	}
}

// moduleVersion is the version of a module that was linked in.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dep := range info.Deps {
		if dep.Path != path {
			continue
		}
		if dep.Replace != nil {
			return dep.Replace.Version
		}
		return dep.Version
	}
	return "unknown"
}
