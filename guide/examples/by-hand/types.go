package v1

// +union
type Strategy struct {
	// +unionDiscriminator
	Type StrategyType `json:"type"`
	// +unionMember
	// +optional
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	// +unionMember
	// +optional
	Recreate *Recreate `json:"recreate,omitempty"`
}

// +enum
type StrategyType string

const (
	TypeRollingUpdate StrategyType = "RollingUpdate"
	TypeRecreate      StrategyType = "Recreate"
)

type RollingUpdate struct {
	MaxSurge int `json:"maxSurge,omitempty"`
}

type Recreate struct {
	Force bool `json:"force,omitempty"`
}
