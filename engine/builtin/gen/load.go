package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// moduleDirs maps the paths of the modules that declare types to their folders.
type moduleDirs map[string]string

// download fetches a version of k8s.io/api and the version of k8s.io/apimachinery that it requires.
func download(version string) (moduleDirs, error) {
	api, err := moduleDir(apiPath, version)
	if err != nil {
		return nil, err
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := runGo(&mod, "mod", "edit", "-json", filepath.Join(api, "go.mod")); err != nil {
		return nil, err
	}
	for _, required := range mod.Require {
		if required.Path == machineryPath {
			machinery, err := moduleDir(machineryPath, required.Version)
			return moduleDirs{apiPath: api, machineryPath: machinery}, err
		}
	}
	return nil, fmt.Errorf("%s %s does not require %s", apiPath, version, machineryPath)
}

func moduleDir(module, version string) (string, error) {
	var info struct{ Dir string }
	if err := runGo(&info, "mod", "download", "-json", module+"@"+version); err != nil {
		return "", err
	}
	return info.Dir, nil
}

// runGo runs the go command and decodes the JSON that it prints.
func runGo(v any, args ...string) error {
	var stdout, stderr bytes.Buffer
	command := exec.Command("go", args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, stderr.Bytes(), stdout.Bytes())
	}
	return json.Unmarshal(stdout.Bytes(), v)
}

// loader type-checks packages from source, without function bodies and without generated files. It treats packages
// outside of the modules in dirs as empty. The file convert.go knows the few relevant types of these packages by name.
type loader struct {
	dirs     moduleDirs
	files    *token.FileSet
	packages map[string]*loaded
}

// loaded is a type-checked package with its syntax.
type loaded struct {
	types  *types.Package
	syntax []*ast.File
	info   *types.Info
}

func newLoader(dirs moduleDirs) *loader {
	return &loader{dirs: dirs, files: token.NewFileSet(), packages: map[string]*loaded{}}
}

// Import implements types.Importer.
func (l *loader) Import(importPath string) (*types.Package, error) {
	p, err := l.load(importPath)
	if err != nil {
		return nil, err
	}
	return p.types, nil
}

func (l *loader) load(importPath string) (*loaded, error) {
	if p, ok := l.packages[importPath]; ok {
		return p, nil
	}
	dir, ok := l.dir(importPath)
	if !ok {
		empty := types.NewPackage(importPath, path.Base(importPath))
		empty.MarkComplete()
		l.packages[importPath] = &loaded{types: empty}
		return l.packages[importPath], nil
	}
	syntax, err := l.parse(dir)
	if err != nil {
		return nil, err
	}
	p := &loaded{syntax: syntax, info: &types.Info{Defs: map[*ast.Ident]types.Object{}}}
	config := types.Config{
		IgnoreFuncBodies: true,
		Importer:         l,
		// Names of packages that are treated as empty do not resolve. If the type of a field is one of them,
		// convert.go reports an invalid type.
		Error: func(error) {},
	}
	p.types, _ = config.Check(importPath, l.files, syntax, p.info)
	l.packages[importPath] = p
	return p, nil
}

func (l *loader) dir(importPath string) (string, bool) {
	for module, dir := range l.dirs {
		if rest, ok := strings.CutPrefix(importPath, module+"/"); ok {
			return filepath.Join(dir, filepath.FromSlash(rest)), true
		}
	}
	return "", false
}

func (l *loader) parse(dir string) ([]*ast.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var syntax []*ast.File
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || isGenerated(name) {
			continue
		}
		if match, err := build.Default.MatchFile(dir, name); err != nil || !match {
			continue
		}
		file, err := parser.ParseFile(l.files, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		syntax = append(syntax, file)
	}
	return syntax, nil
}

// isGenerated recognises files that Kubernetes generators have written. They contain methods and no types.
func isGenerated(name string) bool {
	return strings.HasPrefix(name, "zz_generated.") || strings.HasPrefix(name, "generated.") ||
		strings.HasSuffix(name, "_swagger_doc_generated.go")
}
