// JSON.parse, alone and with standalone code of ajv, over the corpora of a folder.
// Usage: node node.cjs FOLDER ROUNDS; prints a line of JSON per contestant and corpus.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const Ajv = require("ajv").default;
const standaloneCode = require("ajv/dist/standalone").default;

// The code is compiled as it runs hot, which takes longer than a few rounds of a small corpus.
const LEAST_SECONDS = 2;

const [folder, rounds] = [process.argv[2], Number(process.argv[3])];

/** The lines of a file, as bytes: they arrive as such, and decoding them is part of the work. */
function linesOf(file) {
  const bytes = fs.readFileSync(file);
  const lines = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Compiles what `names` point at and loads it as the module a build would have written. */
function standalone(schema, names, file) {
  const options = { strict: false, discriminator: true, messages: false, code: { source: true } };
  const ajv = new Ajv(options);
  ajv.addSchema(schema);
  fs.writeFileSync(file, standaloneCode(ajv, names));
  return require(file);
}

/** One validator for all kinds, which finds the kind by the schema's `discriminator`. */
function discriminated(schema, tag, file) {
  return standalone(schema, { validator: schema.$id }, file).validator;
}

/** A validator for each kind, and a look at the tag to choose among them. */
function perTag(schema, tag, file) {
  const union = tag.length === 1 ? schema : unionAt(schema, tag[0]);
  const names = {};
  const kinds = Object.entries(union["x-mapping"]);
  const definitions = { ...schema.definitions };
  kinds.forEach(([, reference], index) => {
    let target = reference;
    if (tag.length > 1) {
      // The message around the member whose kinds differ.
      const name = `kind${index}`;
      const { definitions: _, $id, $schema, ...around } = schema;
      const properties = { ...schema.properties, [tag[0]]: { $ref: reference } };
      definitions[name] = { ...around, properties };
      target = `#/definitions/${name}`;
    }
    names[`validator${index}`] = schema.$id + target;
  });
  const module = standalone({ ...schema, definitions }, names, file);
  const validators = new Map(kinds.map(([kind], index) => [kind, module[`validator${index}`]]));
  if (tag.length === 1) {
    const [name] = tag;
    return (value) => {
      const validator = validators.get(value?.[name]);
      return validator !== undefined && validator(value);
    };
  }
  const [outer, inner] = tag;
  return (value) => {
    const validator = validators.get(value?.[outer]?.[inner]);
    return validator !== undefined && validator(value);
  };
}

/** The union that a member of the message refers to. */
function unionAt(schema, member) {
  const place = schema.properties[member];
  const reference = place.$ref ?? place.allOf[0].$ref;
  return schema.definitions[reference.split("/").pop()];
}

/** How many lines are accepted. */
function count(lines, accepts) {
  let accepted = 0;
  for (const line of lines) {
    try {
      if (accepts(line.utf8Slice(0, line.length))) accepted += 1;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return accepted;
}

const contestants = [
  ["JSON.parse", null],
  ["JSON.parse and ajv, a validator per tag", perTag],
  ["JSON.parse and ajv, discriminator", discriminated],
];

let serial = 0;
for (const { name, tag, parts } of JSON.parse(fs.readFileSync(path.join(folder, "corpora.json")))) {
  for (const [contestant, compile] of contestants) {
    const runs = parts.map((part) => {
      let accepts = (text) => JSON.parse(text) !== undefined;
      if (compile !== null) {
        serial += 1;
        const schema = JSON.parse(fs.readFileSync(part.schema));
        const validator = compile(schema, tag, path.join(__dirname, `validator-${serial}.cjs`));
        accepts = (text) => validator(JSON.parse(text));
      }
      return { part, accepts, lines: linesOf(part.lines) };
    });
    const sum = (over) => runs.reduce((all, run) => all + over(run), 0);
    const accepted = sum((run) => count(run.lines, run.accepts));
    let [best, all] = [Infinity, 0];
    for (let round = 0; round < rounds || all < LEAST_SECONDS; round += 1) {
      const [start, used] = [process.hrtime.bigint(), process.cpuUsage()];
      sum((run) => count(run.lines, run.accepts));
      const { user, system } = process.cpuUsage(used);
      const wall = Number(process.hrtime.bigint() - start) / 1e9;
      // Rubbish is collected on other threads too, so the processor's time may be the longer one.
      const seconds = Math.min(wall, (user + system) / 1e6);
      best = Math.min(best, seconds);
      all += seconds;
    }
    const outcome = {
      contestant: `node: ${contestant}`,
      corpus: name,
      validates: compile !== null,
      seconds: best,
      accepted,
      wrong: sum((run) => count(linesOf(run.part.wrong), run.accepts)),
      broken: sum((run) => count(linesOf(run.part.broken), run.accepts)),
    };
    console.log(JSON.stringify(outcome));
  }
}
