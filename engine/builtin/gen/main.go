// Command gen writes the built-in Kubernetes types of one release as declarations for skewer-engine.
//
//	gen -module v0.37.2 -out kubernetes-1.37.json.gz
//
// It reads the Go source of k8s.io/api and of the required version of k8s.io/apimachinery from the module cache. The
// declarations have the serde form of engine/src/schema/declarations.rs. The file format is described in ../README.md.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

const (
	apiPath       = "k8s.io/api"
	machineryPath = "k8s.io/apimachinery"
)

// file is the content of the generated file.
type file struct {
	GeneratedBy  string       `json:"generatedBy"`
	Kubernetes   string       `json:"kubernetes"`
	Module       string       `json:"module"`
	Declarations declarations `json:"declarations"`
}

func main() {
	version := flag.String("module", "", "version of k8s.io/api, such as v0.37.2")
	out := flag.String("out", "", "file to write; .gz compresses it")
	flag.Parse()
	if *version == "" || *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := generate(*version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(version, out string) error {
	release, err := kubernetesRelease(version)
	if err != nil {
		return err
	}
	dirs, err := download(version)
	if err != nil {
		return err
	}
	types, err := declare(dirs)
	if err != nil {
		return err
	}
	text, err := encode(file{
		GeneratedBy:  "engine/builtin/gen",
		Kubernetes:   release,
		Module:       apiPath + " " + version,
		Declarations: declarations{Types: types},
	})
	if err != nil {
		return err
	}
	if strings.HasSuffix(out, ".gz") {
		if text, err = compress(text); err != nil {
			return err
		}
	}
	return os.WriteFile(out, text, 0o644)
}

// kubernetesRelease returns the Kubernetes release of a version of k8s.io/api: 1.37 for v0.37.2.
func kubernetesRelease(version string) (string, error) {
	minor, found := strings.CutPrefix(version, "v0.")
	minor, _, ok := strings.Cut(minor, ".")
	if !found || !ok {
		return "", fmt.Errorf("invalid version %q of k8s.io/api: expected a version such as v0.37.2", version)
	}
	return "1." + minor, nil
}

func encode(f file) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// compress returns the text in the gzip format. The header contains neither a name nor a time, so that the same text
// always gives the same bytes.
func compress(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
