"""What generators made of the schemas for them: models and types accept every recorded line.

Reads the recorded cases of cases.py, validates them with the models of datamodel-code-generator, and writes a
file of TypeScript per protocol in which each line is a value of its type.
"""

import importlib
import json
import pathlib
import sys

work, cases = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(work))
ROOTS = {"exec": "ThreadEvent", "rollout": "RolloutLine", "app-server": "Message"}
messages = {protocol: {} for protocol in ROOTS}
for line in cases.open():
    case = json.loads(line)
    if case["is_recorded"]:
        text = json.dumps(case["message"])
        messages[case["schema"].split("/")[0]][text] = case["message"]
failed = False
for protocol, root in ROOTS.items():
    model = getattr(importlib.import_module(protocol.replace("-", "_")), root)
    found = messages[protocol]
    refused = []
    for text, message in found.items():
        try:
            model.model_validate(message)
        except ValueError as error:
            refused.append((text, error))
    for text, error in refused[:3]:
        print(text[:200], error)
    print(f"pydantic: {len(found) - len(refused)} of {len(found)} lines of {protocol}")
    failed |= bool(refused) or not found
    lines = "".join(f"  {text},\n" for text in found)
    text = f'import type {{ {root} }} from "./{protocol}";\nexport const lines: {root}[] = [\n{lines}];\n'
    (work / f"lines-{protocol}.ts").write_text(text)
# What is wrong in a known part has to be refused, else the types say nothing.
(work / "wrong.ts").write_text(
    'import type { AgentMessageItem } from "./exec";\n'
    'export const wrong: AgentMessageItem = { id: 1, type: "agent_message", text: "" };\n'
)
sys.exit(failed)
