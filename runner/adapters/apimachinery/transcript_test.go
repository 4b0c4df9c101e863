package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The conversation in the guide is the one that takes place.
func TestTranscriptOfTheProtocolPage(t *testing.T) {
	page, err := os.ReadFile("../../../guide/src/adapter/conversation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```transcript\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the page has no transcript")
	}
	var sent []string
	var expected []string
	for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
		switch {
		case strings.HasPrefix(line, "→ "):
			sent = append(sent, strings.TrimPrefix(line, "→ "))
		case strings.HasPrefix(line, "← "):
			expected = append(expected, strings.TrimPrefix(line, "← "))
		default:
			t.Fatalf("neither sent nor received: %s", line)
		}
	}
	received := converse(t, sent...)
	if len(received) != len(expected) {
		t.Fatalf("%d replies, the page has %d:\n%s", len(received), len(expected), strings.Join(received, "\n"))
	}
	for i := range expected {
		if received[i] != expected[i] {
			t.Errorf("reply %d\n is   %s\n page %s", i, received[i], expected[i])
		}
	}
}

// converse feeds lines to a server and returns the lines that it answers.
func converse(t *testing.T, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	if err := newServer(in, &out, "v0.37.2", 1<<20).Serve(); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

const startLine = `{"kind":"start","protocol":1}`

// podSchema has a field for every way in which the library treats a field.
const podSchema = `{"components":{"schemas":{
  "Pod":{"type":"object","properties":{
    "count":{"type":"integer"},
    "labels":{"type":"object","additionalProperties":{"type":"string"}},
    "metadata":{"$ref":"#/components/schemas/Meta"},
    "meta":{"allOf":[{"$ref":"#/components/schemas/Meta"}],"default":{}},
    "pointed":{"allOf":[{"$ref":"#/components/schemas/Meta"}],"x-skewer-go-pointer":true},
    "bytes":{"type":"string","format":"byte"},
    "whole":{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-patch-strategy":"replace"},
    "retained":{"$ref":"#/components/schemas/Meta","x-kubernetes-patch-strategy":"retainKeys"},
    "items":{"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/Item"}]},
      "x-kubernetes-patch-strategy":"merge,retainKeys","x-kubernetes-patch-merge-key":"name"},
    "keyless":{"type":"array","items":{"$ref":"#/components/schemas/Item"},"x-kubernetes-patch-strategy":"merge"},
    "scalars":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"},
    "atomic":{"type":"array","items":{"type":"string"}},
    "matrix":{"type":"array","items":{"type":"array","items":{"type":"string"}}},
    "contrary":{"type":"object","properties":{},"x-kubernetes-patch-strategy":"merge,replace"},
    "named":{"$ref":"#/components/schemas/Items","x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name"},
    "dangling":{"$ref":"#/components/schemas/Nowhere"}
  }},
  "Meta":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"name":{"type":"string"}}},
  "Item":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"},
    "args":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"}}},
  "Items":{"type":"array","items":{"$ref":"#/components/schemas/Item"}},
  "Alias":{"$ref":"#/components/schemas/Meta"},
  "Loop":{"$ref":"#/components/schemas/Loop"},
  "Tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}}}}
}}}`

func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// answer is the decoded reply to one request.
type answer struct {
	Kind    string          `json:"kind"`
	Seq     *int64          `json:"seq"`
	Result  json.RawMessage `json:"result"`
	Error   refusal         `json:"error"`
	Reason  string          `json:"reason"`
	Message string          `json:"message"`
}

// ask sends one run request, of which rest are the members after "operation", and returns the reply.
func ask(t *testing.T, operation, rest string) answer {
	t.Helper()
	line := `{"kind":"run","seq":3,"operation":"` + operation + `"`
	if rest != "" {
		line += "," + rest
	}
	replies := converse(t, startLine, compact(t, line+"}"))
	if len(replies) != 2 {
		t.Fatalf("one request, but the replies are %q", replies)
	}
	var a answer
	if err := json.Unmarshal([]byte(replies[1]), &a); err != nil {
		t.Fatalf("%v in %s", err, replies[1])
	}
	if a.Seq == nil || *a.Seq != 3 {
		t.Fatalf("the reply has another seq: %s", replies[1])
	}
	return a
}

// askPod asks for an operation on documents of type Pod.
func askPod(t *testing.T, operation, documents, more string) answer {
	t.Helper()
	return ask(t, operation, `"schema":{"root":"Pod","openapi":`+podSchema+`},"documents":`+documents+more)
}

func expectResult(t *testing.T, a answer, expected string) {
	t.Helper()
	if a.Kind != "result" {
		t.Fatalf("expected the result %s, but got %+v", expected, a)
	}
	var is, want any
	if err := json.Unmarshal(a.Result, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(expected), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(is, want) {
		t.Errorf("result\n is       %s\n expected %s", a.Result, expected)
	}
}
