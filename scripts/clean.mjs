// Empties build/ (the compiled modules) and dist/ (the program, bundled from them), so that no file without a source remains,
// and copies the files that the compiler does not process.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const root = new URL("../", import.meta.url);
for (const folder of ["build/", "dist/"]) rmSync(new URL(folder, root), { recursive: true, force: true });
mkdirSync(new URL("build/generated/", root), { recursive: true });
for (const name of ["validators.js", "configuration-validator.js", "input-validators.js"])
  cpSync(new URL(`src/generated/${name}`, root), new URL(`build/generated/${name}`, root));
