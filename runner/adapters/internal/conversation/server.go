// Package conversation reads the requests of the Skewer adapter protocol and writes the replies. It is the part that all
// adapters in Go share, and depends on no other module. The protocol is described in ../PROTOCOL.md.
package conversation

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
	"unicode/utf8"
)

// Adapter is what differs between adapters. R is the type of a request as the adapter decodes it. It embeds Head.
type Adapter[R any] struct {
	// Started describes the implementation. Kind and Protocol are set by the server.
	Started Started
	// Unmarshal decodes a line.
	Unmarshal func(line []byte, into any) error
	// Head is the part of a request that this package reads.
	Head func(request *R) *Head
	// Run performs a request of kind "run".
	Run func(request *R) Outcome
	// TooDeepKind is the error kind of a document that nests too deep for Unmarshal.
	TooDeepKind string
}

// Server reads requests and writes replies, in order, on one goroutine.
type Server[R any] struct {
	adapter Adapter[R]
	in      *bufio.Reader
	out     *bufio.Writer
	maxLine int
	started bool
	line    []byte
	reply   []byte
}

var errLineTooLong = errors.New("line too long")

// NewServer returns a server that answers lines of at most maxLine bytes.
func NewServer[R any](adapter Adapter[R], in io.Reader, out io.Writer, maxLine int) *Server[R] {
	return &Server[R]{
		adapter: adapter,
		in:      bufio.NewReaderSize(in, 1<<16),
		out:     bufio.NewWriterSize(out, 1<<16),
		maxLine: maxLine,
	}
}

// Serve answers until "stop" or the end of input.
func (s *Server[R]) Serve() error {
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
func (s *Server[R]) lineIsBuffered() bool {
	buffered, err := s.in.Peek(s.in.Buffered())
	return err == nil && bytes.IndexByte(buffered, '\n') >= 0
}

// readLine returns the next line without its line feed. It is valid until the next call.
func (s *Server[R]) readLine() ([]byte, error) {
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
func (s *Server[R]) handle(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	var request R
	if err := s.adapter.Unmarshal(line, &request); err != nil {
		s.handleUnreadable(line, err)
		return false
	}
	head := s.adapter.Head(&request)
	switch head.Kind {
	case "start":
		s.start(head)
	case "run":
		s.run(head, &request)
	case "stop":
		return true
	case "":
		s.writeError(head.Seq, `a request needs a "kind"`)
	default:
		s.writeError(head.Seq, fmt.Sprintf("requests of kind %q are not known", head.Kind))
	}
	return false
}

// runHead finds the sequence number of a line that cannot be parsed as a whole.
var runHead = regexp.MustCompile(`^\s*\{\s*"kind"\s*:\s*"run"\s*,\s*"seq"\s*:\s*(\d{1,18})\s*,`)

func (s *Server[R]) handleUnreadable(line []byte, err error) {
	var seq *int64
	if match := runHead.FindSubmatch(line); match != nil {
		if n, err := strconv.ParseInt(string(match[1]), 10, 64); err == nil {
			seq = &n
		}
	}
	if seq != nil && s.started && TooDeep(err) {
		s.write(*seq, Outcome{Refusal: &Refusal{Kind: s.adapter.TooDeepKind, Message: err.Error()}})
		return
	}
	s.writeError(seq, "the line is not a request: "+err.Error())
}

// TooDeep tells whether a JSON parser of Go refused a document for its nesting.
func TooDeep(err error) bool {
	return strings.Contains(err.Error(), "exceeded max depth")
}

func (s *Server[R]) start(head *Head) {
	if head.Protocol != Version {
		s.writeError(nil, fmt.Sprintf("protocol %d is not known; this adapter speaks %d", head.Protocol, Version))
		return
	}
	s.started = true
	reply := s.adapter.Started
	reply.Kind, reply.Protocol = "started", Version
	s.writeJSON(reply)
}

func (s *Server[R]) run(head *Head, request *R) {
	switch {
	case head.Seq == nil:
		s.writeError(nil, `"run" needs a "seq"`)
	case !s.started:
		s.writeError(head.Seq, `"start" comes first`)
	default:
		s.write(*head.Seq, s.adapter.Run(request))
	}
}

func (s *Server[R]) write(seq int64, o Outcome) {
	if o.Broken != "" {
		s.writeError(&seq, o.Broken)
		return
	}
	b := s.reply[:0]
	switch {
	case o.Unsupported != "":
		b = append(b, `{"kind":"unsupported","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"reason":`...)
		b = AppendString(b, o.Unsupported)
	case o.Refusal != nil:
		b = append(b, `{"kind":"refused","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"error":`...)
		b = AppendRefusal(b, o.Refusal)
	default:
		b = append(b, `{"kind":"result","seq":`...)
		b = strconv.AppendInt(b, seq, 10)
		b = append(b, `,"result":`...)
		b = append(b, o.Result...)
	}
	s.reply = append(b, '}', '\n')
	// A failed write shows at the next flush.
	_, _ = s.out.Write(s.reply)
}

// AppendRefusal writes the error of the reply "refused".
func AppendRefusal(b []byte, r *Refusal) []byte {
	b = append(b, `{"kind":`...)
	b = AppendString(b, r.Kind)
	b = appendList(b, `,"kinds":[`, r.Kinds, AppendString)
	if r.Directive != "" {
		b = append(b, `,"directive":`...)
		b = AppendString(b, r.Directive)
	}
	b = append(b, `,"message":`...)
	b = AppendString(b, shortened(r.Message))
	if r.Path != "" {
		b = append(b, `,"path":`...)
		b = AppendString(b, shortened(r.Path))
	}
	b = appendList(b, `,"conflicts":[`, r.Conflicts, appendConflict)
	return append(b, '}')
}

// appendList writes a member that is a list, with what begins it. An empty list is left out.
func appendList[T any](b []byte, begin string, items []T, appendItem func([]byte, T) []byte) []byte {
	if len(items) == 0 {
		return b
	}
	b = append(b, begin...)
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendItem(b, item)
	}
	return append(b, ']')
}

func appendConflict(b []byte, c Conflict) []byte {
	b = append(b, `{"manager":`...)
	b = AppendString(b, c.Manager)
	for _, member := range []struct{ name, value string }{
		{`,"operation":`, c.Operation},
		{`,"apiVersion":`, c.APIVersion},
		{`,"subresource":`, c.Subresource},
	} {
		if member.value != "" {
			b = append(b, member.name...)
			b = AppendString(b, member.value)
		}
	}
	b = append(b, `,"path":`...)
	b = AppendString(b, c.Path)
	return append(b, '}')
}

func (s *Server[R]) writeError(seq *int64, message string) {
	s.writeJSON(struct {
		Kind    string `json:"kind"`
		Seq     *int64 `json:"seq,omitempty"`
		Message string `json:"message"`
	}{"error", seq, shortened(message)})
}

func (s *Server[R]) writeJSON(v any) {
	encoder := json.NewEncoder(s.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
}

// MaxMessage bounds messages: implementations print whole documents into some.
const MaxMessage = 4096

func shortened(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:MaxMessage], "") + " […]"
}

const hexDigits = "0123456789abcdef"

// AppendString writes a JSON string; only what must be escaped is.
func AppendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
