// Counts the recorded lines that fit the types of others, and our own. The test of the types leaves the
// lines in `sources`. Copy it to `.cache/types/typescript`, and run it there:
//   node compare.mjs FOLDER_OF_GENERATE_TS FOLDER_OF_CODEX_SDK
// docs/languages.md has all commands.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const [upstream, sdk] = process.argv.slice(2).map((path) => resolve(path));
const options = {
  strict: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2022, noEmit: true, types: [], skipLibCheck: true,
};

/** How many of these statements compile, after one line that imports the types. */
function count(name, head, statements) {
  const path = resolve(`sources/${name}.ts`);
  const text = [head, ...statements].join("\n");
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) =>
    file === path ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true) : read(file, ...rest);
  const program = ts.createProgram([path], options, host);
  const source = program.getSourceFile(path);
  const wrong = new Set();
  for (const diagnostic of program.getSemanticDiagnostics(source)) {
    wrong.add(source.getLineAndCharacterOfPosition(diagnostic.start).line);
  }
  if (wrong.has(0)) throw new Error(`${name}: ${head}`);
  return statements.length - wrong.size;
}

function lines(protocol, release) {
  const files = readdirSync("sources").filter(
    (name) => name.startsWith(`${protocol}-${release ?? ""}`) && /^[a-z-]+-0\.[^-]*\.ts$/.test(name),
  );
  return files.flatMap((name) => {
    const [head, ...rest] = readFileSync(join("sources", name), "utf8").trimEnd().split("\n");
    return [{ name, head, statements: rest }];
  });
}

const total = (groups) => groups.reduce((sum, { statements }) => sum + statements.length, 0);
for (const release of [undefined, "0.163.0."]) {
  const exec = lines("exec", release).filter(({ name }) => !name.startsWith("exec-legacy"));
  const head = `import type * as T from ${JSON.stringify(join(sdk, "dist/index"))};`;
  const ours = exec.reduce((sum, { head, statements }) => sum + count("compare-a", head, statements), 0);
  const theirs = exec.reduce((sum, { statements }) => sum + count("compare-b", head, statements), 0);
  console.log(`exec ${release ?? ""}: ${total(exec)} lines, ours ${ours}, @openai/codex-sdk ${theirs}`);
}
for (const kind of ["ServerNotification", "ServerRequest", "ClientRequest", "ClientNotification"]) {
  const [group] = lines("app-server", "0.169.0.");
  const statements = group.statements.filter((line) => line.endsWith(`satisfies T.${kind};`));
  const head = `import type * as T from ${JSON.stringify(join(upstream, "index"))};`;
  const without = statements.map((line) => line.replace(/"emittedAtMs":\d+,/, ""));
  const ours = count("compare-c", group.head, statements);
  const [theirs, rest] = [count("compare-d", head, statements), count("compare-e", head, without)];
  console.log(
    `app-server 0.169.0, ${kind}: ${statements.length} lines, ours ${ours}, generate-ts ${theirs}, ` +
      `without emittedAtMs ${rest}`,
  );
}
