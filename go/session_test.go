package codexwire_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/codex-wire/codex-wire/go/session"
	"github.com/codex-wire/codex-wire/go/usage"
	"github.com/codex-wire/codex-wire/go/wire"
)

// What the program writes is written again as it was read, and nothing of it is unknown.
func TestWrittenSessions(t *testing.T) {
	path := os.Getenv("CODEX_WIRE_SESSIONS")
	if path == "" {
		t.Skip("CODEX_WIRE_SESSIONS names no file of sessions")
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	count, items, surfaces, sums := 0, map[string]int{}, map[string]int{}, 0
	for lines.Scan() {
		var line recorded
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		count++
		if problem, _ := check(line); problem != "" {
			t.Errorf("%s: %s\n%.300s", line.Type, problem, line.Text)
		}
		if line.Type == "usage.Usage" {
			used := &usage.Usage{}
			if err := json.Unmarshal([]byte(line.Text), used); err != nil {
				t.Fatal(err)
			}
			sums += len(used.Rows)
			continue
		}
		read := &session.Session{}
		if err := json.Unmarshal([]byte(line.Text), read); err != nil {
			t.Fatal(err)
		}
		if protocol, ok := read.Protocol.Get(); ok {
			surfaces[protocol]++
		}
		for _, thread := range read.Threads {
			for _, turn := range thread.Turns {
				for _, item := range turn.Items {
					switch item := item.(type) {
					case *session.Command:
						if status, ok := item.Status.Get(); ok && status.Known() {
							items["command"]++
						}
					case *session.Message:
						if item.Role == session.RoleAssistant && item.Text != "" {
							items["message"]++
						}
					case *session.UnknownItem:
						t.Errorf("an item of no known kind: %s", item.Raw)
					}
				}
			}
		}
	}
	for _, surface := range []string{"app-server", "core", "exec", "rollout"} {
		if surfaces[surface] < 100 {
			t.Errorf("only %d sessions of %s", surfaces[surface], surface)
		}
	}
	if count < 2000 || items["command"] < 500 || items["message"] < 1000 || sums < 100 {
		t.Errorf("only %d documents, %v, %d rows", count, items, sums)
	}
	t.Logf("%d documents, %v of %v, %d rows", count, items, surfaces, sums)
}

// What a later version of the program writes is kept: members, kinds of items, and words.
func TestLaterSession(t *testing.T) {
	text := `{"format":1,"source":"-","threads":[{"tokens":{"input":1,"cached_input":0,"cache_write_input":0,"output":2,` +
		`"reasoning_output":0,"total":3},"turns":[{"lines":{"from":1,"to":4},"status":"walrus","items":[` +
		`{"type":"walrus","lines":{"from":2,"to":2},"tusks":2},` +
		`{"type":"command","lines":{"from":3,"to":3},"command":"ls","nice":19}],"mood":"good"}]}],"later":{"a":[1]}}`
	read := &session.Session{}
	if err := wire.Decode([]byte(text), read); err != nil {
		t.Fatal(err)
	}
	turn := read.Threads[0].Turns[0]
	if turn.Status.Known() || turn.Status != "walrus" {
		t.Errorf("status: %v", turn.Status)
	}
	if item, ok := turn.Items[0].(*session.UnknownItem); !ok || !strings.Contains(string(item.Raw), "tusks") {
		t.Errorf("%#v", turn.Items[0])
	}
	command, ok := turn.Items[1].(*session.Command)
	if !ok || command.Command != "ls" || len(command.Rest().Extra) != 1 || command.Rest().Extra[0].Name != "nice" {
		t.Errorf("%#v", turn.Items[1])
	}
	written, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	before, members := parse(text)
	after, again := parse(string(written))
	if !same(before, after) || members != again {
		t.Errorf("written as %s", written)
	}
}

// A session that is built has the members that it must have.
func TestBuiltSession(t *testing.T) {
	turn := &session.Turn{Status: session.TurnStatusCompleted}
	written, err := json.Marshal(turn)
	if err == nil || !strings.Contains(err.Error(), "lines: not set") {
		t.Errorf("written as %s: %v", written, err)
	}
	turn.Lines = &session.Lines{From: 1, To: 2}
	turn.Items = []session.Item{&session.Message{Lines: turn.Lines, Role: session.RoleUser, Text: "Hello."}}
	written, err = json.Marshal(turn)
	expected := `{"items":[{"type":"message","lines":{"from":1,"to":2},"role":"user","text":"Hello."}],` +
		`"lines":{"from":1,"to":2},"status":"completed"}`
	if err != nil || string(written) != expected {
		t.Errorf("written as %s: %v", written, err)
	}
}
