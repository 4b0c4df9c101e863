package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path"
	"reflect"
	"slices"
	"strings"
)

// special has the types that implement their own JSON encoding, so that their documents do not follow their Go fields.
var special = map[string]typeExpr{
	machineryPath + "/pkg/apis/meta/v1.Time":       {scalar: "time"},
	machineryPath + "/pkg/apis/meta/v1.MicroTime":  {scalar: "microTime"},
	machineryPath + "/pkg/apis/meta/v1.Duration":   {scalar: "duration"},
	machineryPath + "/pkg/apis/meta/v1.FieldsV1":   {},
	machineryPath + "/pkg/runtime.RawExtension":    {raw: true},
	machineryPath + "/pkg/api/resource.Quantity":   {scalar: "quantity"},
	machineryPath + "/pkg/util/intstr.IntOrString": {scalar: "intOrString"},
}

// converter converts the registered kinds, and all types that they refer to, into declarations.
type converter struct {
	loader *loader
	done   map[string]*typeDecl
	queue  []*types.TypeName
}

// declare returns the declarations of all registered kinds and of the types that they refer to, sorted by name.
func declare(dirs moduleDirs) ([]typeDecl, error) {
	l := newLoader(dirs)
	kinds, err := findKinds(l)
	if err != nil {
		return nil, err
	}
	c := converter{loader: l, done: map[string]*typeDecl{}}
	gvks := map[string][]marker{}
	for _, k := range kinds {
		name := c.name(k.object)
		gvks[name] = append(gvks[name], marker{Name: "k8s:gvk", Value: k.apiVersionAndKind()})
	}
	for len(c.queue) > 0 {
		object := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.declareOne(object); err != nil {
			return nil, fmt.Errorf("%s: %w", declaredName(object), err)
		}
	}
	declared := make([]typeDecl, 0, len(c.done))
	for name, decl := range c.done {
		slices.SortFunc(gvks[name], func(a, b marker) int { return cmp.Compare(a.Value, b.Value) })
		decl.Markers = append(gvks[name], decl.Markers...)
		declared = append(declared, *decl)
	}
	slices.SortFunc(declared, func(a, b typeDecl) int { return cmp.Compare(a.Name, b.Name) })
	return declared, nil
}

// name returns the name of a type's declaration and queues the type for conversion.
func (c *converter) name(object *types.TypeName) string {
	name := declaredName(object)
	if _, known := c.done[name]; !known {
		c.done[name] = &typeDecl{Name: name}
		c.queue = append(c.queue, object)
	}
	return name
}

// declaredName returns the name of a type in the declarations: apps/v1.Deployment for k8s.io/api/apps/v1,
// meta/v1.ObjectMeta for k8s.io/apimachinery/pkg/apis/meta/v1, and types.UID for k8s.io/apimachinery/pkg/types.
func declaredName(object *types.TypeName) string {
	importPath := object.Pkg().Path()
	short := path.Base(importPath)
	for _, prefix := range []string{apiPath + "/", machineryPath + "/pkg/apis/"} {
		if rest, ok := strings.CutPrefix(importPath, prefix); ok {
			short = rest
		}
	}
	return short + "." + object.Name()
}

func (c *converter) declareOne(object *types.TypeName) error {
	decl := c.done[declaredName(object)]
	p, err := c.loader.load(object.Pkg().Path())
	if err != nil {
		return err
	}
	source, err := p.find(c.loader.files, object)
	if err != nil {
		return err
	}
	decl.Markers = source.markers
	switch underlying := object.Type().Underlying().(type) {
	case *types.Struct:
		fields, err := c.fields(underlying, source.fields, p)
		if err != nil {
			return err
		}
		decl.Shape.Struct = &fields
		return nil
	case *types.Basic:
		if values := p.stringConstants(object.Type()); underlying.Kind() == types.String && len(values) > 0 {
			closed := hasMarker(source.markers, "enum") || hasMarker(source.markers, "k8s:enum")
			decl.Shape.Enum = &enum{Values: values, Closed: closed}
			return nil
		}
	}
	alias, err := c.expression(object.Type().Underlying())
	decl.Shape.Alias = &alias
	return err
}

// source has the markers of a type declaration in the source code.
type source struct {
	markers []marker
	// fields maps the Go names of a struct's fields to their markers.
	fields map[string][]marker
}

func (p *loaded) find(files *token.FileSet, object *types.TypeName) (source, error) {
	for _, file := range p.syntax {
		for _, declaration := range file.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				spec := spec.(*ast.TypeSpec)
				if p.info.Defs[spec.Name] != object {
					continue
				}
				found := source{
					markers: readMarkers(commentsOfType(files, file, general, spec)...),
					fields:  map[string][]marker{},
				}
				if body, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range body.Fields.List {
						for _, name := range goNames(field) {
							found.fields[name] = readMarkers(field.Doc)
						}
					}
				}
				return found, nil
			}
		}
	}
	return source{}, fmt.Errorf("no source found")
}

// goNames returns the names of a field declaration. An embedded field has the name of its type.
func goNames(field *ast.Field) []string {
	var names []string
	for _, ident := range field.Names {
		names = append(names, ident.Name)
	}
	if len(names) > 0 {
		return names
	}
	embedded := field.Type
	if star, ok := embedded.(*ast.StarExpr); ok {
		embedded = star.X
	}
	switch e := embedded.(type) {
	case *ast.Ident:
		return []string{e.Name}
	case *ast.SelectorExpr:
		return []string{e.Sel.Name}
	}
	return nil
}

func (c *converter) fields(t *types.Struct, markers map[string][]marker, p *loaded) ([]fieldDecl, error) {
	fields := []fieldDecl{}
	for i := range t.NumFields() {
		field := t.Field(i)
		tag := reflect.StructTag(t.Tag(i))
		json := tag.Get("json")
		name, tagOptions, _ := strings.Cut(json, ",")
		if !field.Exported() || json == "-" {
			continue
		}
		expression, err := c.expression(field.Type())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name(), err)
		}
		decl := fieldDecl{
			Name:    name,
			GoName:  field.Name(),
			Type:    expression,
			Patch:   readPatchMeta(tag, markers[field.Name()]),
			Markers: markers[field.Name()],
		}
		for option := range strings.SplitSeq(tagOptions, ",") {
			decl.OmitEmpty = decl.OmitEmpty || option == "omitempty"
			decl.OmitZero = decl.OmitZero || option == "omitzero"
			if option == "string" {
				return nil, fmt.Errorf("%s: the JSON option %q is not supported", field.Name(), option)
			}
		}
		if name == "" {
			decl.Inline = field.Embedded()
			if !decl.Inline {
				decl.Name = field.Name()
			}
		}
		decl.Required = readRequired(decl.Markers)
		if decl.Default, err = p.readDefault(decl.Markers); err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name(), err)
		}
		fields = append(fields, decl)
	}
	return fields, nil
}

func (c *converter) expression(t types.Type) (typeExpr, error) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		object := t.Obj()
		if object.Pkg() == nil {
			return typeExpr{}, fmt.Errorf("type %s cannot be in a document", object.Name())
		}
		if known, ok := special[object.Pkg().Path()+"."+object.Name()]; ok {
			return known, nil
		}
		if types.IsInterface(t) {
			return typeExpr{}, nil
		}
		return typeExpr{named: c.name(object)}, nil
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsString != 0:
			return typeExpr{scalar: "string"}, nil
		case info&types.IsBoolean != 0:
			return typeExpr{scalar: "boolean"}, nil
		case t.Kind() == types.Int32:
			return typeExpr{scalar: "int32"}, nil
		case t.Kind() == types.Int64:
			return typeExpr{scalar: "integer"}, nil
		case info&types.IsFloat != 0:
			return typeExpr{scalar: "number"}, nil
		}
	case *types.Slice:
		if element, ok := t.Elem().(*types.Basic); ok && element.Kind() == types.Byte {
			return typeExpr{scalar: "bytes"}, nil
		}
		item, err := c.expression(t.Elem())
		return typeExpr{list: &item}, err
	case *types.Map:
		key, ok := t.Key().Underlying().(*types.Basic)
		if !ok || key.Kind() != types.String {
			return typeExpr{}, fmt.Errorf("a map with keys of type %s cannot be in a document", t.Key())
		}
		value, err := c.expression(t.Elem())
		return typeExpr{mapOf: &value}, err
	case *types.Pointer:
		target, err := c.expression(t.Elem())
		return typeExpr{pointer: &target}, err
	case *types.Interface:
		return typeExpr{}, nil
	}
	return typeExpr{}, fmt.Errorf("type %s is not supported", t)
}

// stringConstants returns the constants of a string type in the order of the source. Of several constants with the same
// value it returns the first one.
func (p *loaded) stringConstants(of types.Type) []enumValue {
	var constants []*types.Const
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), of) && c.Val().Kind() == constant.String {
			constants = append(constants, c)
		}
	}
	slices.SortFunc(constants, func(a, b *types.Const) int { return cmp.Compare(a.Pos(), b.Pos()) })
	var values []enumValue
	for _, c := range constants {
		value := constant.StringVal(c.Val())
		if !slices.ContainsFunc(values, func(known enumValue) bool { return known.Value == value }) {
			values = append(values, enumValue{Name: c.Name(), Value: value})
		}
	}
	return values
}

func readPatchMeta(tag reflect.StructTag, markers []marker) *patchMeta {
	meta := patchMeta{
		Strategies: strings.FieldsFunc(tag.Get("patchStrategy"), func(r rune) bool { return r == ',' || r == '|' }),
		MergeKey:   strings.FieldsFunc(tag.Get("patchMergeKey"), func(r rune) bool { return r == ',' }),
	}
	if values := markerValues(markers, "listType", "k8s:listType"); len(values) > 0 {
		meta.ListType = values[0]
	}
	for _, key := range markerValues(markers, "listMapKey", "k8s:listMapKey") {
		if !slices.Contains(meta.ListMapKeys, key) {
			meta.ListMapKeys = append(meta.ListMapKeys, key)
		}
	}
	if len(meta.Strategies)+len(meta.MergeKey)+len(meta.ListType)+len(meta.ListMapKeys) == 0 {
		return nil
	}
	return &meta
}

// readRequired reads +required and +optional. If both are missing, it reads +k8s:required and +k8s:optional. A field with
// both markers is optional, as in kube-openapi.
func readRequired(markers []marker) *bool {
	for _, prefix := range []string{"", "k8s:"} {
		required := hasMarker(markers, prefix+"required")
		if optional := hasMarker(markers, prefix+"optional"); required || optional {
			required = required && !optional
			return &required
		}
	}
	return nil
}

// readDefault reads +default. The value of the marker is JSON or ref(Constant).
func (p *loaded) readDefault(markers []marker) (json.RawMessage, error) {
	values := markerValues(markers, "default", "k8s:default")
	if len(values) == 0 {
		return nil, nil
	}
	value := values[0]
	if name, ok := strings.CutPrefix(value, "ref("); ok {
		text, err := p.stringConstant(strings.TrimSuffix(name, ")"))
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	}
	if !json.Valid([]byte(value)) {
		return nil, fmt.Errorf("+default=%s is not JSON", value)
	}
	return json.RawMessage(value), nil
}
