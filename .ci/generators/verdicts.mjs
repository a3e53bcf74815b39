// What ajv says of each case of cases.py, in both drafts: one line per case, the verdicts as 0 and 1.
// Every schema is compiled in strict mode first.
import fs from "node:fs";
import path from "node:path";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";

const [schemas, cases] = process.argv.slice(2);
const logger = { log() {}, warn(text) { throw new Error(text); }, error(text) { throw new Error(text); } };
const compiled = new Map();

/** A schema of a file, compiled as strictly as ajv can, except for `strictRequired`. */
function compile(file) {
  if (!compiled.has(file)) {
    const schema = JSON.parse(fs.readFileSync(path.join(schemas, file), "utf8"));
    const Draft = file.includes(".draft-07.") ? (Ajv.default ?? Ajv) : (Ajv2020.default ?? Ajv2020);
    const ajv = new Draft({ strict: true, strictRequired: false, logger });
    compiled.set(file, ajv.compile(schema));
  }
  return compiled.get(file);
}

let strict = 0;
for (const file of fs.readdirSync(schemas, { recursive: true })) {
  if (/\.(open|exact)\..*json$/.test(file)) {
    compile(file);
    strict += 1;
  }
}
process.stderr.write(`ajv compiles ${strict} schemas in strict mode\n`);
const out = [];
for (const line of fs.readFileSync(cases, "utf8").split("\n")) {
  if (!line) continue;
  const { schema, message } = JSON.parse(line);
  const verdicts = [schema, schema.replace(/\.json$/, ".draft-07.json")].map((file) => compile(file)(message));
  out.push(verdicts.map(Number).join(" "));
}
process.stdout.write(out.join("\n") + "\n");
