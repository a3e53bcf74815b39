#!/usr/bin/env python3
"""A client that copes, and ends Codex as it is told: `ends.py HOW`, and with `codex exec` `ends.py HOW exec`.

HOW is what it does once its turn is over: `close` closes the input and waits, `close-terminate` does not
wait before it sends SIGTERM, `terminate` and `kill` close nothing.
"""

import json
import signal
import subprocess
import sys

# Codex may be silent forever.
signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))
signal.alarm(8)

arguments = ["exec", "--json", "Do the scripted thing."] if sys.argv[2:] else ["app-server"]
codex = subprocess.Popen(
    ["codex", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
)


def send(message):
    codex.stdin.write(json.dumps(message).encode() + b"\n")
    codex.stdin.flush()


def receive():
    for line in codex.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict):
            return message
    raise EOFError


def call(number, method, params):
    send({"id": number, "method": method, "params": params})
    while True:
        message = receive()
        if "method" not in message and str(message.get("id")) == str(number):
            return message["result"]


def end(how):
    if how in ("close", "close-terminate"):
        codex.stdin.close()
    if how in ("close-terminate", "terminate"):
        codex.terminate()
    if how == "kill":
        codex.kill()
    try:
        codex.wait(timeout=1)
    except subprocess.TimeoutExpired:
        codex.kill()
        codex.wait()


def run_exec(how):
    codex.stdin.close()
    text = ""
    while (event := receive()).get("type") not in ("turn.completed", "turn.failed"):
        item = event.get("item", {})
        if item.get("type") == "agent_message":
            text = item["text"]
    end(how)
    print(text)
    sys.exit(0 if event["type"] == "turn.completed" else 1)


def main(how):
    call(1, "initialize", {"clientInfo": {"name": "ends", "version": "1"}})
    send({"method": "initialized"})
    thread = call(2, "thread/start", {"cwd": "/tmp"})["thread"]["id"]
    text = {"type": "text", "text": "Do the scripted thing."}
    call(3, "turn/start", {"threadId": thread, "input": [text]})
    while (message := receive()).get("method") != "turn/completed":
        if "method" in message and "id" in message:
            send({"id": message["id"], "result": {"decision": "accept"}})
    end(how)
    status = message["params"]["turn"]["status"]
    print(status)
    sys.exit(0 if status == "completed" else 1)


try:
    run_exec(sys.argv[1]) if sys.argv[2:] else main(sys.argv[1])
except (EOFError, KeyError, BrokenPipeError):
    end("kill")
    sys.exit(1)
