"""Uses the Codex runtime of hermes-agent as the agent does, and prints what it shows: one JSON object a line.

Arguments: the scenario, the path of `codex`, and the working directory of the agent.
"""

import dataclasses
import json
import os
import sys
from pathlib import Path

from agent.transports.codex_app_server import check_codex_binary
from agent.transports.codex_app_server_session import CodexAppServerSession

PROMPT = "Do the recorded thing."
SCENARIO, CODEX, PROJECT = sys.argv[1:]


def show(what, value):
    print(json.dumps({what: value}), flush=True)


def show_turn(result):
    turn = dataclasses.asdict(result)
    if turn["error"]:
        # What Codex logs comes after this.
        turn["error"] = turn["error"].split("\ncodex stderr (last")[0]
    show("turn", turn)


def session(**options):
    # It leaves the sandbox to the configuration of the user.
    config = Path(os.environ["CODEX_HOME"], "config.toml")
    before = config.read_text() if config.exists() else ""
    config.write_text('sandbox_mode = "danger-full-access"\n' + before)
    return CodexAppServerSession(cwd=PROJECT, codex_bin=CODEX, **options)


def run():
    # The agent asks for the version first, and requires 0.125.0.
    show("binary", check_codex_binary(CODEX))
    with session() as codex:
        show_turn(codex.run_turn(PROMPT))


def two_turns():
    with session() as codex:
        show_turn(codex.run_turn(PROMPT))
        show_turn(codex.run_turn("Go on."))


def compacted():
    with session() as codex:
        show_turn(codex.run_turn(PROMPT))
        show_turn(codex.compact_thread(turn_timeout=20))


def interrupted():
    # The user interrupts when the message begins to come.
    def on_event(event):
        if event["method"] == "item/agentMessage/delta":
            codex.request_interrupt()

    with session(on_event=on_event) as codex:
        show_turn(codex.run_turn(PROMPT))


def answer():
    with session() as codex:
        result = codex.run_turn(PROMPT, turn_timeout=10)
    print(result.final_text)
    sys.exit(bool(result.error or result.interrupted))


SCENARIOS = {
    "answer": answer,
    "run": run,
    "everything": run,
    "two_turns": two_turns,
    "compacted": compacted,
    "interrupted": interrupted,
    "failed": run,
}

try:
    SCENARIOS[SCENARIO]()
except Exception as error:  # What a client raises is what it shows.
    show("error", {"type": type(error).__name__, "message": str(error)})
    sys.exit(1)
