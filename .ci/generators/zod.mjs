// zod reads the schemas for generators, and what it makes accepts every recorded line.
import fs from "node:fs";
import path from "node:path";
import * as z from "zod";

const [schemas, cases] = process.argv.slice(2);
let failed = false;
for (const protocol of ["exec", "exec-legacy", "core", "app-server", "rollout", "hooks", "notify"]) {
  const file = path.join(schemas, protocol, "latest.codegen.json");
  const type = z.fromJSONSchema(JSON.parse(fs.readFileSync(file, "utf8")));
  const lines = fs.readFileSync(cases, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const own = lines.filter((line) => line.is_recorded && line.schema.split("/")[0] === protocol);
  const refused = own.filter((line) => !type.safeParse(line.message).success);
  failed ||= refused.length > 0;
  console.log(`zod: ${own.length - refused.length} of ${own.length} cases of ${protocol}`);
}
process.exit(failed ? 1 : 0);
