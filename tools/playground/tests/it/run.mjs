// Runs the module of the playground over files, in one instance, and writes its outputs: those of each file behind each other,
// with the length of each before it.
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

const [module, list, out] = process.argv.slice(2);
const to = openSync(out, "w");
let file = -1;
let name = "";
let memory = null;
const written = [[], [], []];
const bytes = (from, length) => new Uint8Array(memory.buffer, from, length);
const page = {
  name: (at, room) => new TextEncoder().encodeInto(name, bytes(at, room)).written,
  read: (at, room) => readSync(file, bytes(at, room)),
  write: (output, from, length) => written[output].push(bytes(from, length).slice()),
  panicked: (from, length) => console.log(`${name}: ${new TextDecoder().decode(bytes(from, length))}`),
};
const { instance } = await WebAssembly.instantiate(readFileSync(module), { page });
memory = instance.exports.memory;
for (const path of readFileSync(list, "utf8").split("\n")) {
  name = path;
  file = openSync(path, "r");
  instance.exports.run(1);
  closeSync(file);
  for (const parts of written) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0));
    writeSync(to, Buffer.concat([length, ...parts]));
    parts.length = 0;
  }
}
