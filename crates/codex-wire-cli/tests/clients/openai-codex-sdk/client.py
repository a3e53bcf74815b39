"""Uses openai-codex-sdk as a project would, and prints what it shows: one JSON object a line.

Arguments: the scenario, the path of `codex`, and the working directory of the agent.
"""

import asyncio
import json
import sys

from openai_codex_sdk import Codex

PROMPT = "Do the recorded thing."
SCENARIO, CODEX, PROJECT = sys.argv[1:]
OPTIONS = {
    "working_directory": PROJECT,
    "skip_git_repo_check": True,
    "sandbox_mode": "danger-full-access",
    "approval_policy": "never",
}


def show(what, value):
    print(json.dumps({what: value}), flush=True)


def client():
    return Codex({"codex_path_override": CODEX})


async def run_turn(thread, prompt):
    turn = await thread.run(prompt)
    show("turn", turn.model_dump(mode="json"))
    show("thread", thread.id)


async def run():
    await run_turn(client().start_thread(OPTIONS), PROMPT)


async def resume():
    first = client().start_thread(OPTIONS)
    await run_turn(first, PROMPT)
    # A second program continues the thread, so it knows no more than the id.
    await run_turn(client().resume_thread(first.id, OPTIONS), "Go on.")


async def streamed():
    turn = await client().start_thread(OPTIONS).run_streamed(PROMPT)
    async for event in turn.events:
        show("event", event.model_dump(mode="json"))


async def answer():
    turn = await client().start_thread(OPTIONS).run(PROMPT)
    print(turn.final_response)


SCENARIOS = {"answer": answer, "run": run, "resume": resume, "streamed": streamed, "failed": run}

try:
    asyncio.run(SCENARIOS[SCENARIO]())
except Exception as error:  # What a client raises is what it shows.
    show("error", {"type": type(error).__name__, "message": str(error)})
    sys.exit(1)
