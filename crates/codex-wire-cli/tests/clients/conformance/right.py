#!/usr/bin/env python3
"""A small client of Codex that copes: `right.py exec` or `right.py app-server`.

It starts the first `codex` on the PATH, has one turn, prints the last message of the agent, and exits
with status 0 only if the turn completed.
"""

import json
import queue
import subprocess
import sys
import threading
import time

# How long Codex may be silent, in seconds.
SILENCE = 8


class Failure(Exception):
    """The turn did not complete."""


def turn_succeeded(turn):
    """A turn that is over did not necessarily succeed."""
    return turn.get("status") == "completed"


def run_succeeded(events, status):
    """A run succeeded if it says so, and its exit status does not say otherwise."""
    return "turn.completed" in events and status == 0


class Codex:
    """A process that writes lines of JSON."""

    def __init__(self, *arguments):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            ["codex", *arguments], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self.messages = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        # Bytes up to the newline: a line can come in parts, and a text can hold U+2028.
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self.messages.put(message)
        self.messages.put(None)

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Failure("Codex is gone") from None

    def next(self):
        try:
            return self.messages.get(timeout=SILENCE)
        except queue.Empty:
            raise Failure("Codex is silent") from None

    def close(self):
        """Ends the process, and returns its exit status."""
        try:
            self.process.stdin.close()
        except OSError:
            pass
        for end in (lambda: None, self.process.terminate, self.process.kill):
            end()
            try:
                return self.process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                continue
        return None


def run_exec():
    codex = Codex("exec", "--json", "Do the scripted thing.")
    codex.process.stdin.close()
    events, text = set(), ""
    try:
        while (event := codex.next()) is not None:
            events.add(event.get("type"))
            item = event.get("item", {})
            if event.get("type") == "item.completed" and item.get("type") == "agent_message":
                text = item["text"]
    finally:
        status = codex.close()
    print(text)
    if not run_succeeded(events, status):
        raise Failure("the run did not complete")


class Session:
    """A conversation with the app-server."""

    def __init__(self, codex):
        self.codex = codex
        self.last = 0
        self.text = ""

    def receive(self):
        message = self.codex.next()
        if message is None:
            raise Failure("Codex ended before the turn")
        if "method" in message and "id" in message:
            self.answer(message)
        elif message.get("method") == "item/completed":
            item = message["params"]["item"]
            if item.get("type") == "agentMessage":
                self.text = item["text"]
        return message

    def answer(self, request):
        if request["method"].endswith("/requestApproval"):
            self.codex.send({"id": request["id"], "result": {"decision": "accept"}})
        else:
            error = {"code": -32601, "message": "not supported"}
            self.codex.send({"id": request["id"], "error": error})

    def call(self, method, params):
        for _ in range(3):
            self.last += 1
            self.codex.send({"id": self.last, "method": method, "params": params})
            while True:
                message = self.receive()
                # Some proxies write ids as texts.
                if "method" not in message and str(message.get("id")) == str(self.last):
                    break
            if "error" not in message:
                return message["result"]
            if message["error"].get("code") != -32001:
                break
            time.sleep(0.1)
        raise Failure(message["error"].get("message"))

    def run(self):
        info = {"name": "right", "title": None, "version": "1.0.0"}
        self.call("initialize", {"clientInfo": info})
        self.codex.send({"method": "initialized"})
        thread = self.call("thread/start", {"cwd": "/tmp"})["thread"]["id"]
        text = {"type": "text", "text": "Do the scripted thing."}
        self.call("turn/start", {"threadId": thread, "input": [text]})
        while True:
            message = self.receive()
            if message.get("method") == "turn/completed":
                break
        print(self.text)
        if not turn_succeeded(message["params"]["turn"]):
            raise Failure("the turn did not complete")


def run_app_server():
    codex = Codex("app-server")
    try:
        Session(codex).run()
    finally:
        codex.close()


def main():
    try:
        {"exec": run_exec, "app-server": run_app_server}[sys.argv[1]]()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
