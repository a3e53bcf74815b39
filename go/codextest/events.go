package codextest

import (
	"encoding/json"
	"time"

	"github.com/codex-wire/codex-wire/go/clientlog"
	"github.com/codex-wire/codex-wire/go/wire"
)

// Approval is what the client answered when Codex asked before it ran a command or changed files.
type Approval struct {
	// Command is the command, if it is about one.
	Command string
	// Files are the files, if it is about a patch.
	Files []string
	// Decision is what the client answered.
	Decision Decision
}

// Answer is what the client answered to a question.
type Answer struct {
	Question string
	Answers  []string
}

// Invocation is a run of the program codex.
type Invocation struct {
	Arguments []string
	// Directory is the working directory.
	Directory string
	// Status is the exit status; nil while it runs, and if something else ended it.
	Status *int
}

// Events are all that is known of clients, in the order in which it happened.
func (d *Double) Events() []clientlog.ClientEvent {
	d.t.Helper()
	found, err := d.read()
	if err != nil {
		d.t.Fatalf("codextest: %v", err)
	}
	return found.events
}

// WaitFor waits for the first event of a kind, such as *clientlog.Approved. The test fails if there is none in time.
func WaitFor[E clientlog.ClientEvent](d *Double, timeout time.Duration) E {
	d.t.Helper()
	end := time.Now().Add(timeout)
	for {
		found := each(d, func(event E) E { return event })
		if len(found) > 0 {
			return found[0]
		}
		if d.kept != nil || time.Now().After(end) {
			var none E
			d.t.Fatalf("codextest: no %T in %v, but %d other events", none, timeout, len(d.Events()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Injected are the ids of the faults that happened, such as fault/turn-fails.
func (d *Double) Injected() []string {
	d.t.Helper()
	found, err := d.read()
	if err != nil {
		d.t.Fatalf("codextest: %v", err)
	}
	return found.faults
}

// Prompts are the prompts that started turns.
func (d *Double) Prompts() []string {
	d.t.Helper()
	return each(d, func(event *clientlog.Prompt) string { return event.Text })
}

// Approvals are what the client was asked, and what it answered.
func (d *Double) Approvals() []Approval {
	d.t.Helper()
	return each(d, func(event *clientlog.Approved) Approval {
		command, _ := event.Command.Get()
		files, _ := event.Files.Get()
		return Approval{Command: command, Files: files, Decision: Decision(event.Decision)}
	})
}

// Answers are what the client answered to questions.
func (d *Double) Answers() []Answer {
	d.t.Helper()
	return each(d, func(event *clientlog.Answer) Answer {
		return Answer{Question: event.Question, Answers: event.Answers}
	})
}

// Sent are the messages of clients of `codex app-server` and `codex proto`, as JSON; a line that is not JSON is a string.
func (d *Double) Sent() []json.RawMessage {
	d.t.Helper()
	return each(d, func(event *clientlog.Sent) json.RawMessage {
		switch event.Message.State {
		case wire.Present:
			return event.Message.Value
		case wire.Null:
			return json.RawMessage("null")
		}
		line, _ := event.Line.Get()
		text, _ := json.Marshal(line)
		return text
	})
}

// Requests are the params of the requests with this method, or the submissions of this type to `codex proto`. Packages appserver
// and core have their types.
func (d *Double) Requests(method string) []json.RawMessage {
	d.t.Helper()
	var out []json.RawMessage
	for _, message := range d.Sent() {
		request := members(message)
		if _, isRequest := request["id"]; !isRequest {
			continue
		}
		op := request["op"]
		switch {
		case isText(request["method"], method):
			out = append(out, request["params"])
		case isText(members(op)["type"], method):
			out = append(out, op)
		}
	}
	return out
}

// members are those of an object. A struct would have those of other case, too.
func members(value json.RawMessage) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	json.Unmarshal(value, &out)
	return out
}

// isText reports whether a value is this text.
func isText(value json.RawMessage, text string) bool {
	var found *string
	return json.Unmarshal(value, &found) == nil && found != nil && *found == text
}

// Unexpected is what the client did that the script does not have, in words.
func (d *Double) Unexpected() []string {
	d.t.Helper()
	return each(d, func(event *clientlog.Unexpected) string { return event.Message })
}

// Runs are the runs of the program.
func (d *Double) Runs() []Invocation {
	d.t.Helper()
	var out []Invocation
	running := map[int64]int{}
	for _, event := range d.Events() {
		switch event := event.(type) {
		case *clientlog.Started:
			running[event.Pid] = len(out)
			out = append(out, Invocation{Arguments: event.Arguments, Directory: event.Directory})
		case *clientlog.Ended:
			if index, known := running[event.Pid]; known {
				status := int(event.Status)
				out[index].Status = &status
			}
		}
	}
	return out
}

// each takes something of each event of a kind.
func each[E clientlog.ClientEvent, T any](d *Double, take func(E) T) []T {
	d.t.Helper()
	var out []T
	for _, event := range d.Events() {
		if event, ok := event.(E); ok {
			out = append(out, take(event))
		}
	}
	return out
}
