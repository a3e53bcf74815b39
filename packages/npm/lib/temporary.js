// Folders for programs that play recordings, and who removes them.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** The folders of this machine. Containers may share the folder, but not their processes. */
const PREFIX = `codex-wire-${encodeURIComponent(hostname())}-`;

const own = [];

/**
 * A folder that is removed when this process exits. Test runners end their workers without an exit (vitest does):
 * what those left, the first call of a later process removes.
 */
export function temporary() {
  if (own.length === 0) {
    process.once("exit", () => own.forEach(remove));
    sweep();
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  own.push(folder);
  return folder;
}

/** Removes the folders of processes that are gone. */
function sweep() {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const [, owner] = /^(\d+)-\w+$/.exec(name.slice(PREFIX.length)) ?? [];
    if (owner !== undefined && isGone(Number(owner))) remove(join(tmpdir(), name));
  }
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // That of another user may not be asked, but is there.
    return error.code === "ESRCH";
  }
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Windows keeps a program that still runs, and another user's folder is not ours.
  }
}
