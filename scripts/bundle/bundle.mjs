// bundle.mjs [FROM [TO]]: bundles the compiled modules in FROM (build/) into the program in TO (dist/): main.js, and program/
// with its parts. A start loads some fifty parts instead of a thousand modules of the product and its packages, and each with
// a code cache (part-loader.cjs); contacts are not monitored during a start. Nothing is minified, so that stack traces are
// readable, and a comment before each module names its file.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../", import.meta.url));
const [, , from = join(root, "build"), to = join(root, "dist")] = process.argv;
const program = join(to, "program");

/** What Node.js starts, in a process or in a thread. */
const ENTRIES = [
  "main",
  "records-thread",
  "front-thread",
  "broker-thread",
  "ops/backup-worker-main",
  "ops/list-worker-main",
  "ops/backup-check-main",
];
const nameOf = (entry) => entry.split("/").at(-1);

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(ENTRIES.map((entry) => [nameOf(entry), join(resolve(from), `${entry}.js`)])),
  platform: "node",
  // Native add-ons, compiled for each machine.
  external: ["bcrypt", "better-sqlite3", "onoff"],
  logLevel: "silent",
});
const { output } = await bundle.generate({
  // Node.js 20 has code caches for scripts only.
  format: "cjs",
  // Small, and without a code cache: the others have a digest of their content in their name.
  entryFileNames: "[name].entry.js",
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();

rmSync(program, { recursive: true, force: true });
mkdirSync(program, { recursive: true });
for (const { fileName, code } of output) writeFileSync(join(program, fileName), asFunction(asAscii(code)));
writeFileSync(join(to, "package.json"), '{ "type": "commonjs" }\n');
copyFileSync(new URL("part-loader.cjs", import.meta.url), join(program, "part-loader.js"));
copyFileSync(new URL("code-cache.cjs", import.meta.url), join(program, "code-cache.js"));
for (const name of ENTRIES.map(nameOf)) {
  const [path, loader] =
    name === "main"
      ? [join(to, "main.js"), "./program/part-loader.js"]
      : [join(program, `${name}.js`), "./part-loader.js"];
  const shebang = name === "main" ? "#!/usr/bin/env node\n" : "";
  writeFileSync(path, `${shebang}require("${loader}").loadPart("${name}.entry.js");\n`);
}

/** What `part-loader.cjs` calls; on the first line, so that the numbers of lines stay. */
function asFunction(code) {
  return `(function (exports, require, module, __filename, __dirname) {${code.replace(/^#!.*/, "")}\n})`;
}

/** V8 keeps a text with one other character at two bytes for each. */
function asAscii(code) {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
