// Package codextest has a double of Codex for tests: a program named codex that plays a script to a client, and tells what the
// client sent to it.
//
//	codex := codextest.New(t, codextest.Options{Release: "0.169.0"}).
//		Say("Looking.").
//		Run("rm -rf build", codextest.Run{Approval: codextest.Decline}).
//		Say("Left it.")
//	// … the client runs with codex.Path() …
//	want := []codextest.Approval{{Command: "rm -rf build", Decision: "decline"}}
//	if got := codex.Approvals(); !reflect.DeepEqual(got, want) {
//		t.Errorf("%v", got)
//	}
//
// It needs the program codex-wire, in PATH or where CODEX_WIRE_PROGRAM says.
package codextest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/codex-wire/codex-wire/go/clientlog"
)

// Options are those of a double. `codex-wire replay --help` explains most of them. What is empty is as the program has it.
type Options struct {
	// Release is the release of Codex that it plays; the newest one if it is empty.
	Release string
	// Model is the name of the model.
	Model string
	// Faults are what goes wrong on purpose, such as turn-fails.
	Faults []string
	// Seed decides what faults leave open.
	Seed uint64
	// OnMiss is what a client gets that sends what no script has: error, fail or synthesize.
	OnMiss string
	// Speed is instant, recorded, or how many times as fast as recorded.
	Speed string
	// Times is recorded or now.
	Times string
}

// Double is a program named codex that plays a script, and what clients sent to it so far. Its steps say what the model does.
// The program is written when its path is first asked for: there are no further steps then. It ends with the test.
type Double struct {
	t       testing.TB
	options Options
	turns   [][]step
	folder  string
	// What is known, once the folder is gone.
	kept *known
}

// known is what the stand-in told: of clients, and of faults.
type known struct {
	events []clientlog.ClientEvent
	faults []string
}

// New makes a double that ends with the test. The test fails at once if the double cannot be made.
func New(t testing.TB, options Options) *Double {
	d := &Double{t: t, options: options, turns: [][]step{{}}}
	t.Cleanup(d.End)
	return d
}

// WithFaults makes a double with the script so far, and other faults.
func (d *Double) WithFaults(ids ...string) *Double {
	return d.of(d.t, ids)
}

// of makes a double with the same script, for another test.
func (d *Double) of(t testing.TB, faults []string) *Double {
	options := d.options
	options.Faults = faults
	other := New(t, options)
	// Steps that are added to one of them are not added to the other.
	other.turns = make([][]step, len(d.turns))
	for index, steps := range d.turns {
		other.turns[index] = slices.Clone(steps)
	}
	return other
}

// Path is the path of the program codex.
func (d *Double) Path() string {
	d.t.Helper()
	name := "codex"
	if runtime.GOOS == "windows" {
		name = "codex.exe"
	}
	return filepath.Join(d.Folder(), name)
}

// Folder is the folder of the program, which belongs to this double alone.
func (d *Double) Folder() string {
	d.t.Helper()
	if err := d.make(); err != nil {
		d.t.Fatalf("codextest: %v", err)
	}
	return d.folder
}

// make writes the program, unless it is there.
func (d *Double) make() error {
	d.t.Helper()
	if d.folder != "" {
		return nil
	}
	folder, err := d.install()
	d.folder = folder
	return err
}

// End ends it, and the processes of the program half a second later at most. What clients sent can still be read.
func (d *Double) End() {
	if d.folder == "" || d.kept != nil {
		return
	}
	kept, err := d.read()
	if err != nil {
		d.t.Errorf("codextest: %v", err)
	}
	d.kept = &kept
	// Each process of the stand-in ends when this file is gone: also where a program that runs cannot be removed.
	os.Remove(filepath.Join(d.folder, "codex-replay.toml"))
	os.RemoveAll(d.folder)
}

const (
	clientLog = "client-log.jsonl"
	faultLog  = "fault-log.txt"
)

// install writes the program that plays the script to a new folder.
func (d *Double) install() (string, error) {
	d.t.Helper()
	script, err := json.MarshalIndent(d.script(), "", " ")
	if err != nil {
		return "", err
	}
	folder, err := temporary()
	if err != nil {
		return "", err
	}
	source := filepath.Join(folder, "script.json")
	arguments := []string{
		"replay", "--install", folder, "--script", source, "--owner", strconv.Itoa(os.Getpid()),
		"--client-log", filepath.Join(folder, clientLog), "--fault-log", filepath.Join(folder, faultLog),
	}
	flags := [][2]string{
		{"--release", d.options.Release}, {"--on-miss", d.options.OnMiss},
		{"--speed", d.options.Speed}, {"--times", d.options.Times},
	}
	if d.options.Seed != 0 {
		flags = append(flags, [2]string{"--seed", strconv.FormatUint(d.options.Seed, 10)})
	}
	for _, fault := range d.options.Faults {
		flags = append(flags, [2]string{"--fault", fault})
	}
	for _, flag := range flags {
		if flag[1] != "" {
			arguments = append(arguments, flag[0], flag[1])
		}
	}
	if err = os.WriteFile(source, script, 0o600); err == nil {
		var remarks []string
		_, remarks, err = codexWire(arguments...)
		for _, remark := range remarks {
			// One of them names the program that was asked for.
			if !strings.Contains(remark, " plays a script as Codex ") {
				d.t.Logf("codextest: %s", remark)
			}
		}
	}
	if err != nil {
		os.RemoveAll(folder)
		// The file is of no use to the caller: methods wrote what stands in it.
		return "", errors.New(strings.ReplaceAll(err.Error(), source, "the script"))
	}
	return folder, nil
}

// codexWire runs the program, which has to succeed, and returns what it prints, and what it remarks.
func codexWire(arguments ...string) (output []byte, remarks []string, err error) {
	program := cmp.Or(os.Getenv("CODEX_WIRE_PROGRAM"), "codex-wire")
	command := exec.Command(program, arguments...)
	var said bytes.Buffer
	command.Stderr = &said
	output, err = command.Output()
	text := strings.TrimSpace(said.String())
	if err != nil && text != "" {
		return nil, nil, errors.New(text)
	}
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			remarks = append(remarks, strings.TrimPrefix(line, "codex-wire: "))
		}
	}
	return output, remarks, err
}

// read reads what the stand-in has told so far.
func (d *Double) read() (known, error) {
	if d.kept != nil {
		return *d.kept, nil
	}
	var out known
	lines, err := d.lines(clientLog)
	if err != nil {
		return out, err
	}
	for _, line := range lines {
		event, err := clientlog.UnmarshalClientEvent([]byte(line))
		if err != nil {
			return out, fmt.Errorf("%s: %w", clientLog, err)
		}
		out.events = append(out.events, event)
	}
	out.faults, err = d.lines(faultLog)
	return out, err
}

// lines are those of a file that grows. Text after the last line feed is not a line yet.
func (d *Double) lines(name string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(d.Folder(), name))
	if errors.Is(err, fs.ErrNotExist) {
		// The first process of the stand-in makes it.
		return nil, nil
	}
	lines := strings.Split(string(text), "\n")
	return lines[:len(lines)-1], err
}
