package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"skewer.dev/conversation"
)

func jsonDecode(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}

func TestBadLinesAreAnsweredAndTheConversationGoesOn(t *testing.T) {
	good := `{"kind":"run","seq":9,"operation":"json-merge-apply","documents":{"patch":{}}}`
	for _, tc := range []struct{ name, line, reply string }{
		{"no JSON", `oops`, `{"kind":"error","message":`},
		{"half a request", `{"kind":"run","seq":1,"operation":"apply"`, `{"kind":"error","seq":1,"message":`},
		{"a list", `[]`, `{"kind":"error","message":`},
		{"null", `null`, `{"kind":"error","message":`},
		{"two requests on a line", good + good, `{"kind":"error","seq":9,"message":`},
		{"no kind", `{"seq":1}`, `{"kind":"error","seq":1,"message":`},
		{"another kind", `{"kind":"dance","seq":1}`, `{"kind":"error","seq":1,"message":`},
		{"no seq", `{"kind":"run","operation":"apply"}`, `{"kind":"error","message":`},
		{"a seq that is no number", `{"kind":"run","seq":"1"}`, `{"kind":"error","message":`},
		{"members of wrong types", `{"kind":"run","seq":1,"operation":7}`, `{"kind":"error","seq":1,"message":`},
		{"another protocol", `{"kind":"start","protocol":2}`, `{"kind":"error","message":"protocol 2`},
		{"keys in another case", `{"Kind":"stop"}`, `{"kind":"error","message":`},
		{"control characters", "\x00\x01", `{"kind":"error","message":`},
		{"a line that is too long", `{"kind":"run","seq":1,"x":"` + strings.Repeat("x", 1<<20) + `"}`, `{"kind":"error","message":"a line has more`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			replies := converse(t, startLine, tc.line, good)
			if len(replies) != 3 {
				t.Fatalf("three lines, but the replies are %q", replies)
			}
			if !strings.HasPrefix(replies[1], tc.reply) {
				t.Errorf("reply %s, expected %s…", replies[1], tc.reply)
			}
			if replies[2] != `{"kind":"result","seq":9,"result":{}}` {
				t.Errorf("the next request was answered with %s", replies[2])
			}
		})
	}
}

func TestStartComesFirst(t *testing.T) {
	replies := converse(t, `{"kind":"run","seq":1,"operation":"json-merge-apply","documents":{"patch":{}}}`)
	if len(replies) != 1 || !strings.HasPrefix(replies[0], `{"kind":"error","seq":1,`) {
		t.Errorf("got %q", replies)
	}
}

func TestNothingIsAnsweredAfterStop(t *testing.T) {
	if replies := converse(t, startLine, `{"kind":"stop"}`, startLine); len(replies) != 1 {
		t.Errorf("got %q", replies)
	}
}

func TestEmptyLinesAndCarriageReturnsAreNoRequests(t *testing.T) {
	if replies := converse(t, "", "  ", startLine+"\r", "\r"); len(replies) != 1 {
		t.Errorf("got %q", replies)
	}
}

func TestALastLineWithoutLineFeedIsAnswered(t *testing.T) {
	var out bytes.Buffer
	if err := newServer(strings.NewReader(startLine), &out, "", 1<<20).Serve(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"kind":"started"`) {
		t.Errorf("got %q", out.String())
	}
}

func TestDeepDocumentsAreRefused(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000)
	for _, operation := range []string{"json-merge-apply", "apply"} {
		line := `{"kind":"run","seq":4,"operation":"` + operation + `","documents":{"patch":` + deep + `}}`
		replies := converse(t, startLine, line)
		if len(replies) != 2 || !strings.HasPrefix(replies[1], `{"kind":"refused","seq":4,"error":{"kind":"too-deep"`) {
			t.Errorf("got %.200q", replies)
		}
	}
}

// A runner may wait for a reply while half of its next request is still in its own buffer.
func TestRepliesAreFlushedBeforeWaiting(t *testing.T) {
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- newServer(inReader, outWriter, "", 1<<20).Serve() }()
	replies := bufio.NewScanner(outReader)

	if _, err := io.WriteString(inWriter, startLine+"\n"+`{"kind":"st`); err != nil {
		t.Fatal(err)
	}
	read := make(chan bool, 1)
	go func() { read <- replies.Scan() }()
	select {
	case ok := <-read:
		if !ok || !strings.HasPrefix(replies.Text(), `{"kind":"started"`) {
			t.Fatalf("got %q", replies.Text())
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no reply while half a request is in the buffer")
	}
	if _, err := io.WriteString(inWriter, `op"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	long := strings.Repeat("ä", 10000)
	a := askPod(t, "apply", `{"live":{"items":[{"name":"a"}]},"patch":{"items":[{"value":"`+long+`"}]}}`, ``)
	if a.Error.Kind != kindMissingMergeKey || len(a.Error.Message) > conversation.MaxMessage+8 {
		t.Errorf("a message of %d bytes, kind %s", len(a.Error.Message), a.Error.Kind)
	}
}

func TestRequestsDoNotSeeEachOther(t *testing.T) {
	line := `{"kind":"run","seq":1,"operation":"apply","schema":{"id":"s"},"documents":{"live":{"items":[{"name":"a","args":["x"]}]},"patch":{"items":[{"name":"a","$patch":"delete"},{"name":"b"}]}}}`
	lines := []string{startLine,
		compact(t, `{"kind":"run","seq":0,"operation":"apply","schema":{"id":"s","root":"Pod","openapi":`+podSchema+`},"documents":{"patch":{}}}`)}
	for range 50 {
		lines = append(lines, line)
	}
	replies := slices.Compact(converse(t, lines...)[2:])
	if len(replies) != 1 {
		t.Errorf("the same request was answered in several ways: %q", replies)
	}
}

func TestClassifyKnowsTheErrorsThatNoDocumentBringsAbout(t *testing.T) {
	for kind, err := range unreachableErrors() {
		if got, _ := classify(err); got != kind {
			t.Errorf("%v: expected %s, but got %s", err, kind, got)
		}
	}
	if got, _ := classify(fmt.Errorf("something new")); got != kindUnclassified {
		t.Errorf("got %s", got)
	}
}
