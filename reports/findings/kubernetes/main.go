// Command kubernetes says what Kubernetes does with the inputs of the findings: strategic merge patch and the three-way
// merge of kubectl apply, with the Go types of k8s.io/api.
//
//	kubernetes OBJECT PATCH     prints the patched object; both files and the output are YAML
//	kubernetes                  answers requests; requests and replies are JSON, one on each line
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// request has the documents of one operation. With lastApplied and modified, the client first creates the patch.
type request struct {
	Live        json.RawMessage `json:"live"`
	Patch       json.RawMessage `json:"patch"`
	LastApplied json.RawMessage `json:"lastApplied"`
	Modified    json.RawMessage `json:"modified"`
}

type reply struct {
	Patch  json.RawMessage `json:"patch,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func main() {
	if len(os.Args) == 3 {
		patchFile(os.Args[1], os.Args[2])
		return
	}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		var r request
		answer := reply{}
		err := json.Unmarshal(input.Bytes(), &r)
		if err == nil {
			answer, err = r.run()
		}
		if err != nil {
			answer = reply{Error: err.Error()}
		}
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// patchFile prints the patched object, or the error.
func patchFile(object, patch string) {
	live, err := readYAML(object)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	body, err := readYAML(patch)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answer, err := (&request{Live: live, Patch: body}).run()
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	text, err := yaml.JSONToYAML(answer.Result)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(string(text))
}

func readYAML(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(text)
}

func (r *request) run() (reply, error) {
	object, err := goType(r.Live)
	if runtime.IsNotRegisteredError(err) && r.Modified != nil {
		// As kubectl does for a custom resource.
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(r.LastApplied, r.Modified, r.Live)
		return reply{Patch: patch}, err
	}
	if err != nil {
		return reply{}, err
	}
	answer := reply{}
	patch := r.Patch
	if r.Modified != nil {
		metadata, err := strategicpatch.NewPatchMetaFromStruct(object)
		if err != nil {
			return reply{}, err
		}
		patch, err = strategicpatch.CreateThreeWayMergePatch(r.LastApplied, r.Modified, r.Live, metadata, true)
		if err != nil {
			return reply{}, err
		}
		answer.Patch = patch
	}
	answer.Result, err = strategicpatch.StrategicMergePatch(r.Live, patch, object)
	return answer, err
}

// goType returns an empty object of the type of a document.
func goType(document []byte) (runtime.Object, error) {
	var header struct{ APIVersion, Kind string }
	if err := json.Unmarshal(document, &header); err != nil {
		return nil, err
	}
	return scheme.Scheme.New(schema.FromAPIVersionAndKind(header.APIVersion, header.Kind))
}
