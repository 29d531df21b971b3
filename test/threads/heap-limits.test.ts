import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BUILD } from "../support/built-program.ts";

/* The limit in the environment of the service is one of V8 for each heap of the process. */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const unitOptions = /^Environment=NODE_OPTIONS=(.*)$/m.exec(text("systemd/santinela.service"))?.[1];
const imageOptions = /"NODE_OPTIONS=(.*)"/.exec(text("scripts/release/image.mjs"))?.[1];
const centreOptions = /^Environment=NODE_OPTIONS=(.*)$/m.exec(text("systemd/santinela-centre.service"))?.[1];

/** 6 MB of each are the young generation. */
const LIMITS_MB = [102, 402];

test.each([
  ["the service", unitOptions],
  ["the container", imageOptions],
  ["a dispatch centre", centreOptions],
])(
  "in %s each thread has its own heap limit, and the main thread keeps that of the process",
  (_, options) => {
    expect(options).toMatch(/^--max-old-space-size=\d+$/);
    const printed = execFileSync(
      process.execPath,
      [join(import.meta.dirname, "heap-limits.mjs"), join(BUILD, "ops/limited-thread.js")],
      { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: options } },
    );
    const { main, threads } = JSON.parse(printed) as { main: [number, number]; threads: number[] };
    expect(threads).toEqual(LIMITS_MB);
    expect(main[1]).toBe(main[0]);
  },
);
