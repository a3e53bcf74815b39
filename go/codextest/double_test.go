package codextest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/codex-wire/codex-wire/go/clientlog"
	"github.com/codex-wire/codex-wire/go/codextest"
)

func TestMain(m *testing.M) {
	if os.Getenv("CODEX_WIRE_PROGRAM") == "" {
		// One that is found in PATH may be of another version.
		fmt.Println("left out: CODEX_WIRE_PROGRAM does not name the program")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func script(t testing.TB, faults ...string) *codextest.Double {
	return codextest.New(t, codextest.Options{Release: "0.169.0", Faults: faults}).
		Say("Looking.").
		Run("rm -rf build", codextest.Run{Approval: codextest.Decline}).
		Say("Left it.")
}

func TestWhatTheClientSent(t *testing.T) {
	codex := script(t)
	if said, err := client(codex.Path(), ""); said != "Left it." || err != nil {
		t.Fatal(said, err)
	}
	codex.End()
	want := []codextest.Approval{{Command: "rm -rf build", Decision: codextest.Decline}}
	if got := codex.Approvals(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if got := codex.Prompts(); !reflect.DeepEqual(got, []string{"Clean up."}) {
		t.Errorf("%v", got)
	}
	var params struct{ ThreadID string }
	if got := codex.Requests("turn/start"); len(got) != 1 || json.Unmarshal(got[0], &params) != nil || params.ThreadID == "" {
		t.Errorf("%s", got)
	}
	if got := codex.Runs(); len(got) != 1 || !reflect.DeepEqual(got[0].Arguments, []string{"app-server"}) {
		t.Errorf("%v", got)
	}
	if _, err := os.Stat(codex.Folder()); !os.IsNotExist(err) {
		t.Error("the folder is still there", err)
	}
}

// An answer that the script does not have ends the session.
func TestUnexpected(t *testing.T) {
	codex := codextest.New(t, codextest.Options{Release: "0.169.0"}).Run("ls", codextest.Run{Approval: codextest.Accept})
	if said, err := client(codex.Path(), ""); err == nil {
		t.Error(said)
	}
	if got := codex.Unexpected(); len(got) != 1 || !strings.Contains(got[0], "decline") {
		t.Errorf("%q", got)
	}
}

// Submissions to `codex proto` are requests, too.
func TestRequests(t *testing.T) {
	codex := codextest.New(t, codextest.Options{Release: "0.169.0"}).Say("x")
	send(codex, "app-server", `null`, `no JSON`, `[1]`, `{"ID":1,"METHOD":"x"}`, `{"method":"x"}`, `{"id":1,"method":"x","params":{"a":1}}`)
	sent := codex.Sent()
	if len(sent) != 6 || string(sent[0]) != "null" || string(sent[1]) != `"no JSON"` || string(sent[2]) != "[1]" {
		t.Errorf("%s", sent)
	}
	if got := codex.Requests("x"); len(got) != 1 || string(got[0]) != `{"a":1}` {
		t.Errorf("%s", got)
	}
	proto := codextest.New(t, codextest.Options{Release: "0.42.0"}).Say("x")
	op := `{"items":[{"text":"Hi.","type":"text"}],"type":"user_input"}`
	send(proto, "proto", `{"id":"1","op":`+op+`}`)
	if got := proto.Requests("user_input"); len(got) != 1 || string(got[0]) != op {
		t.Errorf("%s", got)
	}
}

// send writes lines to a command of a double.
func send(codex *codextest.Double, command string, lines ...string) {
	server := exec.Command(codex.Path(), command)
	server.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	server.Run()
}

// What the program remarks is in the log of the test.
func TestRemarks(t *testing.T) {
	log := logged{TB: t}
	if codextest.New(&log, codextest.Options{Release: "0.169.0"}).Say("x").Path(); len(log.lines) > 0 {
		t.Error(log.lines)
	}
	codextest.New(&log, codextest.Options{Release: "9.9.9"}).Say("x").Path()
	if len(log.lines) != 1 || !strings.HasPrefix(log.lines[0], "codextest: 9.9.9 is newer than ") {
		t.Errorf("%q", log.lines)
	}
}

// logged is a test that keeps its log.
type logged struct {
	testing.TB
	lines []string
}

func (l *logged) Logf(format string, values ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, values...))
}

// Steps that are added to one double are not added to another.
func TestScriptsAreNotShared(t *testing.T) {
	first := codextest.New(t, codextest.Options{Release: "0.169.0"}).Say("One.")
	other := first.WithFaults()
	longer := first.WithFaults().Say("Two.")
	for _, double := range []*codextest.Double{first, other, longer} {
		want := "One."
		if double == longer {
			want = "Two."
		}
		if said, err := client(double.Path(), ""); said != want || err != nil {
			t.Error(said, err, want)
		}
	}
}

// A client ends its test, and not the program.
func TestNothingIsLeft(t *testing.T) {
	var server *exec.Cmd
	t.Run("leaves", func(t *testing.T) {
		codex := script(t, "ignores-sigterm")
		server = exec.Command(codex.Path(), "app-server")
		if _, err := server.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		codextest.WaitFor[*clientlog.Started](codex, 10*time.Second)
		server.Process.Signal(os.Interrupt)
	})
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		server.Process.Kill()
		t.Error("the stand-in outlives its test")
	}
}

func TestTwoAtOnce(t *testing.T) {
	for _, name := range []string{"one", "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			codex := codextest.New(t, codextest.Options{}).Say(name)
			if said, err := client(codex.Path(), ""); said != name || err != nil {
				t.Error(said, err)
			}
			if got := len(codex.Runs()); got != 1 {
				t.Error(got)
			}
		})
	}
}

// TestFaults is run alone with a bug, too.
func TestFaults(t *testing.T) {
	options := codextest.FaultOptions{
		Faults:  []string{"turn-fails", "turn-never-ends", "future-item", "exit-without-end", "line-separator"},
		Timeout: 5 * time.Second,
	}
	bug := os.Getenv("CODEXTEST_BUG")
	if bug != "" {
		name, faults, _ := strings.Cut(bug, ":")
		bug, options.Faults = name, []string{faults}
	}
	codextest.Faults(t, script(t), func(path string) (string, error) { return client(path, bug) }, options)
}

// A release may have no place for any fault of messages.
func TestFaultsOfAnOldRelease(t *testing.T) {
	if os.Getenv("CODEXTEST_OLD") == "" {
		tests := exec.Command(os.Args[0], "-test.run", "^TestFaultsOfAnOldRelease$", "-test.v")
		tests.Env = append(os.Environ(), "CODEXTEST_OLD=1")
		output, err := tests.CombinedOutput()
		if err != nil || strings.Count(string(output), "--- SKIP: TestFaultsOfAnOldRelease/") != 2 {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	codex := codextest.New(t, codextest.Options{Release: "0.30.0"}).Say("Hello.")
	start := func(path string) (string, error) {
		output, err := exec.Command(path, "exec", "--json", "Hi.").Output()
		return string(output), err
	}
	codextest.Faults(t, codex, start, codextest.FaultOptions{Faults: []string{"future-item", "ignores-sigterm"}})
}

func TestBugsAreFound(t *testing.T) {
	for _, bug := range []string{
		"status:turn-fails", "waits:turn-never-ends", "closed-enumeration:future-item", "end-is-success:exit-without-end",
	} {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			tests := exec.Command(os.Args[0], "-test.run", "^TestFaults$", "-test.v")
			tests.Env = append(os.Environ(), "CODEXTEST_BUG="+bug)
			output, err := tests.CombinedOutput()
			_, fault, _ := strings.Cut(bug, ":")
			isFound := err != nil && strings.Contains(string(output), "--- FAIL: TestFaults/"+fault)
			if !isFound || !strings.Contains(string(output), "--- PASS: TestFaults/without-a-fault") {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}
