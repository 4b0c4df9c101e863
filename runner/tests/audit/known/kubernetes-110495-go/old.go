package v1

// PersistentVolumeSpec is the part of a volume that the change is about.
type PersistentVolumeSpec struct {
	// ClaimRef is the claim that the volume is bound to: a user applies name and namespace, a controller sets uid.
	// +optional
	// +structType=atomic
	ClaimRef *ObjectReference `json:"claimRef,omitempty"`
	// +optional
	StorageClassName string `json:"storageClassName,omitempty"`
}

// ObjectReference names an object.
type ObjectReference struct {
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// +optional
	Name string `json:"name,omitempty"`
	// +optional
	UID string `json:"uid,omitempty"`
}
