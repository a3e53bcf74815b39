import sys

from openai_codex import Codex
from openai_codex.client import CodexConfig

with Codex(CodexConfig(codex_bin=sys.argv[1])) as codex:
    message = usage = None
    for event in codex.thread_start().turn("Do it.").stream():
        print(event.method, file=sys.stderr)
        if event.method == "item/completed" and event.payload.item.root.type == "agentMessage":
            message = event.payload.item.root.text
        if event.method == "thread/tokenUsage/updated":
            usage = event.payload.token_usage.total
    if event.payload.turn.status.value != "completed":
        sys.exit(f"the turn ended: {event.payload.turn.error}")
    print(message)
    print("tokens", usage.input_tokens, usage.output_tokens)
