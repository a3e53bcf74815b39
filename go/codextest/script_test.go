package codextest

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schema is a part of what a schema of the repository says.
type schema struct {
	Ref        string            `json:"$ref"`
	Defs       map[string]schema `json:"$defs"`
	OneOf      []schema          `json:"oneOf"`
	Properties map[string]schema `json:"properties"`
}

func read(t *testing.T, name string) schema {
	text, err := os.ReadFile("../../schemas/" + name)
	if os.IsNotExist(err) {
		t.Skip("a module has no schemas beside it")
	}
	var read schema
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func keys[V any](of map[string]V) []string {
	var out []string
	for key := range of {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// Each step of a script can be written, with each of its keys.
func TestStepsAreThoseOfAScript(t *testing.T) {
	one := 1
	d := New(t, Options{Model: "m"})
	d.Say("x").Reason("x", "y").Run("x", Run{Output: "x", Exit: 1, Approval: Ask}).Patch("x", Patch{Approval: Cancel, Fails: true}).
		Ask("x", Question{Header: "x", Options: []Choice{{Label: "x", Description: "x"}}}).
		Plan([]PlanStep{{Step: "x", Status: "pending"}}, "x").Search("x").
		Call("x", Call{Server: "x", Arguments: map[string]any{}, Result: "x", Fails: true}).
		Spawn("x", "y").Retry("x", 1, 2).Fail("x", "other").Hang().
		Usage(Usage{Input: &one, Cached: &one, Output: &one, Reasoning: &one})
	schema := read(t, "script.json")
	var known, written []string
	for _, step := range schema.Defs["Step"].OneOf {
		name := step.Ref[strings.LastIndex(step.Ref, "/")+1:]
		known = append(known, strings.Join(keys(schema.Defs[name].Properties), " "))
	}
	for _, step := range d.turns[0] {
		written = append(written, strings.Join(keys(step), " "))
	}
	slices.Sort(known)
	slices.Sort(written)
	if !reflect.DeepEqual(known, written) {
		t.Errorf("%q\n%q", known, written)
	}
	if approval := d.turns[0][2]["approval"]; approval != true {
		t.Error(approval)
	}
	if got := keys(d.script()); !reflect.DeepEqual(got, []string{"model", "step"}) {
		t.Error(got)
	}
	if got := keys(d.Turn().script()); !reflect.DeepEqual(got, []string{"model", "turn"}) {
		t.Error(got)
	}
}
