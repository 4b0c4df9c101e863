package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// server reads requests and writes replies, in order, on one goroutine.
type server struct {
	in      *bufio.Reader
	out     *bufio.Writer
	version string
	maxLine int
	started bool
	schemas schemaCache
	line    []byte
	reply   []byte
}

var errLineTooLong = errors.New("line too long")

func newServer(in io.Reader, out io.Writer, version string, maxLine int) *server {
	return &server{
		in:      bufio.NewReaderSize(in, 1<<16),
		out:     bufio.NewWriterSize(out, 1<<16),
		version: version,
		maxLine: maxLine,
		schemas: newSchemaCache(),
	}
}

// serve answers until "stop" or the end of input.
func (s *server) serve() error {
	for {
		if !s.lineIsBuffered() {
			if err := s.out.Flush(); err != nil {
				return err
			}
		}
		line, err := s.readLine()
		switch {
		case errors.Is(err, errLineTooLong):
			s.writeError(nil, fmt.Sprintf("a line has more than %d bytes", s.maxLine))
			continue
		case errors.Is(err, io.EOF):
			// A last line without its line feed counts as a line.
			if len(line) > 0 {
				s.handle(line)
			}
			return s.out.Flush()
		case err != nil:
			return errors.Join(err, s.out.Flush())
		}
		if stop := s.handle(line); stop {
			return s.out.Flush()
		}
	}
}

// lineIsBuffered tells whether the next request can be read without waiting for the runner. Part of a line is
// not enough: a runner may wait for replies with half a request in its own buffer.
func (s *server) lineIsBuffered() bool {
	buffered, err := s.in.Peek(s.in.Buffered())
	return err == nil && bytes.IndexByte(buffered, '\n') >= 0
}

// readLine returns the next line without its line feed. It is valid until the next call.
func (s *server) readLine() ([]byte, error) {
	s.line = s.line[:0]
	tooLong := false
	for {
		part, err := s.in.ReadSlice('\n')
		if len(s.line)+len(part) > s.maxLine {
			tooLong = true
		}
		if !tooLong {
			s.line = append(s.line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLineTooLong
		}
		return bytes.TrimRight(s.line, "\r\n"), err
	}
}

// handle answers one line and tells whether it was "stop".
func (s *server) handle(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	var req request
	if err := utiljson.Unmarshal(line, &req); err != nil {
		s.handleUnreadable(line, err)
		return false
	}
	switch req.Kind {
	case "start":
		s.start(req)
	case "run":
		s.run(req)
	case "stop":
		return true
	case "":
		s.writeError(req.Seq, `a request needs a "kind"`)
	default:
		s.writeError(req.Seq, fmt.Sprintf("requests of kind %q are not known", req.Kind))
	}
	return false
}

// runHead finds the sequence number of a line that cannot be parsed as a whole.
var runHead = regexp.MustCompile(`^\s*\{\s*"kind"\s*:\s*"run"\s*,\s*"seq"\s*:\s*(\d{1,18})\s*,`)

func (s *server) handleUnreadable(line []byte, err error) {
	var seq *int64
	if match := runHead.FindSubmatch(line); match != nil {
		if n, err := strconv.ParseInt(string(match[1]), 10, 64); err == nil {
			seq = &n
		}
	}
	if seq != nil && s.started && tooDeep(err) {
		s.write(*seq, outcome{refusal: &refusal{Kind: kindTooDeep, Message: err.Error()}})
		return
	}
	s.writeError(seq, "the line is not a request: "+err.Error())
}

func tooDeep(err error) bool {
	return strings.Contains(err.Error(), "exceeded max depth")
}

func (s *server) start(req request) {
	if req.Protocol != protocolVersion {
		s.writeError(nil, fmt.Sprintf("protocol %d is not known; this adapter speaks %d", req.Protocol, protocolVersion))
		return
	}
	s.started = true
	s.writeJSON(started{
		Kind:     "started",
		Protocol: protocolVersion,
		Name:     libraryPath,
		Version:  s.version,
		Language: "go",
		Supports: supports{
			Operations: operationNames(),
			Directives: shippedDirectives,
			Lookups:    []string{lookupOpenAPI, lookupStruct, lookupUnstructured},
			Unions:     []string{unionDiscriminated, unionExactlyOne, unionZeroOrOne, unionModal},
		},
	})
}

func (s *server) run(req request) {
	switch {
	case req.Seq == nil:
		s.writeError(nil, `"run" needs a "seq"`)
	case !s.started:
		s.writeError(req.Seq, `"start" comes first`)
	default:
		s.write(*req.Seq, runRequest(&s.schemas, &req))
	}
}

func (s *server) write(seq int64, o outcome) {
	if o.broken != "" {
		s.writeError(&seq, o.broken)
		return
	}
	b := s.reply[:0]
	switch {
	case o.unsupported != "":
		b = append(b, `{"kind":"unsupported","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"reason":`...)
		b = appendString(b, o.unsupported)
	case o.refusal != nil:
		b = append(b, `{"kind":"refused","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"error":`...)
		b = appendRefusal(b, o.refusal)
	default:
		b = append(b, `{"kind":"result","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"result":`...)
		b = append(b, o.result...)
	}
	s.reply = append(b, '}', '\n')
	// A failed write shows at the next flush.
	_, _ = s.out.Write(s.reply)
}

func appendRefusal(b []byte, r *refusal) []byte {
	b = append(b, `{"kind":`...)
	b = appendString(b, r.Kind)
	if len(r.Kinds) > 0 {
		b = append(b, `,"kinds":[`...)
		for i, kind := range r.Kinds {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, kind)
		}
		b = append(b, ']')
	}
	if r.Directive != "" {
		b = append(b, `,"directive":`...)
		b = appendString(b, r.Directive)
	}
	b = append(b, `,"message":`...)
	b = appendString(b, shortened(r.Message))
	if len(r.Conflicts) > 0 {
		b = append(b, `,"conflicts":[`...)
		for i, conflict := range r.Conflicts {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendConflict(b, conflict)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func appendConflict(b []byte, c applyConflict) []byte {
	b = append(b, `{"manager":`...)
	b = appendString(b, c.Manager)
	for _, member := range []struct{ name, value string }{
		{`,"operation":`, c.Operation},
		{`,"apiVersion":`, c.APIVersion},
		{`,"subresource":`, c.Subresource},
	} {
		if member.value != "" {
			b = append(b, member.name...)
			b = appendString(b, member.value)
		}
	}
	b = append(b, `,"path":`...)
	b = appendString(b, c.Path)
	return append(b, '}')
}

func (s *server) writeError(seq *int64, message string) {
	s.writeJSON(struct {
		Kind    string `json:"kind"`
		Seq     *int64 `json:"seq,omitempty"`
		Message string `json:"message"`
	}{"error", seq, shortened(message)})
}

func (s *server) writeJSON(v any) {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
}

// maxMessage bounds messages: the library prints whole documents into some.
const maxMessage = 4096

func shortened(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + " […]"
}
