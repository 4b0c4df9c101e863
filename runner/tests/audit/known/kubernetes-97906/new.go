package v1

// ServiceSpec is the part of a service that the change is about.
type ServiceSpec struct {
	// Ports that the service exposes.
	// +listType=map
	// +listMapKey=port
	// +listMapKey=protocol
	Ports []ServicePort `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	// +optional
	ClusterIP string `json:"clusterIP,omitempty"`
}

// ServicePort is one port. A service with one port need not name it.
type ServicePort struct {
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	// +default="TCP"
	Protocol string `json:"protocol,omitempty"`
	Port     int32  `json:"port"`
	// +optional
	TargetPort int32 `json:"targetPort,omitempty"`
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
}
