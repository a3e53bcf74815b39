// Runs the checker over a file. It reads the file piece by piece while the checker asks for it, so this is a worker,
// which may wait: the page does not.
"use strict";
const PARTS = ["json", "report", "session"];
// Milliseconds between two messages about how far it is.
const PAUSE = 100;

self.onmessage = async ({ data: { module, file, name, mask } }) => {
  const reader = new FileReaderSync();
  const title = new TextEncoder().encode(name);
  const written = PARTS.map(() => []);
  let memory = null;
  let at = 0;
  let shown = 0;
  let lastWords = "";
  const bytes = (from, length) => new Uint8Array(memory.buffer, from, length);

  function progress() {
    const now = performance.now();
    if (now - shown < PAUSE) return;
    shown = now;
    self.postMessage({ read: at });
  }

  const page = {
    name(to, room) {
      const fits = title.subarray(0, room);
      bytes(to, fits.length).set(fits);
      return fits.length;
    },
    read(to, room) {
      progress();
      try {
        const piece = new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + room)));
        bytes(to, piece.length).set(piece);
        at += piece.length;
        return piece.length;
      } catch {
        // More than there is room: the file has changed, or is gone.
        return 0xffffffff;
      }
    },
    write(part, from, length) {
      written[part].push(bytes(from, length).slice());
    },
    panicked(from, length) {
      lastWords = new TextDecoder().decode(bytes(from, length));
    },
  };
  try {
    const instance = await WebAssembly.instantiate(module, { page });
    memory = instance.exports.memory;
    instance.exports.run(mask ? 1 : 0);
  } catch (error) {
    self.postMessage({ failed: lastWords || String(error) });
    return;
  }
  const [json, report, session] = written;
  const text = await new Blob(json).text();
  const { inputs } = JSON.parse(text);
  const { path, protocol, releases, identified, messages, verdict, error, counts, findings } = inputs[0];
  const html = (parts) => new Blob(parts, { type: "text/html;charset=utf-8" });
  self.postMessage({
    // The page shows the first findings; an unreadable file has none.
    outcome: { path, protocol, releases, identified, messages, verdict, error, counts, first: (findings || []).slice(0, 5) },
    json: new Blob(json, { type: "application/json" }),
    report: html(report),
    session: html(session),
  });
};
