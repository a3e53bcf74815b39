package codexwire_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/codex-wire/codex-wire/go/appserver"
	"github.com/codex-wire/codex-wire/go/exec"
	"github.com/codex-wire/codex-wire/go/wire"
)

// kind is a kind of messages: the member that says so, and its value. The test in tools/type-codegen writes them.
type kind struct{ Type, Tag, Value string }

// A message that was built says of what kind it is. An answer does not: Codex refuses one with a method or an event.
func TestBuiltMessages(t *testing.T) {
	path := os.Getenv("CODEX_WIRE_KINDS")
	if path == "" {
		t.Skip("CODEX_WIRE_KINDS names no file of kinds")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []kind
	if err := json.Unmarshal(text, &kinds); err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, kind := range kinds {
		isAnswer := strings.HasSuffix(kind.Type, "Response") || kind.Type == "hooks.HookOutput"
		if isAnswer {
			answers++
		}
		line := fmt.Sprintf(`{"id":1,"result":{},%q:%q}`, kind.Tag, kind.Value)
		from := reader(kind.Type, kind.Value)
		if from == nil {
			t.Errorf("%v: nothing reads it", kind)
			continue
		}
		read, err := from([]byte(line))
		if err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		built := reflect.New(reflect.TypeOf(read).Elem())
		fill(t, built.Elem())
		written, err := json.Marshal(built.Interface())
		if err != nil {
			t.Errorf("%v: %v", kind, err)
			continue
		}
		tag, _ := wire.Tag(written, kind.Tag)
		switch {
		case isAnswer && wire.Has(written, kind.Tag):
			t.Errorf("%v: an answer with the member %s: %s", kind, kind.Tag, written)
		case !isAnswer && tag != kind.Value:
			t.Errorf("%v is written as %s", kind, written)
		}
	}
	if len(kinds) < 300 || answers < 100 {
		t.Errorf("only %d kinds, %d of answers", len(kinds), answers)
	}
}

// fill sets what has to be there and has no zero value.
func fill(t *testing.T, value reflect.Value) {
	for index := range value.NumField() {
		member := value.Field(index)
		tag, ok := value.Type().Field(index).Tag.Lookup("wire")
		if !ok || strings.HasSuffix(tag, ",optional") || !member.CanSet() {
			continue
		}
		switch kind := member.Kind(); {
		case kind == reflect.Pointer:
			member.Set(reflect.New(member.Type().Elem()))
			fill(t, member.Elem())
		case kind == reflect.Interface:
			if err := wire.Decode([]byte(`{"walrus":{}}`), member.Addr().Interface()); err != nil {
				t.Fatal(err)
			}
		case member.Type() == reflect.TypeFor[wire.Value]():
			member.Set(reflect.ValueOf(wire.Int(1)))
		}
	}
}

// What has to be there and is not set is an error that names it.
func TestUnset(t *testing.T) {
	id := wire.Int(1)
	for _, unset := range []struct {
		value any
		place string
	}{
		{&appserver.ThreadStartAnswer{Result: &appserver.ThreadStartResponse{}}, "id"},
		{&appserver.TurnStartMessage{Id: id}, "params"},
		{&appserver.TurnStartMessage{Id: id, Params: &appserver.TurnStartParams{Input: []appserver.UserInput{nil}}}, "params: input: 0"},
		{&appserver.InitializeMessage{Id: id, Params: &appserver.InitializeParams{}}, "params: clientInfo"},
		{&appserver.ThreadStartParams{ApprovalPolicy: wire.Some[appserver.AskForApproval](nil)}, "approvalPolicy"},
	} {
		written, err := json.Marshal(unset.value)
		if err == nil || !strings.Contains(err.Error(), unset.place+": not set") {
			t.Errorf("%s: written as %s: %v", unset.place, written, err)
		}
	}
}

// What was read without a member, or with one of another type, is written as it was.
func TestReadWithout(t *testing.T) {
	for _, text := range []string{`{"type":"turn.failed"}`, `{"type":"turn.failed","error":null}`, `{"error":7,"type":"turn.failed"}`} {
		event, err := exec.UnmarshalThreadEvent([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if failed, ok := event.(*exec.TurnFailedEvent); !ok || failed.Error != nil {
			t.Errorf("%s is read as %#v", text, event)
		}
		written, err := json.Marshal(event)
		before, _ := parse(text)
		after, _ := parse(string(written))
		if err != nil || !same(before, after) {
			t.Errorf("%s is written as %s: %v", text, written, err)
		}
	}
}

// An enumeration says whether a value is one of its constants.
func TestKnown(t *testing.T) {
	if status := exec.CommandExecutionStatus("walrus"); status.Known() {
		t.Errorf("%s is known", status)
	}
	if status := exec.CommandExecutionStatusFailed; !status.Known() {
		t.Errorf("%s is not known", status)
	}
}
