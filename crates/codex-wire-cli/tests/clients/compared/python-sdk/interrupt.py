import sys

from openai_codex import Codex
from openai_codex.client import CodexConfig

with Codex(CodexConfig(codex_bin=sys.argv[1])) as codex:
    first = codex.thread_start().turn("Do it.")
    events = first.stream()
    while next(events).method != "item/agentMessage/delta":
        pass
    print(codex.thread_start().run("Do the other.").final_response)
    first.interrupt()
    for event in events:
        pass
    print(event.payload.turn.status.value)
