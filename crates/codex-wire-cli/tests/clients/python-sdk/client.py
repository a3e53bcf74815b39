"""Uses the Python SDK as a project would, and prints what the SDK shows: one JSON object a line.

Arguments: the scenario, the path of `codex`, and the working directory of the agent.
"""

import json
import sys

from openai_codex import Codex
from openai_codex.api import ApprovalMode, Sandbox
from openai_codex.client import CodexClient, CodexConfig
from openai_codex.errors import TransportClosedError
from openai_codex.models import UnknownNotification
from pydantic import ValidationError

PROMPT = "Do the recorded thing."
SCENARIO, CODEX, PROJECT = sys.argv[1:]
CONFIG = CodexConfig(codex_bin=CODEX, cwd=PROJECT)


def show(what, value):
    print(json.dumps({what: value}), flush=True)


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def start(codex):
    return codex.thread_start(
        cwd=PROJECT, sandbox=Sandbox.full_access, approval_mode=ApprovalMode.deny_all
    )


def show_turn(turn):
    show(
        "turn",
        {
            "status": turn.status.value,
            "response": turn.final_response,
            "error": turn.error and plain(turn.error),
            "items": [plain(item) for item in turn.items],
            "usage": turn.usage and plain(turn.usage),
        },
    )


def show_event(event):
    known = not isinstance(event.payload, UnknownNotification)
    payload = plain(event.payload) if known else event.payload.params
    show("event", {"method": event.method, "known": known, "payload": payload})


def thread():
    with Codex(CONFIG) as codex:
        show("server", plain(codex.metadata))
        thread = start(codex)
        show("thread", thread.id)
        show("models", [model.id for model in codex.models().data])
        show("account", plain(codex.account()))
        thread.set_name("A name")
        turn = thread.run(PROMPT)
        show("response", turn.final_response)
        read = thread.read(include_turns=True).thread
        show("read", {"id": read.id, "turns": [plain(turn) for turn in read.turns]})


def turn():
    with Codex(CONFIG) as codex:
        thread = start(codex)
        show_turn(thread.run(PROMPT))
        show_turn(thread.run("Go on."))


def streamed():
    with Codex(CONFIG) as codex:
        for event in start(codex).turn(PROMPT).stream():
            show_event(event)


def approval(decision):
    def answer(method, params):
        show("asked", {"method": method, "params": params})
        return {"decision": decision}

    with CodexClient(CONFIG, approval_handler=answer) as client:
        client.initialize()
        params = {"cwd": PROJECT, "approvalPolicy": "untrusted", "sandbox": "danger-full-access"}
        thread = client.thread_start(params).thread
        turn = client.turn_start(thread.id, PROMPT).turn
        completed = client.wait_for_turn_completed(turn.id)
        show("completed", {"thread": completed.thread_id, "turn": plain(completed.turn)})


def interrupt():
    with Codex(CONFIG) as codex:
        turn = start(codex).turn(PROMPT)
        interrupted = False
        for event in turn.stream():
            show_event(event)
            if event.method == "item/agentMessage/delta" and not interrupted:
                interrupted = True
                turn.interrupt()


def failed():
    with Codex(CONFIG) as codex:
        show_turn(start(codex).run(PROMPT))


def answer():
    with Codex(CONFIG) as codex:
        turn = start(codex).run(PROMPT)
    print(turn.final_response)
    sys.exit(turn.status.value != "completed")


SCENARIOS = {
    "answer": answer,
    "thread": thread,
    "turn": turn,
    "streamed": streamed,
    "approved": lambda: approval("accept"),
    "declined": lambda: approval("decline"),
    "interrupted": interrupt,
    "failed": failed,
}

try:
    SCENARIOS[SCENARIO]()
except (BrokenPipeError, TransportClosedError):
    # Whether the SDK finds out by writing or by reading is left to chance.
    show("error", {"message": "Codex has exited"})
    sys.exit(1)
except ValidationError as error:
    # Its text has parts of the answer, which are cut anywhere.
    places = [".".join(map(str, place["loc"])) + ": " + place["msg"] for place in error.errors()]
    show("error", {"message": f"{error.title}: {'; '.join(places)}"})
    sys.exit(1)
except Exception as error:  # What a client raises is what it shows.
    show("error", {"type": type(error).__name__, "message": str(error)})
    sys.exit(1)
