// bundle.mjs FOLDER: lays the built program into FOLDER as an installation runs it: a few files instead of hundreds, so
// that it starts in four fifths of the time, for which no contact is heard. Nothing is renamed or made smaller, so that a
// stack trace can be read; before each part stands the file that it is from.
import { cpSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const [, , destination] = process.argv;
if (destination === undefined) {
  process.stderr.write("usage: bundle.mjs FOLDER\n");
  process.exit(64);
}
const root = fileURLToPath(new URL("../../", import.meta.url));
const built = join(root, "dist");

const bundle = await rolldown({
  cwd: root,
  input: {
    main: join(built, "main.js"),
    "backup-worker-main": join(built, "ops", "backup-worker-main.js"),
    "list-worker-main": join(built, "ops", "list-worker-main.js"),
    "backup-check-main": join(built, "ops", "backup-check-main.js"),
  },
  platform: "node",
  // Add-ons, which are compiled for each machine.
  external: ["bcrypt", "better-sqlite3", "onoff"],
  logLevel: "silent",
});
// The program that is there goes when the new one is whole.
const made = `${destination}.new`;
rmSync(made, { recursive: true, force: true });
await bundle.write({
  dir: made,
  format: "esm",
  // Two levels below the root as the modules are, because the panel is looked for from there.
  entryFileNames: ({ name }) => (name === "main" ? "main.js" : `program/${name}.js`),
  chunkFileNames: "program/[name]-[hash].js",
});
await bundle.close();
// What is no module: the panel, licences, pages.
for (const entry of readdirSync(built, { withFileTypes: true }))
  if (entry.name === "panel" || (entry.isFile() && !entry.name.endsWith(".js")))
    cpSync(join(built, entry.name), join(made, entry.name), { recursive: true });
rmSync(destination, { recursive: true, force: true });
renameSync(made, destination);
