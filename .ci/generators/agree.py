"""Whether validators agree on the cases of cases.py.

agree.py SCHEMAS CASES AJV BOON PROGRAM: the verdicts of ajv come from verdicts.mjs, those of boon from
`xtask schemas verdicts`; PROGRAM is codex-wire.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import fastjsonschema
import jsonschema
import jsonschema_rs

schemas, all_cases, of_ajv, of_boon, program = map(pathlib.Path, sys.argv[1:])


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


def of_program(path, messages):
    """Whether `codex-wire check` has errors about the form of each message, not about their order.

    None where it finds by the open profile only what belongs to another release: open schemas do not know that.
    """
    protocol = path.split("/")[0]
    # The address of a schema ends in `RELEASE.PROFILE.json`, perhaps with more words before the `json`.
    version = json.loads((schemas / path).read_text())["$id"].rpartition("/")[2].split(".")
    release, profile = ".".join(version[:3]), version[3]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(message) + "\n" for message in messages)
        file.flush()
        command = [program, "check", "--no-config", "--format", "jsonl", "--max-findings", "all"]
        command += ["--protocol", protocol, "--release", release, "--profile", profile, file.name]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    report = [json.loads(line) for line in ran.stdout.splitlines()]
    assert ran.returncode in (0, 1) and report[-1]["kind"] == "totals", report[-1:]
    errors = [each for each in report if each["kind"] == "finding" and each["severity"] == "error"]
    broken = [set() for _ in messages]
    for each in errors:
        if each["rule"].startswith(("schema/", "framing/")):
            broken[each["line"] - 1].add(each["rule"])
    beyond = {"schema/wrong-release"} if profile == "open" else None
    return [None if rules == beyond else not rules for rules in broken]


cases = [json.loads(line) for line in all_cases.open()]
said = []
validators = {}
for case, *answers in zip(cases, of_ajv.open(), of_boon.open(), strict=True):
    path, message = case["schema"], case["message"]
    if path not in validators:
        validators[path] = compiled(path)
    words = {name: accepts(message) for name, accepts in validators[path].items()}
    for name, answer in zip(["ajv", "boon"], answers):
        words[name], words[f"{name}, draft-07"] = (word == "1" for word in answer.split())
    said.append(words)
# The program checks what follows such a line by the release that the line names.
names_release = [case["message"].get("type") == "session_meta" for case in cases]
for path in validators:
    of_path = [index for index, case in enumerate(cases) if case["schema"] == path and not names_release[index]]
    for index, accepts in zip(of_path, of_program(path, [cases[index]["message"] for index in of_path])):
        if accepts is not None:
            said[index]["codex-wire"] = accepts

recorded = sum(case["is_recorded"] for case in cases)
accepted = sum(words["ajv"] for words in said)
differ = [index for index, words in enumerate(said) if len(set(words.values())) > 1]
asked = sum("codex-wire" in words for words in said)
print(f"{'; '.join(max(said, key=len))} ({asked} of the cases)")
print(f"{len(cases)} cases, {recorded} of them as recorded; {accepted} accepted; {len(differ)} disagreements")
for index in differ[:10]:
    print(cases[index]["schema"], said[index], json.dumps(cases[index]["message"])[:300])
# A schema that accepts nothing, or everything, would be agreed on too.
sys.exit(bool(differ) or not len(cases) // 10 < accepted < len(cases) * 9 // 10)
