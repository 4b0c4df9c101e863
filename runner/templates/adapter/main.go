// The program example-adapter is an adapter for JSON merge patch (RFC 7386). Let apply call your implementation.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

type message map[string]any

type request struct {
	Kind      string         `json:"kind"`
	Seq       json.Number    `json:"seq"`
	Documents map[string]any `json:"documents"`
}

func apply(live, patch any) any {
	changes, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	result := map[string]any{}
	if object, isObject := live.(map[string]any); isObject {
		for key, value := range object {
			result[key] = value
		}
	}
	for key, value := range changes {
		if value == nil {
			delete(result, key)
		} else {
			result[key] = apply(result[key], value)
		}
	}
	return result
}

func replyTo(request request) message {
	if request.Kind == "start" {
		supports := message{"operations": []string{"json-merge-apply"}}
		return message{"kind": "started", "protocol": 1, "name": "example-adapter", "version": "1", "supports": supports}
	}
	live, isGiven := request.Documents["live"]
	if !isGiven {
		live = map[string]any{}
	}
	patch := request.Documents["patch"]
	switch patch.(type) {
	case map[string]any, []any:
		if live != nil {
			return message{"kind": "result", "seq": request.Seq, "result": apply(live, patch)}
		}
	}
	problem := message{"kind": "invalid-document", "message": "the patch must be an object or a list"}
	return message{"kind": "refused", "seq": request.Seq, "error": problem}
}

// read decodes a line. Numbers keep the digits that they have in the text.
func read(line []byte) (request, error) {
	var request request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	err := decoder.Decode(&request)
	return request, err
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		request, err := read(line)
		if err == nil && request.Kind == "stop" {
			return
		}
		if err == nil {
			err = output.Encode(replyTo(request))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
