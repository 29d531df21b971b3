// bundle.mjs FOLDER: bundles the built program into a few files in FOLDER. It starts in four fifths of the time of the
// separate modules; contacts are not monitored during a start. Nothing is minified, so that stack traces are readable, and a
// comment before each part names its source file.
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
    "records-thread": join(built, "records-thread.js"),
    "front-thread": join(built, "front-thread.js"),
    "broker-thread": join(built, "broker-thread.js"),
    "backup-worker-main": join(built, "ops", "backup-worker-main.js"),
    "list-worker-main": join(built, "ops", "list-worker-main.js"),
    "backup-check-main": join(built, "ops", "backup-check-main.js"),
  },
  platform: "node",
  // Native add-ons, compiled for each machine.
  external: ["bcrypt", "better-sqlite3", "onoff"],
  logLevel: "silent",
});
// The old program is removed only when the new one is complete.
const made = `${destination}.new`;
rmSync(made, { recursive: true, force: true });
await bundle.write({
  dir: made,
  format: "esm",
  // Two levels below the root, like the modules, because the path of the panel is relative.
  entryFileNames: ({ name }) => (name === "main" ? "main.js" : `program/${name}.js`),
  chunkFileNames: "program/[name]-[hash].js",
});
await bundle.close();
// Files that are not modules: the panel, licences, pages.
for (const entry of readdirSync(built, { withFileTypes: true }))
  if (entry.name === "panel" || (entry.isFile() && !entry.name.endsWith(".js")))
    cpSync(join(built, entry.name), join(made, entry.name), { recursive: true });
rmSync(destination, { recursive: true, force: true });
renameSync(made, destination);
