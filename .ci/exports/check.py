"""Reads exports of all recordings with the libraries of those who take them.

Every document has to be one that the library accepts, and what it keeps of it has to be all of it: no member may be one
that it does not know. Each check first has to find fault with a document that is wrong."""

import base64
import copy
import http.server
import importlib
import json
import pathlib
import pkgutil
import subprocess
import sys
import threading

from acp.schema import SessionNotification
from google.protobuf import json_format
from harbor.models.trajectories import Trajectory
from openinference.semconv import trace as openinference
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv import attributes as stable
from opentelemetry.semconv._incubating import attributes as incubating

program, fixtures, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PARTS = ["exec", "exec-legacy", "core", "app-server", "rollout", "rollout-cross", "synthetic"]
# What OpenTelemetry has no name for is named after who says it.
OURS = "codex_wire."


def names():
    """All names of attributes that the package of OpenTelemetry has."""
    found = set()
    for package in (stable, incubating):
        for module in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{module.name}")
            found |= {value for value in vars(module).values() if isinstance(value, str)}
    return found


def names_of_openinference():
    classes = [value for value in vars(openinference).values() if isinstance(value, type)]
    return {
        value
        for one in classes
        if one.__name__.endswith("Attributes")
        for key, value in vars(one).items()
        if isinstance(value, str) and not key.startswith("_")
    }


OTEL = names()
OPENINFERENCE = names_of_openinference() | {"exception.type", "exception.message", "service.name", "service.version"}
KINDS = {kind.value for kind in openinference.OpenInferenceSpanKindValues}
OPERATIONS = {"invoke_agent", "execute_tool", "chat"}


def base64_of_hex(message, member, length):
    if member in message:
        value = bytes.fromhex(message[member])
        assert len(value) == length and any(value), f"{member}: {message[member]}"
        message[member] = base64.b64encode(value).decode()


def traces(text, is_known):
    """OTLP in JSON is that of protobuf, except for ids, which are hexadecimal."""
    request = json.loads(text)
    seen, parents = set(), set()
    for resource in request["resourceSpans"]:
        attributes = [resource["resource"]["attributes"]]
        for span in resource["scopeSpans"][0]["spans"]:
            key = span["traceId"], span["spanId"]
            assert key not in seen, f"two spans are {key}"
            seen.add(key)
            attributes += [span["attributes"], *(event["attributes"] for event in span.get("events", []))]
            start, end = (int(span.get(name, 0)) for name in ("startTimeUnixNano", "endTimeUnixNano"))
            assert bool(start) == bool(end) and start <= end, f"from {start} to {end}"
            said = {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}
            assert said.get("openinference.span.kind", "LLM") in KINDS
            assert said.get("gen_ai.operation.name", "chat") in OPERATIONS
            has_failed = span.get("status", {}).get("code") == 2
            assert "openinference.span.kind" in said or has_failed == ("error.type" in said), f"status of {said}"
            for name, length in ("traceId", 16), ("spanId", 8), ("parentSpanId", 8):
                base64_of_hex(span, name, length)
        for one in attributes:
            keys = [attribute["key"] for attribute in one]
            assert len(set(keys)) == len(keys), f"an attribute twice: {keys}"
            unknown = [key for key in keys if not is_known(key)]
            assert not unknown, f"unknown: {unknown}"
    json_format.ParseDict(request, ExportTraceServiceRequest(), ignore_unknown_fields=False)


def otlp(text):
    traces(text, lambda key: key in OTEL or key.startswith(OURS))


def of_openinference(text):
    traces(text, OPENINFERENCE.__contains__)


def atif(text):
    trajectory = json.loads(text)
    Trajectory.model_validate(trajectory, strict=True)
    check_metrics(trajectory)


def check_metrics(trajectory):
    """The total is that of the steps, where each step has its own."""
    steps = [step["metrics"]["prompt_tokens"] for step in trajectory["steps"] if "metrics" in step]
    total = trajectory["final_metrics"].get("total_prompt_tokens")
    assert not steps or sum(steps) == total, f"{sum(steps)} of {total}"
    for child in trajectory.get("subagent_trajectories", []):
        check_metrics(child)


def acp(text):
    """The models mend what is wrong, so what they keep has to be what there was."""
    notification = json.loads(text)
    assert notification["jsonrpc"] == "2.0" and notification["method"] == "session/update"
    params = notification["params"]
    kept = SessionNotification.model_validate(params).model_dump(by_alias=True, exclude_none=True, mode="json")
    assert kept == params, f"kept {kept} of {params}"


def spoil(document, place, value):
    """A document with something else in a place."""
    document = copy.deepcopy(document)
    at = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return json.dumps(document)


SPAN = ["resourceSpans", 0, "scopeSpans", 0, "spans", 0]
UPDATE = ["params", "update"]
# For each format its flags, its check, and what has to be found.
FORMATS = {
    "otlp": (["--to", "otlp", "--content"], otlp, [([*SPAN, "kinds"], 1), ([*SPAN, "attributes", 0, "key"], "gen_ai.what")]),
    "openinference": (
        ["--to", "openinference", "--content"],
        of_openinference,
        [([*SPAN, "traceId"], "00"), ([*SPAN, "attributes", 0, "key"], "llm.what")],
    ),
    "atif": (["--to", "atif"], atif, [(["steps", 0, "step_id"], 2), (["what"], 1)]),
    "acp": (["--to", "acp"], acp, [([*UPDATE, "what"], 1), ([*UPDATE, "sessionUpdate"], "what")]),
}


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps what is sent to it."""

    def do_POST(self):
        self.server.documents.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def live():
    """Holds what `check --follow --otlp` sends: no document may be one that the library does not read, and no span may come twice."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.documents = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    count, bad = 0, 0
    paths = [path for part in ("exec/0.169.0", "app-server/0.169.0", "rollout/0.125.0") for path in sorted((fixtures / part).rglob("*.jsonl"))]
    for path in paths[:: len(paths) // 60]:
        flags = ["--follow", "--until-idle", "0.1", "--otlp", address, "--content"]
        made = subprocess.run([program, "check", *flags, str(path)], capture_output=True, text=True)
        documents, server.documents = server.documents, []
        spans = [json.loads(text)["resourceSpans"][0]["scopeSpans"][0]["spans"] for text in documents]
        ids = [(span["traceId"], span["spanId"]) for one in spans for span in one]
        count += len(documents)
        try:
            assert "not sent" not in made.stderr, made.stderr
            assert len(set(ids)) == len(ids), "a span comes twice"
            for text in documents:
                otlp(text)
        except Exception as error:
            bad += 1
            print(f"otlp, live, {path}: {type(error).__name__}: {str(error)[:1500]}")
    print(f"otlp, live: {count} documents, {bad} faults")
    return bad > 0 or count < 60


def main():
    failed = live()
    for name, (flags, check, faults) in FORMATS.items():
        count, bad = 0, 0
        for part in PARTS:
            made = subprocess.run([program, "convert", *flags, str(fixtures / part)], capture_output=True, text=True)
            errors = [line for line in made.stderr.splitlines() if "cannot convert" in line]
            documents = [line for line in made.stdout.split("\n") if line]
            count += len(documents)
            for text in documents:
                try:
                    check(text)
                except Exception as error:
                    bad += 1
                    if bad < 4:
                        print(f"{name}, {part}: {type(error).__name__}: {str(error)[:1500]}\n  {text[:300]}")
            unexpected = [line for line in errors if "no session of Codex" not in line]
            for line in unexpected:
                bad += 1
                print(f"{name}, {part}: {line}")
        first = json.loads(documents[0])
        for place, value in faults:
            try:
                check(spoil(first, place, value))
            except Exception:
                continue
            bad += 1
            print(f"{name}: {place} may be {value}: the check finds nothing")
        print(f"{name}: {count} documents, {bad} faults")
        failed |= bad > 0 or count < 500
    sys.exit(failed)


main()
