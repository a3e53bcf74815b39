"""Uses the Codex runner of takopi as its bot does, and prints what it shows: one JSON object a line.

Arguments: the scenario, the path of `codex`, and the working directory of the agent.
"""

import asyncio
import dataclasses
import json
import os
import sys
from pathlib import Path

from takopi.logging import setup_logging
from takopi.runners.codex import CodexRunner
from takopi.utils.paths import set_run_base_dir

PROMPT = "Do the recorded thing."
SCENARIO, CODEX, PROJECT = sys.argv[1:]
# What a user of the bot writes into its settings.
SETTINGS = ["-c", 'sandbox_mode="danger-full-access"', "-c", 'approval_policy="never"']


# It logs to standard output.
os.environ["TAKOPI_LOG_LEVEL"] = "critical"
setup_logging()


def show(what, value):
    print(json.dumps({what: value}), flush=True)


def events(prompt, resume=None):
    set_run_base_dir(Path(PROJECT))
    return CodexRunner(codex_cmd=CODEX, extra_args=SETTINGS).run(prompt, resume)


async def run(prompt=PROMPT, resume=None):
    async for event in events(prompt, resume):
        show("event", dataclasses.asdict(event))
        resume = getattr(event, "resume", None) or resume
    return resume


async def resume():
    await run("Go on.", await run())


async def answer():
    last = None
    async for event in events(PROMPT):
        last = event
    print(last.answer)
    sys.exit(not last.ok)


SCENARIOS = {"answer": answer, "run": run, "resume": resume, "everything": run, "failed": run}

try:
    asyncio.run(SCENARIOS[SCENARIO]())
except Exception as error:  # What a client raises is what it shows.
    show("error", {"type": type(error).__name__, "message": str(error)})
    sys.exit(1)
