package codextest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// client runs a turn with `codex app-server`, declines what it is asked, and returns what the agent says last. It may have a bug.
func client(path, bug string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	if bug == "waits" {
		ctx, cancel = context.WithCancel(context.Background())
	}
	defer cancel()
	server := exec.CommandContext(ctx, path, "app-server")
	in, inErr := server.StdinPipe()
	out, outErr := server.StdoutPipe()
	if err := errors.Join(inErr, outErr, server.Start()); err != nil {
		return "", err
	}
	defer server.Wait()
	defer cancel()
	send := func(message map[string]any) {
		line, _ := json.Marshal(message)
		in.Write(append(line, '\n'))
	}
	send(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
		"clientInfo": map[string]any{"name": "own", "version": "1"},
	}})
	said := ""
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && bug == "end-is-success" {
			return said, nil
		}
		if err != nil {
			return "", err
		}
		var message struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Item struct{ Type, Text string }
				Turn struct{ Status string }
			}
			Result struct{ Thread struct{ ID string } }
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return "", err
		}
		id := string(message.ID)
		switch {
		case message.Error != nil:
			return "", errors.New(message.Error.Message)
		case message.Method == "" && id == "1":
			send(map[string]any{"method": "initialized"})
			send(map[string]any{"id": 2, "method": "thread/start", "params": map[string]any{}})
		case message.Method == "" && id == "2":
			input := []any{map[string]any{"type": "text", "text": "Clean up.", "text_elements": []any{}}}
			params := map[string]any{"threadId": message.Result.Thread.ID, "input": input}
			send(map[string]any{"id": 3, "method": "turn/start", "params": params})
		case message.Method == "":
		case id != "":
			send(map[string]any{"id": message.ID, "result": map[string]any{"decision": "decline"}})
		case message.Method == "item/completed":
			item := message.Params.Item
			if item.Type == "agentMessage" {
				said = item.Text
			} else if bug == "closed-enumeration" && item.Type != "userMessage" && item.Type != "commandExecution" {
				return "", fmt.Errorf("what is %s?", item.Type)
			}
		case message.Method == "turn/completed":
			if status := message.Params.Turn.Status; status != "completed" && bug != "status" {
				return "", fmt.Errorf("the turn is %s", status)
			}
			return said, nil
		}
	}
}
