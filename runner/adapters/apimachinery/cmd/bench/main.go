// Command bench measures k8s.io/apimachinery on the documents that engine/BENCHMARKS.md speaks of: a Deployment with
// 5 containers of 20 environment variables each. Every operation starts from bytes and ends with bytes.
//
//	go run ./cmd/bench             # a table
//	go run ./cmd/bench -write DIR  # the documents, for other programs to measure with
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// The parts of apps/v1 Deployment that the documents use, with the patch tags of k8s.io/api: the lookup is the one
// that an API server does.
type deployment struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Replicas int64    `json:"replicas"`
		Strategy struct{} `json:"strategy,omitempty" patchStrategy:"retainKeys"`
		Template struct {
			Spec struct {
				Containers []container `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type container struct {
	Name  string          `json:"name"`
	Image string          `json:"image"`
	Env   []variable      `json:"env" patchStrategy:"merge" patchMergeKey:"name"`
	Ports []containerPort `json:"ports" patchStrategy:"merge" patchMergeKey:"containerPort"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type containerPort struct {
	ContainerPort int64  `json:"containerPort"`
	Protocol      string `json:"protocol,omitempty"`
}

// documents are what the operations are given.
type documents struct {
	// live is lastApplied with an annotation and a replica count of its own; modified changes one variable and the
	// image of every container, and drops one variable of the first; patch is the two-way patch from live to it, with
	// all its $setElementOrder; smallPatch is one as written by hand, for one variable of one container.
	live, lastApplied, modified, patch, smallPatch []byte
	// managedLive is live with its managed fields; managedNew is managedLive with the spec of modified.
	managedLive, managedNew []byte
}

const (
	containers = 5
	variables  = 20
	smallPatch = `{"spec":{"template":{"spec":{"containers":[{"name":"container-2",` +
		`"env":[{"name":"VARIABLE_07","value":"changed"}]}]}}}}`
)

func build() (documents, error) {
	object := func() *deployment {
		d := &deployment{APIVersion: "apps/v1", Kind: "Deployment"}
		d.Metadata.Name = "web"
		d.Metadata.Labels = map[string]string{"app": "web", "tier": "front"}
		d.Spec.Replicas = 3
		for i := range containers {
			c := container{
				Name:  fmt.Sprintf("container-%d", i),
				Image: fmt.Sprintf("registry.example/app-%d:1.0", i),
				Ports: []containerPort{{ContainerPort: int64(8000 + i), Protocol: "TCP"}},
			}
			for j := range variables {
				c.Env = append(c.Env, variable{fmt.Sprintf("VARIABLE_%02d", j), fmt.Sprintf("value %d of container %d", j, i)})
			}
			d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
		}
		return d
	}
	docs := documents{smallPatch: []byte(smallPatch)}
	var err error
	write := func(d *deployment) []byte {
		text, e := json.Marshal(d)
		if e != nil {
			err = e
		}
		return text
	}
	docs.lastApplied = write(object())
	live := object()
	live.Metadata.Annotations = map[string]string{"revision": "7"}
	live.Spec.Replicas = 5
	docs.live = write(live)
	modified := object()
	for i := range modified.Spec.Template.Spec.Containers {
		c := &modified.Spec.Template.Spec.Containers[i]
		c.Image = fmt.Sprintf("registry.example/app-%d:1.1", i)
		c.Env[7].Value = "changed"
		if i == 0 {
			c.Env = slices.Delete(c.Env, 11, 12)
		}
	}
	docs.modified = write(modified)
	if err != nil {
		return docs, err
	}
	docs.patch, err = strategicpatch.CreateTwoWayMergePatch(docs.live, docs.modified, deployment{})
	return docs, err
}

func main() {
	dir := flag.String("write", "", "write the documents to this folder instead")
	rounds := flag.Int("rounds", 21, "how many times as long as a round each operation is run")
	perRound := flag.Duration("round", 100*time.Millisecond, "time of a round")
	flag.Parse()
	docs, err := build()
	var manager *managedfields.FieldManager
	if err == nil {
		manager, err = fieldManager()
	}
	if err == nil {
		err = docs.addManaged(manager)
	}
	if err == nil {
		if *dir != "" {
			err = writeAll(*dir, docs)
		} else {
			err = measureAll(docs, manager, *rounds, *perRound)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func writeAll(dir string, docs documents) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"live.json": docs.live, "last-applied.json": docs.lastApplied, "modified.json": docs.modified, "patch.json": docs.patch,
		"small-patch.json": docs.smallPatch, "managed-live.json": docs.managedLive, "managed-new.json": docs.managedNew,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func measureAll(docs documents, manager *managedfields.FieldManager, rounds int, perRound time.Duration) error {
	lookup, err := strategicpatch.NewPatchMetaFromStruct(deployment{})
	if err != nil {
		return err
	}
	fmt.Printf("%-18s %12s %12s %12s\n", "operation", "median ns/op", "mean", "processor")
	for _, operation := range []struct {
		name string
		run  func() ([]byte, error)
	}{
		{"apply small", func() ([]byte, error) {
			return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(docs.live, docs.smallPatch, lookup)
		}},
		{"apply", func() ([]byte, error) {
			return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(docs.live, docs.patch, lookup)
		}},
		{"two-way", func() ([]byte, error) {
			return strategicpatch.CreateTwoWayMergePatchUsingLookupPatchMeta(docs.live, docs.modified, lookup)
		}},
		{"three-way", func() ([]byte, error) {
			return strategicpatch.CreateThreeWayMergePatch(docs.lastApplied, docs.modified, docs.live, lookup, true)
		}},
		{"server-side apply", func() ([]byte, error) {
			return serverSideApply(manager, docs.managedLive, docs.modified)
		}},
		{"managed update", func() ([]byte, error) {
			return managedUpdate(manager, docs.managedLive, docs.managedNew)
		}},
	} {
		median, mean, processor, err := measure(operation.run, rounds, perRound)
		if err != nil {
			return fmt.Errorf("%s: %w", operation.name, err)
		}
		fmt.Printf("%-18s %12d %12d %12d\n", operation.name, median, mean, processor)
	}
	return nil
}

// measure returns nanoseconds: the median of all runs, which is a run that the garbage collector seldom comes between; their
// mean, which is what testing.B reports; and the processor time of one with all that the collector does for it on other
// threads.
func measure(run func() ([]byte, error), rounds int, perRound time.Duration) (median, mean, processor int64, err error) {
	var times []int64
	before, err := processorTime()
	if err != nil {
		return 0, 0, 0, err
	}
	begin := time.Now()
	for time.Since(begin) < time.Duration(rounds)*perRound {
		started := time.Now()
		if _, err := run(); err != nil {
			return 0, 0, 0, err
		}
		times = append(times, time.Since(started).Nanoseconds())
	}
	after, err := processorTime()
	if err != nil {
		return 0, 0, 0, err
	}
	n := int64(len(times))
	var sum int64
	for _, ns := range times {
		sum += ns
	}
	slices.Sort(times)
	return times[n/2], sum / n, (after - before) / n, nil
}

// processorTime returns the nanoseconds that all threads of this process have had.
func processorTime() (int64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return usage.Utime.Nano() + usage.Stime.Nano(), nil
}
