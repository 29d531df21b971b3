// Empties dist/ and copies what the compiler leaves out: a file that has lost its source must not stay behind.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const dist = new URL("../dist/", import.meta.url);
rmSync(dist, { recursive: true, force: true });
mkdirSync(new URL("generated/", dist), { recursive: true });
cpSync(new URL("../src/generated/validators.js", import.meta.url), new URL("generated/validators.js", dist));
