import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MAIN } from "../support/installation.ts";

test("the demo succeeds, and prints what it waits for", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "demo"], { timeout: 120_000 });
  expect(stdout).toMatch(/waiting for both interventions to arrive at the dispatch centre/);
  expect(stdout).toMatch(/The site still has its 4 interventions; the dispatch centre has 2/);
  expect(stdout.match(/#\d+, once/g)).toHaveLength(4);
  expect(stdout).toMatch(/Every trip is one intervention at the dispatch centre/);
}, 120_000);
