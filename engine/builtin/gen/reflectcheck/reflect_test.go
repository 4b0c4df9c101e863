// Package reflectcheck compares the generated declarations with the types that k8s.io/api registers, as the package
// reflect describes them. The generator only reads source code. This test links all of k8s.io/api, which takes minutes,
// and is therefore a separate module.
package reflectcheck

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

type declared struct {
	Module       string `json:"module"`
	Declarations struct {
		Types []declaredType `json:"types"`
	} `json:"declarations"`
}

type declaredType struct {
	Name  string `json:"name"`
	Shape struct {
		Struct []declaredField  `json:"struct"`
		Enum   *json.RawMessage `json:"enum"`
		Alias  any              `json:"alias"`
	} `json:"shape"`
	Markers []struct{ Name, Value string } `json:"markers"`
}

type declaredField struct {
	Name      string `json:"name"`
	GoName    string `json:"goName"`
	Type      any    `json:"type"`
	Inline    bool   `json:"inline"`
	OmitEmpty bool   `json:"omitEmpty"`
	OmitZero  bool   `json:"omitZero"`
	Patch     struct {
		Strategies []string `json:"strategies"`
		MergeKey   []string `json:"mergeKey"`
	} `json:"patch"`
}

func readDeclared(t *testing.T) declared {
	t.Helper()
	name := os.Getenv("DECLARATIONS")
	if name == "" {
		name = "../../kubernetes-1.37.json.gz"
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var d declared
	if err := json.NewDecoder(unzipped).Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeclarationsAreWhatReflectionSees(t *testing.T) {
	byName := map[string]declaredType{}
	declaredKinds := map[string]string{}
	for _, decl := range readDeclared(t).Declarations.Types {
		byName[decl.Name] = decl
		for _, marker := range decl.Markers {
			if marker.Name == "k8s:gvk" {
				declaredKinds[marker.Value] = decl.Name
			}
		}
	}

	scheme := runtime.NewScheme()
	for _, add := range groups {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := checker{t: t, declared: byName, seen: map[reflect.Type]bool{}}
	kinds := 0
	for gvk, goType := range scheme.AllKnownTypes() {
		// Each group version also registers the options of requests, and some register types that only discovery uses.
		if !strings.HasPrefix(goType.PkgPath(), "k8s.io/api/") && gvk.Kind != "Status" {
			continue
		}
		kinds++
		key := path.Join(gvk.Group, gvk.Version, gvk.Kind)
		if declaredKinds[key] != nameOf(goType) {
			t.Errorf("%s is declared as %q, but is registered as %s", key, declaredKinds[key], nameOf(goType))
		}
		c.check(goType)
	}
	if kinds != len(declaredKinds) {
		t.Errorf("%d kinds are declared, but the scheme has %d", len(declaredKinds), kinds)
	}
	reached := map[string]bool{}
	for goType := range c.seen {
		reached[nameOf(goType)] = true
	}
	for name := range byName {
		if !reached[name] {
			t.Errorf("%s is declared, but no kind refers to it", name)
		}
	}
	t.Logf("%d kinds, %d types, %d fields", kinds, len(c.seen), c.fields)
}

// checker visits all types that the kinds refer to.
type checker struct {
	t        *testing.T
	declared map[string]declaredType
	seen     map[reflect.Type]bool
	fields   int
}

func (c *checker) check(goType reflect.Type) {
	if c.seen[goType] {
		return
	}
	c.seen[goType] = true
	name := nameOf(goType)
	decl, ok := c.declared[name]
	switch {
	case !ok:
		c.t.Errorf("%s is not declared", name)
	case goType.Kind() == reflect.Struct:
		c.checkFields(name, goType, decl.Shape.Struct)
	case decl.Shape.Enum != nil:
		if goType.Kind() != reflect.String {
			c.t.Errorf("%s is declared as an enum, but is a %s", name, goType.Kind())
		}
	default:
		if is := c.expression(goType, true); !reflect.DeepEqual(is, decl.Shape.Alias) {
			c.t.Errorf("%s is declared as %v, but is %v", name, decl.Shape.Alias, is)
		}
	}
}

func (c *checker) checkFields(name string, goType reflect.Type, declared []declaredField) {
	var fields []declaredField
	for i := range goType.NumField() {
		field := goType.Field(i)
		tag := field.Tag.Get("json")
		if tag == "-" || !field.IsExported() {
			continue
		}
		jsonName, options, _ := strings.Cut(tag, ",")
		is := declaredField{
			Name:      jsonName,
			GoName:    field.Name,
			Type:      c.expression(field.Type, false),
			Inline:    jsonName == "" && field.Anonymous,
			OmitEmpty: strings.Contains(options, "omitempty"),
			OmitZero:  strings.Contains(options, "omitzero"),
		}
		if jsonName == "" && !field.Anonymous {
			is.Name = field.Name
		}
		if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
			is.Patch.Strategies = strings.Split(strategy, ",")
		}
		if key := field.Tag.Get("patchMergeKey"); key != "" {
			is.Patch.MergeKey = []string{key}
		}
		fields = append(fields, is)
	}
	c.fields += len(fields)
	if len(fields) != len(declared) {
		c.t.Errorf("%s has %d fields, but %d are declared", name, len(fields), len(declared))
		return
	}
	for i := range fields {
		if !reflect.DeepEqual(fields[i], declared[i]) {
			c.t.Errorf("%s: declared %+v, but is %+v", name, declared[i], fields[i])
		}
	}
}

var scalars = map[string]string{
	"meta/v1.Time": "time", "meta/v1.MicroTime": "microTime", "meta/v1.Duration": "duration",
	"resource.Quantity": "quantity", "intstr.IntOrString": "intOrString",
}

const rawExtension = "runtime.RawExtension"

var anyDocument = []string{"meta/v1.FieldsV1"}

// expression returns the form of a type in the declarations, as decoded JSON.
func (c *checker) expression(goType reflect.Type, atDeclaration bool) any {
	if goType.PkgPath() != "" && !atDeclaration {
		name := nameOf(goType)
		if scalar, ok := scalars[name]; ok {
			return map[string]any{"scalar": scalar}
		}
		if name == rawExtension {
			return "rawExtension"
		}
		if slices.Contains(anyDocument, name) || goType.Kind() == reflect.Interface {
			return "any"
		}
		c.check(goType)
		return map[string]any{"named": name}
	}
	switch goType.Kind() {
	case reflect.String:
		return map[string]any{"scalar": "string"}
	case reflect.Bool:
		return map[string]any{"scalar": "boolean"}
	case reflect.Int32:
		return map[string]any{"scalar": "int32"}
	case reflect.Int64:
		return map[string]any{"scalar": "integer"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"scalar": "number"}
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"scalar": "bytes"}
		}
		return map[string]any{"list": c.expression(goType.Elem(), false)}
	case reflect.Map:
		return map[string]any{"map": c.expression(goType.Elem(), false)}
	case reflect.Pointer:
		return map[string]any{"pointer": c.expression(goType.Elem(), false)}
	default:
		return fmt.Sprintf("a Go %s", goType.Kind())
	}
}

// nameOf returns the name of a type according to the naming rule in ../../README.md.
func nameOf(goType reflect.Type) string {
	short := path.Base(goType.PkgPath())
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/apimachinery/pkg/apis/"} {
		if rest, ok := strings.CutPrefix(goType.PkgPath(), prefix); ok {
			short = rest
		}
	}
	return short + "." + goType.Name()
}
