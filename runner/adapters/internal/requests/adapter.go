package requests

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"skewer.dev/conversation"
)

// maxLine is the maximum length of a request.
const maxLine = 256 << 20

// Implementation is what an adapter wraps.
type Implementation struct {
	Name    string
	Version string
	// Lookup is the value of the option "lookup" under which the implementation finds patch metadata. Without the option,
	// it is used as well.
	Lookup string
	// Directives are the directives of strategic merge patch that the implementation knows. It can disable none of them.
	Directives []string
	// StoresOtherDirectives says that the implementation does not refuse a directive that it does not know, but stores it.
	// The list of directives is then not sent: the runner asks about other directives too, and reports show what leaks.
	StoresOtherDirectives bool
	Operations            []Operation
	// LossyNumbers are the operations whose results may have 1 for the float 1.0.
	LossyNumbers []string
	// Policies are the names of the union policies whose rules the implementation has.
	Policies []string
	// Classify gives an error of the implementation its kind. The empty kind is "unclassified".
	Classify func(error) conversation.Refusal
}

// Operation is an operation of the protocol.
type Operation struct {
	Name string
	// Run returns the result as JSON text.
	Run func(*Call) ([]byte, error)
	// Strategic operations need a schema and follow the profile.
	Strategic bool
}

// Call is one request.
type Call struct {
	*Request
	// Schema is nil if the request has none.
	Schema *Schema
	// Root is the name of the component that describes the whole document.
	Root string
}

// Main serves standard input and output until the conversation ends.
func Main(implementation Implementation) {
	if err := NewServer(implementation, os.Stdin, os.Stdout).Serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// NewServer returns a server that answers requests with the implementation.
func NewServer(implementation Implementation, in io.Reader, out io.Writer) *conversation.Server[Request] {
	schemas := map[string]*Schema{}
	supports := conversation.Supports{
		LossyNumbers: implementation.LossyNumbers,
		Policies:     implementation.Policies,
	}
	if !implementation.StoresOtherDirectives {
		supports.Directives = implementation.Directives
	}
	for _, operation := range implementation.Operations {
		supports.Operations = append(supports.Operations, operation.Name)
		if operation.Strategic && supports.Lookups == nil {
			supports.Lookups = []string{implementation.Lookup}
		}
	}
	adapter := conversation.Adapter[Request]{
		Started: conversation.Started{
			Name:     implementation.Name,
			Version:  implementation.Version,
			Language: "go",
			Supports: supports,
		},
		Unmarshal: json.Unmarshal,
		Head:      func(request *Request) *conversation.Head { return &request.Head },
		Run: func(request *Request) conversation.Outcome {
			result, err := run(&implementation, schemas, request)
			if err != nil {
				return Outcome(err, implementation.Classify)
			}
			return conversation.Outcome{Result: result}
		},
		TooDeepKind: TooDeep,
	}
	return conversation.NewServer(adapter, in, out, maxLine)
}

func run(implementation *Implementation, schemas map[string]*Schema, request *Request) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Refuse(Panic, "%v", r)
		}
	}()
	call := Call{Request: request}
	// A schema is kept even if the request goes no further, because later requests name it.
	if err := call.findSchema(schemas); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(implementation.Operations, func(o Operation) bool { return o.Name == request.Operation })
	if i < 0 {
		return nil, Unsupported("%s does not have the operation %s", implementation.Name, request.Operation)
	}
	operation := implementation.Operations[i]
	if len(request.Options.Preconditions) > 0 {
		return nil, Unsupported("%s takes no preconditions", operation.Name)
	}
	if operation.Strategic {
		if call.Schema == nil {
			return nil, Broken("%q needs a \"schema\"", operation.Name)
		}
		if err := implementation.checkProfile(&request.Profile); err != nil {
			return nil, err
		}
		if lookup := request.Options.Lookup; lookup != "" && lookup != implementation.Lookup {
			return nil, Unsupported("%s does not have the lookup %q", implementation.Name, lookup)
		}
	}
	return operation.Run(&call)
}

func (i *Implementation) checkProfile(profile *Profile) error {
	for _, directive := range profile.Without {
		if slices.Contains(i.Directives, directive) {
			return Unsupported("%s is built into %s and cannot be disabled", directive, i.Name)
		}
	}
	for _, directive := range profile.With {
		if !slices.Contains(i.Directives, directive) {
			return Unsupported("%s does not know %s", i.Name, directive)
		}
	}
	return nil
}

func (c *Call) findSchema(schemas map[string]*Schema) error {
	sent := c.Request.Schema
	if sent == nil {
		return nil
	}
	if sent.OpenAPI == nil {
		found, ok := schemas[sent.ID]
		if !ok {
			return Broken("a schema with id %q has not been sent", sent.ID)
		}
		c.Schema = found
	} else {
		read, err := readSchema(sent.OpenAPI)
		if err != nil {
			return err
		}
		read.Root = sent.Root
		if sent.ID != "" {
			schemas[sent.ID] = read
		}
		c.Schema = read
	}
	c.Root = c.Schema.Root
	if sent.Root != "" {
		c.Root = sent.Root
	}
	if _, ok := c.Schema.Components[c.Root]; !ok {
		return Refuse(InvalidSchema, "the schema has no component %q", c.Root)
	}
	return nil
}

// ModuleVersion returns the version of a module that is linked in.
func ModuleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			if dependency.Replace != nil {
				dependency = dependency.Replace
			}
			return dependency.Version
		}
	}
	return "unknown"
}
