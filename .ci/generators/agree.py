"""Whether validators agree on the cases of cases.py; ajv's verdicts come from verdicts.mjs."""

import json
import pathlib
import sys

import fastjsonschema
import jsonschema
import jsonschema_rs

schemas, cases, of_ajv = map(pathlib.Path, sys.argv[1:])


def compiled(path):
    schema = json.loads((schemas / path).read_text())
    older = json.loads((schemas / path.replace(".json", ".draft-07.json")).read_text())
    fast = fastjsonschema.compile(older)

    def accepts_fast(message):
        try:
            fast(message)
        except fastjsonschema.JsonSchemaValueException:
            return False
        return True

    return {
        "jsonschema": jsonschema.Draft202012Validator(schema).is_valid,
        "jsonschema-rs": jsonschema_rs.validator_for(schema).is_valid,
        "jsonschema-rs, draft-07": jsonschema_rs.validator_for(older).is_valid,
        "fastjsonschema, draft-07": accepts_fast,
    }


validators = {}
number, recorded, accepted, differ = 0, 0, 0, []
for line, verdicts in zip(cases.open(), of_ajv.open(), strict=True):
    case = json.loads(line)
    path, message = case["schema"], case["message"]
    if path not in validators:
        validators[path] = compiled(path)
    said = {name: accepts(message) for name, accepts in validators[path].items()}
    said["ajv"], said["ajv, draft-07"] = (word == "1" for word in verdicts.split())
    number += 1
    recorded += case["is_recorded"]
    accepted += said["ajv"]
    if len(set(said.values())) > 1:
        differ.append((path, said, message))
print(f"{number} cases, {recorded} of them as recorded; {accepted} accepted; {len(differ)} disagreements")
for path, said, message in differ[:10]:
    print(path, said, json.dumps(message)[:300])
# A schema that accepts nothing, or everything, would be agreed on too.
sys.exit(bool(differ) or not number // 10 < accepted < number * 9 // 10)
