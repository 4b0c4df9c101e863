package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kind is a type that is registered in a scheme.
type kind struct {
	group, version, kind string
	object               *types.TypeName
}

// apiVersionAndKind returns the value of the marker k8s:gvk: apps/v1/Deployment, v1/Pod.
func (k kind) apiVersionAndKind() string {
	return path.Join(k.group, k.version, k.kind)
}

// findKinds returns the kinds that the packages of k8s.io/api register, sorted by package.
func findKinds(l *loader) ([]kind, error) {
	var kinds []kind
	root := l.dirs[apiPath]
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "register.go")); err != nil {
			return nil
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		p, err := l.load(path.Join(apiPath, filepath.ToSlash(rel)))
		if err != nil {
			return err
		}
		registered, err := p.registeredKinds(l)
		if err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		kinds = append(kinds, registered...)
		return nil
	})
	return kinds, err
}

// registeredKinds reads the calls of Scheme.AddKnownTypes, which all have the form
//
//	scheme.AddKnownTypes(SchemeGroupVersion, &Deployment{}, &DeploymentList{})
func (p *loaded) registeredKinds(l *loader) ([]kind, error) {
	var kinds []kind
	var failure error
	for _, file := range p.syntax {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || failure != nil {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !strings.HasPrefix(method.Sel.Name, "AddKnownType") {
				return true
			}
			found, err := p.kindsOfCall(l, file, method.Sel.Name, call.Args)
			if err != nil {
				failure = fmt.Errorf("line %d: %w", l.files.Position(call.Pos()).Line, err)
			}
			kinds = append(kinds, found...)
			return true
		})
	}
	return kinds, failure
}

func (p *loaded) kindsOfCall(l *loader, file *ast.File, method string, args []ast.Expr) ([]kind, error) {
	if method != "AddKnownTypes" || len(args) < 1 {
		return nil, fmt.Errorf("%s is not supported", method)
	}
	variable, ok := args[0].(*ast.Ident)
	if !ok {
		return nil, fmt.Errorf("the first argument of %s is not a variable", method)
	}
	group, version, err := p.groupVersion(variable.Name)
	if err != nil {
		return nil, err
	}
	var kinds []kind
	for _, arg := range args[1:] {
		address, ok := arg.(*ast.UnaryExpr)
		if !ok || address.Op != token.AND {
			return nil, fmt.Errorf("an argument of %s is not supported", method)
		}
		literal, ok := address.X.(*ast.CompositeLit)
		if !ok {
			return nil, fmt.Errorf("an argument of %s is not supported", method)
		}
		object, err := p.resolve(l, file, literal.Type)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind{group, version, object.Name(), object})
	}
	return kinds, nil
}

// resolve returns the type that an expression in a file refers to: Deployment, or metav1.Status.
func (p *loaded) resolve(l *loader, file *ast.File, expression ast.Expr) (*types.TypeName, error) {
	in := p.types
	var name string
	switch e := expression.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
		qualifier, ok := e.X.(*ast.Ident)
		if !ok {
			return nil, fmt.Errorf("the type of %s is not supported", name)
		}
		imported, err := importedAs(file, qualifier.Name)
		if err != nil {
			return nil, err
		}
		from, err := l.load(imported)
		if err != nil {
			return nil, err
		}
		in = from.types
	}
	object, ok := in.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("unknown type %q", name)
	}
	return object, nil
}

func importedAs(file *ast.File, name string) (string, error) {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return "", err
		}
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(importPath) == name {
			return importPath, nil
		}
	}
	return "", fmt.Errorf("%s is not imported", name)
}

// groupVersion evaluates a variable of the form
//
//	var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
func (p *loaded) groupVersion(variable string) (group, version string, err error) {
	value := p.variable(variable)
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return "", "", fmt.Errorf("%s is not a literal", variable)
	}
	parts := map[string]string{}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return "", "", fmt.Errorf("%s is not supported", variable)
		}
		key, ok := pair.Key.(*ast.Ident)
		if !ok {
			return "", "", fmt.Errorf("%s is not supported", variable)
		}
		switch value := pair.Value.(type) {
		case *ast.BasicLit:
			parts[key.Name], err = strconv.Unquote(value.Value)
		case *ast.Ident:
			parts[key.Name], err = p.stringConstant(value.Name)
		default:
			err = fmt.Errorf("%s of %s is not supported", key.Name, variable)
		}
		if err != nil {
			return "", "", err
		}
	}
	if parts["Version"] == "" {
		return "", "", fmt.Errorf("%s has no version", variable)
	}
	return parts["Group"], parts["Version"], nil
}

// variable returns the initial value of a variable of the package.
func (p *loaded) variable(name string) ast.Expr {
	for _, file := range p.syntax {
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.VAR {
				continue
			}
			for _, spec := range general.Specs {
				values := spec.(*ast.ValueSpec)
				at := slices.IndexFunc(values.Names, func(ident *ast.Ident) bool { return ident.Name == name })
				if at >= 0 && at < len(values.Values) {
					return values.Values[at]
				}
			}
		}
	}
	return nil
}

func (p *loaded) stringConstant(name string) (string, error) {
	object, ok := p.types.Scope().Lookup(name).(*types.Const)
	if !ok || object.Val().Kind() != constant.String {
		return "", fmt.Errorf("%s is not a string constant", name)
	}
	return constant.StringVal(object.Val()), nil
}
