"""Uses codex-sdk-python as a project would, and prints what it shows: one JSON object a line.

Arguments: the scenario, the path of `codex`, and the working directory of the agent.
"""

import asyncio
import dataclasses
import json
import sys

from codex_sdk import (
    AppServerClient,
    AppServerOptions,
    ApprovalDecisions,
    Codex,
    CodexOptions,
    ThreadOptions,
    TurnOptions,
)

PROMPT = "Do the recorded thing."
SCENARIO, CODEX, PROJECT = sys.argv[1:]
OPTIONS = ThreadOptions(
    working_directory=PROJECT,
    skip_git_repo_check=True,
    sandbox_mode="danger-full-access",
    approval_policy="never",
)
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "integer"}},
    "required": ["answer"],
    "additionalProperties": False,
}


def show(what, value):
    print(json.dumps({what: value}), flush=True)


def client():
    return Codex(CodexOptions(codex_path_override=CODEX))


async def run_turn(thread, prompt):
    turn = await thread.run(prompt)
    show("turn", dataclasses.asdict(turn))
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
        show("event", dataclasses.asdict(event))


async def structured():
    options = TurnOptions(output_schema=SCHEMA)
    turn = await client().start_thread(OPTIONS).run(PROMPT, options)
    show("parsed", json.loads(turn.final_response))


def server():
    return AppServerClient(AppServerOptions(codex_path_override=CODEX))


async def start(app, policy="never"):
    started = await app.thread_start(
        cwd=PROJECT, sandbox="danger-full-access", approval_policy=policy
    )
    return started["thread"]["id"]


async def server_turn(policy="never", approvals=None, interrupts=False):
    async with server() as app:
        thread = await start(app, policy)
        session = await app.turn_session(thread, PROMPT, approvals=approvals)
        async for event in session.notifications():
            # The others are about the machine and the account.
            if {"thread", "threadId"} & event.params.keys():
                show("event", {"method": event.method, "params": event.params})
            if interrupts and event.method == "item/agentMessage/delta":
                interrupts = False
                await app.turn_interrupt(thread, session.turn_id)
        show("turn", await session.wait())


async def server_approved():
    await server_turn("untrusted", ApprovalDecisions(command_execution="accept"))


async def server_declined():
    await server_turn("untrusted", ApprovalDecisions(command_execution="decline"))


async def server_interrupted():
    await server_turn(interrupts=True)


async def answer():
    turn = await client().start_thread(OPTIONS).run(PROMPT)
    print(turn.final_response)


async def server_answer():
    text = ""
    async with server() as app:
        session = await app.turn_session(await start(app), PROMPT)
        async for event in session.notifications():
            item = (event.params or {}).get("item") or {}
            if event.method == "item/completed" and item.get("type") == "agentMessage":
                text = item["text"]
        turn = await session.wait()
    print(text)
    sys.exit(turn is None or turn["status"] != "completed")


SCENARIOS = {
    "answer": answer,
    "server_answer": server_answer,
    "run": run,
    "resume": resume,
    "streamed": streamed,
    "structured": structured,
    "failed": run,
    "server": server_turn,
    "server_approved": server_approved,
    "server_declined": server_declined,
    "server_interrupted": server_interrupted,
    "server_failed": server_turn,
}

try:
    asyncio.run(SCENARIOS[SCENARIO]())
except Exception as error:  # What a client raises is what it shows.
    show("error", {"type": type(error).__name__, "message": str(error)})
    sys.exit(1)
