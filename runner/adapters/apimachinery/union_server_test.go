package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestTheUnionServerAnswersNormalizeUnionOnly(t *testing.T) {
	union := `"union":{"kind":"zero-or-one","members":[{"field":"foo"},{"field":"bar"}]}`
	lines := startLine + "\n" +
		`{"kind":"run","seq":1,"operation":"normalize-union",` + union + `,"documents":{"old":{"foo":1},"new":{"foo":1,"bar":1}}}` + "\n" +
		`{"kind":"run","seq":2,"operation":"json-merge-apply","documents":{"patch":{}}}` + "\n"
	var out bytes.Buffer
	if err := newUnionServer(strings.NewReader(lines), &out, "v4.3.0", 1<<20).Serve(); err != nil {
		t.Fatal(err)
	}
	replies := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(replies) != 3 {
		t.Fatalf("three lines, but the replies are %q", replies)
	}
	for i, part := range []string{
		`"name":"sigs.k8s.io/structured-merge-diff","version":"v4.3.0","language":"go","supports":{"operations":["normalize-union"],"unions":`,
		`{"kind":"refused","seq":1,"error":{"kind":"union-several-members"`,
		`{"kind":"unsupported","seq":2,`,
	} {
		if !strings.Contains(replies[i], part) {
			t.Errorf("reply %s, expected %s", replies[i], part)
		}
	}
}
