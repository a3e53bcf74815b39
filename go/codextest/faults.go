package codextest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/codex-wire/codex-wire/go/clientlog"
	"github.com/codex-wire/codex-wire/go/faults"
)

// FaultOptions are those of Faults.
type FaultOptions struct {
	// Faults are those to try, such as turn-fails; all if there are none.
	Faults []string
	// Timeout is how long the client may take; 20 seconds if it is zero.
	Timeout time.Duration
}

// Faults makes a test of each fault: whether a client handles it.
//
// The function start runs the client with the program whose path it is given, and returns what the client shows: the same each
// time, such as the answer of the agent. If the client fails, it returns an error. It is run twice without a fault, and once
// with each. A fault that is none of the protocol that the client speaks, or has no place in the script, is skipped.
func Faults[T any](t *testing.T, codex *Double, start func(path string) (T, error), options ...FaultOptions) {
	t.Helper()
	c := client{codex: codex, start: func(path string) (any, error) { return start(path) }}
	var chosen []string
	for _, own := range options {
		chosen = append(chosen, own.Faults...)
		c.timeout = own.Timeout
	}
	c.timeout = cmp.Or(c.timeout, 20*time.Second)
	tried, err := listed(chosen)
	if err != nil {
		t.Fatalf("codextest: %v", err)
	}
	var undisturbed ran
	isRight := t.Run("without-a-fault", func(t *testing.T) {
		undisturbed = c.undisturbed(t)
	})
	if !isRight {
		return
	}
	for _, fault := range tried {
		t.Run(fault.Id, func(t *testing.T) {
			// `go test -run` may have left the first test out.
			if undisturbed.protocols == nil {
				undisturbed = c.undisturbed(t)
			}
			c.try(t, fault.Id, undisturbed)
		})
	}
}

// faultsOf are the faults of a protocol, as a client of it is tried with them; of all protocols if it is empty.
func faultsOf(protocol string) ([]*faults.Fault, error) {
	arguments := []string{"faults", "--format", "json"}
	if protocol != "" {
		arguments = append(arguments, "--protocol", protocol)
	}
	output, _, err := codexWire(arguments...)
	if err != nil {
		return nil, err
	}
	var listed faults.Faults
	err = json.Unmarshal(output, &listed)
	return listed.Faults, err
}

// listed are the faults with these ids; all if there are none.
func listed(ids []string) ([]*faults.Fault, error) {
	all, err := faultsOf("")
	if err != nil || len(ids) == 0 {
		return all, err
	}
	var out []*faults.Fault
	for _, id := range ids {
		id = strings.TrimPrefix(id, "fault/")
		index := slices.IndexFunc(all, func(known *faults.Fault) bool { return known.Id == id })
		if index < 0 {
			return nil, fmt.Errorf("there is no fault %q", id)
		}
		out = append(out, all[index])
	}
	return out, nil
}

// client is a client that is tried.
type client struct {
	codex   *Double
	start   func(path string) (any, error)
	timeout time.Duration
}

// ran is what a client showed.
type ran struct {
	value      any
	err        error
	isLate     bool
	protocols  []string
	injected   []string
	unexpected []string
	// The faults of these protocols, if the client succeeded without one.
	faults []*faults.Fault
}

// run runs the client with a double of its own.
func (c client) run(t *testing.T, inject []string) ran {
	t.Helper()
	double := c.codex.of(t, inject)
	if err := double.make(); err != nil && strings.Contains(err.Error(), "fault/") {
		// A release may get no faults of messages: the program says so of the fault.
		t.Skip(err)
	}
	path := double.Path()
	done := make(chan ran, 1)
	go func() {
		// Without a value, the client ended this goroutine, as t.FailNow does.
		shown := ran{err: errors.New("the client ended the test")}
		defer func() { done <- shown }()
		shown.value, shown.err = c.start(path)
	}()
	var shown ran
	select {
	case shown = <-done:
	case <-time.After(c.timeout):
		shown.isLate = true
	}
	for _, protocol := range each(double, func(event *clientlog.Started) string { return event.Protocol }) {
		if !slices.Contains(shown.protocols, protocol) {
			shown.protocols = append(shown.protocols, protocol)
		}
	}
	shown.injected, shown.unexpected = double.Injected(), double.Unexpected()
	double.End()
	return shown
}

// undisturbed runs the client twice without a fault.
func (c client) undisturbed(t *testing.T) ran {
	t.Helper()
	first, second := c.run(t, nil), c.run(t, nil)
	for _, run := range []ran{first, second} {
		if run.isLate {
			t.Fatal("the client did not end in time, without any fault")
		}
		if run.err != nil {
			t.Fatal(run.err)
		}
	}
	if len(first.unexpected) > 0 {
		t.Fatalf("the script does not have what the client does: %s", first.unexpected[0])
	}
	if len(first.protocols) == 0 {
		t.Fatal("the client did not start Codex: it has to run the path that it is given")
	}
	if !reflect.DeepEqual(first.value, second.value) {
		t.Fatalf("two runs of the client without any fault return different values, so that nothing can be compared: "+
			"return what is the same each time, such as the answer\nfirst: %#v\nthen: %#v", first.value, second.value)
	}
	for _, protocol := range first.protocols {
		own, err := faultsOf(protocol)
		if err != nil {
			t.Fatalf("codextest: %v", err)
		}
		first.faults = append(first.faults, own...)
	}
	return first
}

// try runs the client with a fault. The test fails if the client does not handle it.
func (c client) try(t *testing.T, id string, undisturbed ran) {
	t.Helper()
	index := slices.IndexFunc(undisturbed.faults, func(known *faults.Fault) bool { return known.Id == id })
	if index < 0 {
		t.Skipf("it is not a fault of %s", strings.Join(undisturbed.protocols, " and "))
	}
	fault := undisturbed.faults[index]
	shown := c.run(t, fault.Inject)
	if !slices.Contains(shown.injected, "fault/"+id) {
		t.Skip("the script has no place for it")
	}
	if problem := problemOf(shown, undisturbed, fault); problem != "" {
		text := fmt.Sprintf("with %s (%s), %s\nhelp: %s\n%s", id, fault.Summary, problem, fault.Client, shown.told())
		t.Error(strings.TrimSpace(text))
	}
}

// problemOf says what is wrong with what a client shows.
func problemOf(shown, undisturbed ran, fault *faults.Fault) string {
	if shown.isLate {
		return "the client did not end in time"
	}
	value := without(reflect.ValueOf(shown.value), fault.Residue)
	isSame := shown.err == nil && reflect.DeepEqual(value, undisturbed.value)
	switch fault.Expects {
	case faults.ExpectationSame:
		if !isSame {
			return fmt.Sprintf("the client shows something else than without it: %#v", undisturbed.value)
		}
	case faults.ExpectationSameOrFailure:
		if !isSame && shown.err == nil {
			return fmt.Sprintf("the client shows neither the same as without it, %#v, nor a failure", undisturbed.value)
		}
	case faults.ExpectationDifferent, faults.ExpectationDifferentAndEnds:
		if isSame {
			return "the client shows a success"
		}
	default:
		return fmt.Sprintf("the program expects %q, which this package does not know", fault.Expects)
	}
	return ""
}

// told is what the client showed, for people.
func (r ran) told() string {
	switch {
	case r.isLate:
		return ""
	case r.err != nil:
		return fmt.Sprintf("the client failed: %v", r.err)
	}
	return fmt.Sprintf("the client showed: %#v", r.value)
}
