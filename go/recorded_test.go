package codexwire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/codex-wire/codex-wire/go/appserver"
	"github.com/codex-wire/codex-wire/go/core"
	"github.com/codex-wire/codex-wire/go/exec"
	"github.com/codex-wire/codex-wire/go/execlegacy"
	"github.com/codex-wire/codex-wire/go/hooks"
	"github.com/codex-wire/codex-wire/go/notify"
	"github.com/codex-wire/codex-wire/go/rollout"
	"github.com/codex-wire/codex-wire/go/session"
	"github.com/codex-wire/codex-wire/go/usage"
	"github.com/codex-wire/codex-wire/go/wire"
)

// recorded is a line of a recording. The test in tools/type-codegen writes them.
type recorded struct {
	Type   string
	Method string
	Newest bool
	Text   string
}

// readers reads each kind of message by its type.
var readers = map[string]func([]byte) (any, error){
	"core.Event":                   object[core.Event],
	"core.Submission":              object[core.Submission],
	"exec.ThreadEvent":             union(exec.UnmarshalThreadEvent),
	"execlegacy.LegacyLine":        object[execlegacy.LegacyLine],
	"hooks.HookInput":              union(hooks.UnmarshalHookInput),
	"notify.UserNotification":      union(notify.UnmarshalUserNotification),
	"rollout.RolloutLine":          union(rollout.UnmarshalRolloutLine),
	"session.Session":              object[session.Session],
	"usage.Usage":                  object[usage.Usage],
	"appserver.ClientNotification": union(appserver.UnmarshalClientNotification),
	"appserver.ClientRequest":      union(appserver.UnmarshalClientRequest),
	"appserver.ErrorResponse":      object[appserver.ErrorResponse],
	"appserver.ServerNotification": union(appserver.UnmarshalServerNotification),
	"appserver.ServerRequest":      union(appserver.UnmarshalServerRequest),
	"appserver.ThreadItem":         union(appserver.UnmarshalThreadItem),
}

// reader reads a type of messages, or responses to a method.
func reader(kind, method string) func([]byte) (any, error) {
	switch kind {
	case "appserver.ServerResponse":
		return func(data []byte) (any, error) { return appserver.UnmarshalResult(method, data) }
	case "appserver.ClientResponse":
		return func(data []byte) (any, error) { return appserver.UnmarshalClientResult(method, data) }
	case "hooks.HookOutput":
		return func(data []byte) (any, error) { return hooks.UnmarshalOutput(method, data) }
	case "rollout.EarlyLine":
		return union(rollout.UnmarshalSessionLine)
	}
	return readers[kind]
}

func object[T any](data []byte) (any, error) {
	out := new(T)
	return out, wire.Decode(data, out)
}

func union[T any](read func([]byte) (T, error)) func([]byte) (any, error) {
	return func(data []byte) (any, error) { return read(data) }
}

// Every recorded line is written as it was read, and in the newest release nothing of it is unknown.
func TestRecordedLines(t *testing.T) {
	path := os.Getenv("CODEX_WIRE_LINES")
	if path == "" {
		t.Skip("CODEX_WIRE_LINES names no file of recorded lines")
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	count, newest, early, duplicates := 0, 0, 0, 0
	for lines.Scan() {
		var line recorded
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		count++
		problem, isDuplicate := check(line)
		if problem != "" {
			t.Errorf("%s %s: %s\n%.300s", line.Type, line.Method, problem, line.Text)
		}
		if line.Newest {
			newest++
		}
		if line.Type == "rollout.EarlyLine" {
			early++
		}
		if isDuplicate {
			duplicates++
		}
	}
	if count < 10000 || newest < 1000 || early < 100 || duplicates < 10 {
		t.Errorf("only %d lines, %d of the newest release, %d with a duplicate key", count, newest, duplicates)
	}
	t.Logf("%d lines, %d of the newest release, %d early ones, %d with a duplicate key", count, newest, early, duplicates)
}

func check(line recorded) (string, bool) {
	read := reader(line.Type, line.Method)
	if line.Type == "rollout.RolloutLine" {
		// So it is read where the release is not known.
		read = union(rollout.UnmarshalSessionLine)
	}
	if read == nil {
		return "nothing reads it", false
	}
	value, err := read([]byte(line.Text))
	if err != nil {
		return err.Error(), false
	}
	written, err := wire.Encode(value)
	if err != nil {
		return err.Error(), false
	}
	before, members := parse(line.Text)
	after, again := parse(string(written))
	if !same(before, after) {
		return "written as " + string(written), false
	}
	if members != again {
		return fmt.Sprintf("%d members were read, %d are written: %s", members, again, written), false
	}
	if line.Type == "rollout.EarlyLine" && strings.HasPrefix(reflect.TypeOf(value).Elem().Name(), "Unknown") {
		return "an early line of an unknown kind", false
	}
	if line.Newest {
		if place := unknown(reflect.ValueOf(value), ""); place != "" {
			return "not known: " + place, false
		}
	}
	return "", members != size(before)
}

// parse returns a value, and how many members its objects have, duplicate ones counted twice.
func parse(text string) (any, int) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err, 0
	}
	return value, members([]byte(text))
}

func members(data []byte) int {
	data = bytes.TrimSpace(data)
	decoder := json.NewDecoder(bytes.NewReader(data))
	if len(data) == 0 || (data[0] != '{' && data[0] != '[') {
		return 0
	}
	decoder.Token()
	count := 0
	for decoder.More() {
		if data[0] == '{' {
			decoder.Token()
			count++
		}
		var inner json.RawMessage
		decoder.Decode(&inner)
		count += members(inner)
	}
	return count
}

func size(value any) int {
	count := 0
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			count += 1 + size(inner)
		}
	case []any:
		for _, inner := range value {
			count += size(inner)
		}
	}
	return count
}

func same(one, other any) bool {
	switch one := one.(type) {
	case json.Number:
		number, ok := other.(json.Number)
		if !ok || one == number {
			return ok
		}
		a, _ := strconv.ParseFloat(one.String(), 64)
		b, _ := strconv.ParseFloat(number.String(), 64)
		return a == b && strings.ContainsAny(one.String(), ".eE")
	case map[string]any:
		object, ok := other.(map[string]any)
		if !ok || len(one) != len(object) {
			return false
		}
		for name, inner := range one {
			if found, ok := object[name]; !ok || !same(inner, found) {
				return false
			}
		}
		return true
	case []any:
		list, ok := other.([]any)
		if !ok || len(one) != len(list) {
			return false
		}
		for index, inner := range one {
			if !same(inner, list[index]) {
				return false
			}
		}
		return true
	default:
		return one == other
	}
}

// unknown names a place whose kind or member is not declared.
func unknown(value reflect.Value, place string) string {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if value.IsNil() {
			return ""
		}
		if keeps, ok := value.Interface().(interface{ Rest() *wire.Rest }); ok {
			rest := keeps.Rest()
			// Codex writes all of its configuration; what of it is declared is a selection.
			_, isOpen := value.Interface().(*appserver.Config)
			if len(rest.Extra) > 0 && !isOpen {
				return place + "." + rest.Extra[0].Name
			}
			if len(rest.Missing) > 0 {
				return place + " without " + rest.Missing[0]
			}
		}
		return unknown(value.Elem(), place)
	case reflect.Struct:
		name := value.Type().Name()
		if (strings.HasPrefix(name, "Unknown") || strings.HasPrefix(name, "Unlisted")) && value.NumField() == 1 {
			return place + " of " + name
		}
		for index := range value.NumField() {
			field := value.Type().Field(index)
			if !field.IsExported() {
				continue
			}
			if found := unknown(value.Field(index), place+"."+field.Name); found != "" {
				return found
			}
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return ""
		}
		for index := range value.Len() {
			if found := unknown(value.Index(index), place); found != "" {
				return found
			}
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if found := unknown(value.MapIndex(key), place); found != "" {
				return found
			}
		}
	}
	return ""
}
