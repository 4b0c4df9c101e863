package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// markerLine splits a marker into its name and the rest of the line.
var markerLine = regexp.MustCompile(`^\+([A-Za-z][A-Za-z0-9_:.-]*)(.*)$`)

// notAboutDocuments has the names of markers for code generators. These markers do not affect documents.
var notAboutDocuments = []string{
	"genclient", "groupName", "protobuf",
	"k8s:conversion-gen", "k8s:deepcopy-gen", "k8s:defaulter-gen", "k8s:openapi-gen", "k8s:openapi-model-package",
	"k8s:prerelease-lifecycle-gen", "k8s:protobuf-gen", "k8s:validation-gen",
}

// readMarkers returns the markers in comments, in the order of the source.
func readMarkers(groups ...*ast.CommentGroup) []marker {
	var markers []marker
	for _, group := range groups {
		if group == nil {
			continue
		}
		for _, comment := range group.List {
			text, isLine := strings.CutPrefix(comment.Text, "//")
			if !isLine {
				continue
			}
			match := markerLine.FindStringSubmatch(strings.TrimSpace(text))
			if match == nil || isForGenerators(match[1]) {
				continue
			}
			markers = append(markers, marker{Name: match[1], Value: strings.TrimSpace(match[2])})
		}
	}
	return markers
}

func isForGenerators(name string) bool {
	return slices.ContainsFunc(notAboutDocuments, func(noise string) bool {
		rest, found := strings.CutPrefix(name, noise)
		return found && (rest == "" || rest[0] == ':' || rest[0] == '-' || noise == "protobuf")
	})
}

// commentsOfType returns the comments with the markers of a type: its doc comment, and the comment that one empty line
// separates from the doc comment. Kubernetes generators use the same rule.
func commentsOfType(files *token.FileSet, file *ast.File, declaration *ast.GenDecl, spec *ast.TypeSpec) []*ast.CommentGroup {
	doc := spec.Doc
	first := spec.Pos()
	if doc == nil && !declaration.Lparen.IsValid() {
		doc = declaration.Doc
		first = declaration.Pos()
	}
	if doc != nil {
		first = doc.Pos()
	}
	line := files.Position(first).Line
	for _, group := range file.Comments {
		if files.Position(group.End()).Line == line-2 {
			return []*ast.CommentGroup{group, doc}
		}
	}
	return []*ast.CommentGroup{doc}
}

func hasMarker(markers []marker, name string) bool {
	return slices.ContainsFunc(markers, func(m marker) bool { return m.Name == name })
}

// markerValues returns the values, without the equals sign, of all markers with one of these names.
func markerValues(markers []marker, names ...string) []string {
	var values []string
	for _, m := range markers {
		if value, ok := strings.CutPrefix(m.Value, "="); ok && slices.Contains(names, m.Name) {
			values = append(values, value)
		}
	}
	return values
}
