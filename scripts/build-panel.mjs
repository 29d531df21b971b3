// Builds src/panel/ into dist/panel/: one page, one script, one style sheet, each also packed with gzip, so that the
// daemon packs nothing while it runs. Fails when the panel has outgrown its limit.
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** A phone on a bad line in a cellar; and a limit that nobody has to remember. */
const BYTES_MAX = 150_000;
const outDir = fileURLToPath(new URL("../dist/panel/", import.meta.url));

await build({
  configFile: false,
  root: fileURLToPath(new URL("../src/panel/", import.meta.url)),
  // Relative addresses: the panel also works behind a proxy that puts it under a path.
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir,
    emptyOutDir: true,
    target: "es2018",
    modulePreload: false,
    // A data: address would be refused by the content policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});

let bytes = 0;
for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
  const path = join(outDir, name);
  if (!statSync(path).isFile()) continue;
  const body = readFileSync(path);
  bytes += body.length;
  if (/\.(js|css)$/.test(name)) writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
}
if (bytes > BYTES_MAX) throw new Error(`the panel has ${bytes} bytes, more than ${BYTES_MAX}`);
