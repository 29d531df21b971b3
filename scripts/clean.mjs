// Empties dist/, so that no file without a source remains, and copies the files that the compiler does not process.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
rmSync(dist, { recursive: true, force: true });
mkdirSync(new URL("generated/", dist), { recursive: true });
cpSync(new URL("../src/generated/validators.js", import.meta.url), new URL("generated/validators.js", dist));
