#!/usr/bin/env node
// Runs the program of this platform instead of this script: same arguments, streams and exit code.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { programPath } from "../lib/program.js";

/** The exit code of the program where something could not be done. */
const COULD_NOT = 2;

function fail(message) {
  process.stderr.write(`codex-wire: ${message}\n`);
  process.exitCode = COULD_NOT;
}

/** A terminal sends these to all programs in front of it, so the program has them already. */
const OF_TERMINALS = ["SIGINT", "SIGQUIT"];
const PASSED_ON = [...OF_TERMINALS, "SIGTERM", "SIGHUP", "SIGUSR2", "SIGCONT"];

function run(program) {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const listeners = PASSED_ON.filter((signal) => signal in constants.signals).map((signal) => {
    // Without a listener, a signal would end this script before the program.
    const listener = () => {
      if (!(atTerminal && OF_TERMINALS.includes(signal))) child.kill(signal);
    };
    process.on(signal, listener);
    return [signal, listener];
  });
  const release = () => listeners.forEach(([signal, listener]) => process.off(signal, listener));
  child.on("error", (error) => {
    release();
    fail(`cannot run ${program}: ${error.message}`);
  });
  child.on("exit", (code, signal) => {
    release();
    // Who waits for this script is to see that a signal ended the program.
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

try {
  run(programPath());
} catch (error) {
  fail(error.message);
}
