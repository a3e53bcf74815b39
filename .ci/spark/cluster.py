"""A cluster of Spark on this machine, and programs that fail on it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from fleet import REPOSITORY

SOURCES = REPOSITORY / "packages/python/src"

WITH_FAULTS = """#!/bin/sh
# The program, except for a fault that a file beside {faults} asks for. Whoever can remove the file has the fault.
echo "$PPID" >>{faults}/runs
if rmdir {faults}/exits 2>/dev/null; then
  {program} "$@" | head -c 20000
  echo "error: out of luck" >&2
  exit 2
fi
if rmdir {faults}/kills 2>/dev/null; then
  {program} "$@" | head -c 20000
  # A worker of Python, what it was forked from, and the executor.
  daemon="$(ps -o ppid= -p "$PPID")"
  kill -9 "$(ps -o ppid= -p $daemon | tr -d ' ')"
  sleep 60
fi
if rmdir {faults}/waits 2>/dev/null; then sleep 300; fi
exec {program} "$@"
"""


@contextmanager
def two_hosts(folder: Path) -> Iterator[str]:
    """The address of a cluster whose two workers have hosts of their own: Spark starts no second attempt on a host of the first."""
    home = Path(pyspark.__file__).parent
    logs = folder / "master.log"
    mine = {name: value for name, value in os.environ.items() if name != "CODEX_WIRE_PROGRAM"}
    environment = {**mine, "SPARK_HOME": os.fspath(home), "SPARK_DAEMON_MEMORY": "256m"}
    started = []

    def start(*arguments: str) -> None:
        command = [os.fspath(home / "bin/spark-class"), *arguments]
        with logs.open("a") as log:
            process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        started.append(process)

    def find(pattern: str) -> str:
        end = time.monotonic() + 120
        while not (found := re.search(pattern, logs.read_text())):
            assert time.monotonic() < end, logs.read_text()
            time.sleep(0.2)
        return found[0]

    try:
        start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        address = find(r"spark://127\.0\.0\.1:\d+")
        for host in "127.0.0.2", "127.0.0.3":
            work = os.fspath(folder / f"work-{host}")
            options = ["--host", host, "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", work]
            start("org.apache.spark.deploy.worker.Worker", *options, address)
        find(r"(?s)Registering worker.*Registering worker")
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


class Cluster:
    """Two executors with one core each: processes of their own. They run the program that `addFile` sends them."""

    def __init__(self, folder: Path, program: Path, master: str = "local-cluster[2,1,1024]") -> None:
        self.faults = folder / "faults"
        self.faults.mkdir(parents=True)
        # Executors work below the home of Spark.
        self.home = folder / "spark"
        self.home.mkdir()
        installed = Path(pyspark.__file__).parent
        for name in "bin", "jars", "sbin":
            (self.home / name).symlink_to(installed / name)
        os.environ["SPARK_HOME"] = os.fspath(self.home)
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.pop("CODEX_WIRE_PROGRAM", None)
        log = folder / "log4j2.properties"
        log.write_text("rootLogger.level = off\n")
        java = f"-Dlog4j2.configurationFile={log} -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
        settings = {
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.driver.extraJavaOptions": java,
            "spark.executor.extraJavaOptions": java,
            "spark.executorEnv.PYTHONPATH": os.fspath(SOURCES),
            "spark.executorEnv.PATH": "/usr/bin:/bin",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
            # A task that failed on an executor is not tried there again.
            "spark.excludeOnFailure.enabled": "true",
            "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "99",
            "spark.excludeOnFailure.application.maxFailedTasksPerExecutor": "99",
            "spark.speculation": "true",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.minTaskRuntime": "3s",
        }
        builder = SparkSession.builder.master(master).appName("fleets")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.spark = builder.getOrCreate()
        self.program = folder / "sent" / "codex-wire-table"
        self.program.parent.mkdir()
        self.program.write_text(WITH_FAULTS.format(faults=self.faults, program=program))
        self.program.chmod(0o755)
        self.spark.sparkContext.addFile(os.fspath(self.program))
        # The driver asks the program for the columns.
        os.environ["CODEX_WIRE_PROGRAM"] = os.fspath(program.with_name("codex-wire"))

    def frame(self, paths: list[str], tasks: int = 4) -> pyspark.sql.DataFrame:
        """A frame of paths, whose partitions are as many tasks."""
        rows = self.spark.sparkContext.parallelize([(path,) for path in paths], tasks)
        return self.spark.createDataFrame(rows, "path string")

    def fault(self, name: str) -> None:
        """Lets the next program that starts have a fault."""
        (self.faults / name).mkdir()

    def happened(self, name: str) -> bool:
        return not (self.faults / name).exists()

    def runs(self) -> int:
        """How many programs have started on executors."""
        runs = self.faults / "runs"
        return len(runs.read_text().splitlines()) if runs.exists() else 0

    def executors(self) -> set[str]:
        """The numbers of the executors that are there now."""
        return set(self.spark.sparkContext._jsc.sc().getExecutorIds().mkString(",").split(",")) - {""}

    def sent(self) -> list[Path]:
        """The program in the folder of each executor that is there now and has run it."""
        executors = self.executors()
        return sorted(path for path in self.home.glob("work/*/*/codex-wire-table") if path.parent.name in executors)

    def stop(self) -> None:
        self.spark.stop()
        gateway = pyspark.SparkContext._gateway
        if gateway is not None:
            # The process of Java ends with its standard input.
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait()
            pyspark.SparkContext._gateway = pyspark.SparkContext._jvm = None
        shutil.rmtree(self.home)
