package v1

import "time"

// Time encodes itself.
type Time struct {
	time.Time `protobuf:"-"`
}

type TypeMeta struct {
	Kind string `json:"kind,omitempty"`
}

type Status struct {
	TypeMeta `json:",inline"`
	Code     int32 `json:"code"`
}
