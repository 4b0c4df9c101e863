package conversation

// Version is the version of ../PROTOCOL.md that is spoken here.
const Version = 1

// Head has the members of a request that this package reads. Requests of adapters embed it.
type Head struct {
	Kind     string `json:"kind"`
	Protocol int    `json:"protocol"`
	Seq      *int64 `json:"seq"`
}

// Started is the answer to "start".
type Started struct {
	Kind     string   `json:"kind"`
	Protocol int      `json:"protocol"`
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Language string   `json:"language"`
	Supports Supports `json:"supports"`
}

// Supports lists what can be asked.
type Supports struct {
	Operations []string `json:"operations"`
	Directives []string `json:"directives,omitempty"`
	Lookups    []string `json:"lookups,omitempty"`
	Unions     []string `json:"unions,omitempty"`
	// Policies are the names of the union policies whose rules the implementation has.
	Policies []string `json:"policies,omitempty"`
	// LossyNumbers are the operations whose results may hold 1 for the float 1.0.
	LossyNumbers []string `json:"lossyNumbers,omitempty"`
	// Tools are the tools as which a client applies manifests.
	Tools []string `json:"tools,omitempty"`
}

// Outcome is what a run comes to: exactly one of its parts is set.
type Outcome struct {
	// Result is JSON text without a line break.
	Result  []byte
	Refusal *Refusal
	// Unsupported says which feature the implementation lacks.
	Unsupported string
	// Broken says why the request itself makes no sense.
	Broken string
}

// Refusal is a failure of the operation, which is an answer like any other.
type Refusal struct {
	Kind string `json:"kind"`
	// Kinds are all kinds, sorted, if the library returned errors of several kinds at once.
	Kinds []string `json:"kinds,omitempty"`
	// Directive is the name of the directive for the kind invalid-directive.
	Directive string `json:"directive,omitempty"`
	Message   string `json:"message"`
	// Path is the field of the document, if it is known.
	Path string `json:"path,omitempty"`
	// Conflicts are the conflicts of server-side apply, by manager and path.
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// Conflict is a field that another manager owns.
type Conflict struct {
	Manager     string `json:"manager"`
	Operation   string `json:"operation"`
	APIVersion  string `json:"apiVersion,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Path        string `json:"path"`
}
