// Makes a schema for json-schema-to-typescript of one for code generators: `node narrowable.mjs < in.json > out.json`.
//
// TypeScript narrows a union by a tag only if no alternative takes every text. So the tag of a kind that the release does
// not have becomes a member of an enumeration, which no text is, and a value that it does not have leaves the listed ones
// to be completed. Only what json-schema-to-typescript makes of the schema is meant: it no longer validates.
import fs from "node:fs";

const schema = JSON.parse(fs.readFileSync(0, "utf8"));
const definitions = schema.definitions ?? schema.$defs;
const place = schema.definitions ? "definitions" : "$defs";
const what = "that this release does not have";
for (const definition of Object.values(definitions)) {
  if (!/^A (kind|value) of `[^`]+` that this release does not have\.$/.test(definition.description ?? "")) continue;
  if (definition.type === "string") definition.tsType = "(string & {})";
  for (const tag of Object.keys(definition.properties ?? {})) definition.properties[tag] = { $ref: `#/${place}/UnknownTag` };
}
definitions.UnknownTag = { title: "UnknownTag", type: "string", enum: [`a kind ${what}`], tsEnumNames: ["Tag"] };
process.stdout.write(JSON.stringify(schema));
