import json
import sys

from openai_codex import Codex
from openai_codex.client import CodexConfig

schema = {
    "type": "object",
    "properties": {"answer": {"type": "integer"}},
    "required": ["answer"],
    "additionalProperties": False,
}
with Codex(CodexConfig(codex_bin=sys.argv[1])) as codex:
    turn = codex.thread_start().run("Do it.", output_schema=schema)
print(json.loads(turn.final_response)["answer"])
