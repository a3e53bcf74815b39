package codexwire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codex-wire/codex-wire/go/appserver"
	"github.com/codex-wire/codex-wire/go/exec"
	"github.com/codex-wire/codex-wire/go/execlegacy"
	"github.com/codex-wire/codex-wire/go/hooks"
	"github.com/codex-wire/codex-wire/go/wire"
)

// What is not exactly one JSON value is an error with the place, and not a kind that is not known.
func TestOneValue(t *testing.T) {
	readers := map[string]func([]byte) (any, error){
		"union":  union(exec.UnmarshalThreadEvent),
		"object": object[execlegacy.LegacyLine],
		"value":  object[wire.Value],
		"result": func(data []byte) (any, error) { return appserver.UnmarshalResult("thread/start", data) },
		"result of another method": func(data []byte) (any, error) {
			return appserver.UnmarshalResult("walrus/start", data)
		},
		"method": func(data []byte) (any, error) {
			out := &exec.TurnStartedEvent{}
			return out, out.UnmarshalJSON(data)
		},
	}
	for _, wrong := range []struct{ text, place string }{
		{"", "byte 0"},
		{"\n", "byte 1"},
		{"Reading prompt from stdin...", "byte 1"},
		{`{"type":"turn.started"`, "byte 22"},
		{`{"type":"turn.started"}{"type":"turn.started"}`, "byte 24"},
		{`{"type":"turn.started"} 1`, "byte 25"},
	} {
		for name, read := range readers {
			value, err := read([]byte(wrong.text))
			if err == nil {
				t.Errorf("%s: %q is read as %#v", name, wrong.text, value)
				continue
			}
			// Who calls the method has found that it is one value, as encoding/json does.
			var syntax *json.SyntaxError
			if name != "method" && !(strings.Contains(err.Error(), wrong.place) && errors.As(err, &syntax)) {
				t.Errorf("%s: %q: no %s: %v", name, wrong.text, wrong.place, err)
			}
		}
	}
	for _, right := range []string{`{"type":"turn.started"}`, " {\"type\":\"turn.started\"}\r\n"} {
		event, err := exec.UnmarshalThreadEvent([]byte(right))
		if _, ok := event.(*exec.TurnStartedEvent); !ok || err != nil {
			t.Errorf("%q is read as %#v: %v", right, event, err)
		}
	}
}

// A response with an error is an error that says what Codex answered.
func TestErrorResponse(t *testing.T) {
	text := []byte(`{"id":3,"error":{"code":-32600,"message":"no rollout found"}}`)
	for _, method := range []string{"thread/start", "walrus/start"} {
		value, err := appserver.UnmarshalResult(method, text)
		var failed *appserver.ResponseError
		if value != nil || !errors.As(err, &failed) {
			t.Fatalf("%s: %#v, %v", method, value, err)
		}
		id, _ := wire.As[int64](failed.Response.Id)
		if id != 3 || failed.Response.Error.Code != -32600 {
			t.Errorf("%s: %#v", method, failed.Response)
		}
		if text := err.Error(); text != "no rollout found (code -32600)" {
			t.Errorf("%s: %s", method, text)
		}
	}
	for _, text := range []string{`{"id":3}`, `{"id":3,"error":"no"}`, `[]`, `{"method":"turn/started","params":{}}`} {
		if value, err := appserver.UnmarshalResult("thread/start", []byte(text)); err == nil {
			t.Errorf("%s is read as %#v", text, value)
		}
	}
	value, err := appserver.UnmarshalResult("thread/archive", []byte(`{"id":3,"result":{}}`))
	if _, ok := value.(*appserver.ThreadArchiveAnswer); !ok || err != nil {
		t.Errorf("%#v, %v", value, err)
	}
}

// An output of a hook does not name its event: the caller knows it.
func TestHookOutput(t *testing.T) {
	text := []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"},"later":1}`)
	value, err := hooks.UnmarshalOutput("PreToolUse", text)
	output, ok := value.(*hooks.PreToolUseCommandOutputWire)
	if !ok || err != nil {
		t.Fatalf("%#v, %v", value, err)
	}
	if specific, ok := output.HookSpecificOutput.Get(); !ok || specific.HookEventName != "PreToolUse" {
		t.Errorf("%#v", output)
	}
	written, err := wire.Encode(output)
	if err != nil || string(written) != string(text) {
		t.Errorf("%s, %v", written, err)
	}
	if value, err := hooks.UnmarshalOutput("WalrusUse", text); err != nil {
		t.Errorf("%#v, %v", value, err)
	} else if _, ok := value.(wire.Value); !ok {
		t.Errorf("an event of a later release is read as %#v", value)
	}
	if value, err := hooks.UnmarshalOutput("PreToolUse", []byte("no JSON")); err == nil {
		t.Errorf("text is read as %#v", value)
	}
}
