import sys

from openai_codex import Codex
from openai_codex.client import CodexConfig

config = CodexConfig(codex_bin=sys.argv[1])
with Codex(config) as codex:
    thread = codex.thread_start()
    print(thread.run("Do it.").final_response)
with Codex(config) as codex:
    print(codex.thread_resume(thread.id).run("Go on.").final_response)
