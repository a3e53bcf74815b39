package codextest

// Decision is whether Codex asks the client before it does something, and what the client has to answer.
type Decision string

const (
	// Ask lets Codex ask, and take any answer.
	Ask Decision = "ask"
	// Accept lets Codex ask, and take only that the client accepts.
	Accept Decision = "accept"
	// AcceptForSession lets Codex ask, and take only that the client accepts this and what is like it.
	AcceptForSession Decision = "acceptForSession"
	// Decline lets Codex ask, and take only that the client declines.
	Decline Decision = "decline"
	// Cancel lets Codex ask, and take only that the client declines and interrupts the turn.
	Cancel Decision = "cancel"
)

// Run has the further keys of a step that runs a command.
type Run struct {
	// Output is what the command writes once it has ended.
	Output string
	// Parts is what it writes while it runs, instead of Output.
	Parts []string
	// Exit is the exit code.
	Exit int
	// Approval is whether Codex asks the client first.
	Approval Decision
}

// Patch has the further keys of a step that changes files.
type Patch struct {
	// Approval is whether Codex asks the client first.
	Approval Decision
	// Fails is whether the files cannot be changed.
	Fails bool
}

// Question has the further keys of a step that asks the user.
type Question struct {
	// Header is a word or two above the question.
	Header string
	// Options are the answers to choose from.
	Options []Choice
}

// Choice is an answer to choose.
type Choice struct {
	Label string `json:"label"`
	// Description is what it means.
	Description string `json:"description,omitempty"`
}

// PlanStep is a step of a plan.
type PlanStep struct {
	Step string `json:"step"`
	// Status is pending, in_progress or completed.
	Status string `json:"status,omitempty"`
}

// Call has the further keys of a step that calls a tool of an MCP server.
type Call struct {
	// Server is the name of the server.
	Server string
	// Arguments are what the tool gets: anything that json.Marshal writes as an object.
	Arguments any
	// Result is the text that the tool returns.
	Result string
	// Fails is whether the tool says that it failed, with Result as the reason.
	Fails bool
}

// Usage is what an answer of the model costs, in tokens. What is nil is as the program has it.
type Usage struct {
	Input     *int `json:"input,omitempty"`
	Cached    *int `json:"cached,omitempty"`
	Output    *int `json:"output,omitempty"`
	Reasoning *int `json:"reasoning,omitempty"`
}

// step is a step of a script, by its keys.
type step map[string]any

// with adds a key that has a value.
func (s step) with(key string, value any) step {
	switch value {
	case "", 0, false, nil, Decision(""):
	case Ask:
		s[key] = true
	default:
		s[key] = value
	}
	return s
}

// Say lets the model write a message to the user.
func (d *Double) Say(text string) *Double { return d.step(step{"say": text}) }

// Reason lets the model think: a summary, or the parts of one.
func (d *Double) Reason(summary ...string) *Double {
	if len(summary) == 1 {
		return d.step(step{"reason": summary[0]})
	}
	return d.step(step{"reason": summary})
}

// Run lets the model run a command.
func (d *Double) Run(command string, others ...Run) *Double {
	own := step{"run": command}
	for _, other := range others {
		own.with("output", other.Output).with("exit", other.Exit).with("approval", other.Approval)
		if other.Parts != nil {
			own["output"] = other.Parts
		}
	}
	return d.step(own)
}

// Patch lets the model change files. The patch is in the format of Codex: `*** Begin Patch` to `*** End Patch`.
func (d *Double) Patch(patch string, others ...Patch) *Double {
	own := step{"patch": patch}
	for _, other := range others {
		own.with("approval", other.Approval).with("fails", other.Fails)
	}
	return d.step(own)
}

// Ask lets the model ask the user a question.
func (d *Double) Ask(question string, others ...Question) *Double {
	own := step{"ask": question}
	for _, other := range others {
		own.with("header", other.Header)
		if other.Options != nil {
			own["options"] = other.Options
		}
	}
	return d.step(own)
}

// Plan lets the model say what it is going to do: the whole plan each time. An explanation says why it changes.
func (d *Double) Plan(plan []PlanStep, explanation ...string) *Double {
	own := step{"plan": plan}
	for _, other := range explanation {
		own.with("explanation", other)
	}
	return d.step(own)
}

// Search lets the model search the web.
func (d *Double) Search(query string) *Double { return d.step(step{"search": query}) }

// Call lets the model call a tool of an MCP server.
func (d *Double) Call(tool string, others ...Call) *Double {
	own := step{"call": tool}
	for _, other := range others {
		own.with("server", other.Server).with("result", other.Result).with("fails", other.Fails)
		if other.Arguments != nil {
			own["arguments"] = other.Arguments
		}
	}
	return d.step(own)
}

// Spawn lets the model start another agent. With an answer of that agent, the model waits for it.
func (d *Double) Spawn(task string, answer ...string) *Double {
	own := step{"spawn": task}
	for _, other := range answer {
		own["answer"] = other
	}
	return d.step(own)
}

// Retry breaks the connection to the model, and Codex connects again: for the attempt-th time of so many.
func (d *Double) Retry(reason string, attempt, of int) *Double {
	return d.step(step{"retry": reason, "attempt": attempt, "of": of})
}

// Fail lets the turn fail. A kind is a codexErrorInfo of the app-server, such as usageLimitExceeded.
func (d *Double) Fail(message string, kind ...string) *Double {
	own := step{"fail": message}
	for _, other := range kind {
		own.with("kind", other)
	}
	return d.step(own)
}

// Hang lets nothing more come until the client interrupts the turn.
func (d *Double) Hang() *Double { return d.step(step{"hang": true}) }

// Usage is what each answer of the model costs from here on.
func (d *Double) Usage(tokens Usage) *Double { return d.step(step{"usage": tokens}) }

// Turn lets the next turn begin with the next step.
func (d *Double) Turn() *Double {
	d.t.Helper()
	d.refuseIfMade()
	d.turns = append(d.turns, []step{})
	return d
}

// step adds a step to the last turn.
func (d *Double) step(own step) *Double {
	d.t.Helper()
	d.refuseIfMade()
	last := len(d.turns) - 1
	d.turns[last] = append(d.turns[last], own)
	return d
}

// refuseIfMade fails the test: what is added later would be missing in a script that is being played.
func (d *Double) refuseIfMade() {
	d.t.Helper()
	if d.folder != "" {
		d.t.Fatal("codextest: the double was made already: give it all steps before its path is asked for")
	}
}

// script is what the program reads.
func (d *Double) script() map[string]any {
	script := map[string]any{}
	if d.options.Model != "" {
		script["model"] = d.options.Model
	}
	if len(d.turns) == 1 {
		script["step"] = d.turns[0]
		return script
	}
	turns := make([]any, 0, len(d.turns))
	for _, steps := range d.turns {
		turns = append(turns, map[string]any{"step": steps})
	}
	script["turn"] = turns
	return script
}
