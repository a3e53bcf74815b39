import sys

from openai_codex.client import CodexClient, CodexConfig


def answer(method, params):
    # In a thread of its own, so that it may come anywhere between the deltas.
    print(f"[{params.get('command') or params.get('itemId')}]", file=sys.stderr)
    return {"decision": "accept"}


# `Codex` leaves approvals to a model or denies them; a program is asked by the client below it.
with CodexClient(CodexConfig(codex_bin=sys.argv[1]), approval_handler=answer) as client:
    client.initialize()
    thread = client.thread_start({"approvalPolicy": "untrusted"}).thread
    turn = client.turn_start(thread.id, "Do it.").turn
    client.register_turn_notifications(turn.id)
    while True:
        event = client.next_turn_notification(turn.id)
        if event.method == "item/agentMessage/delta":
            print(event.payload.delta, end="", flush=True)
        if event.method == "turn/completed":
            break
    if event.payload.turn.status.value != "completed":
        sys.exit(f"the turn ended: {event.payload.turn.error}")
