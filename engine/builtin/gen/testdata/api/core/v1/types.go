package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/elsewhere"
)

// +genclient
// +k8s:supportsSubresource="/status"

// Widget is for tests.
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	*Source         `json:",inline"`

	// Text that is not kept.
	// +required
	//+featureGate=A
	Name string `json:"name"`
	// +optional
	// +default=ref(Red)
	Color Color `json:"color,omitempty"`
	// +k8s:optional
	// +default={"a": [1]}
	Shade *Shade `json:"shade,omitempty"`
	// +k8s:beta(since: "1.37")=+k8s:optional
	Parts []Part `json:"parts" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	// +listType=map
	// +listMapKey=a
	// +listMapKey=b
	// +k8s:listType=map
	// +k8s:listMapKey=a
	Keyed   []Part               `json:"keyed,omitzero"`
	Data    map[string][]byte    `json:"data,omitempty"`
	Bytes   Bytes                `json:"bytes,omitempty"`
	Time    *metav1.Time         `json:"time,omitempty"`
	Raw     runtime.RawExtension `json:"raw,omitempty"`
	Object  runtime.Object       `json:"object,omitempty"`
	Numbers map[Shade]float64    `json:"numbers,omitempty"`
	Plain   bool
	Hidden  elsewhere.Unknown `json:"-"`
	private int
}

// Part contains itself.
type Part struct {
	Parts []Part `json:"parts"`
}

type Source struct {
	Other *int32 `json:"other"`
}

// +enum
type Color string

const (
	Red   Color = "red"
	Green Color = "gr" + "een"
	// Crimson has a value that is known.
	Crimson Color = Red
)

const Prefix = "x"

type Shade string

const Dark Shade = Prefix + "-dark"

type Bytes []byte

type Unused struct{}
