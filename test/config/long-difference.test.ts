import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { textDiff } from "../../src/config/text-diff.ts";
import { DaemonConfiguration } from "../../src/daemon-configuration.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { TESTER } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

test("the event log says when it has not all of a difference, and identifies both files", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "santinela-difference-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const file = join(dataDir, "site.yaml");
  const [before, text] = ["zones: []\n", `# ${"x".repeat(70)}\n`.repeat(400)];
  writeFileSync(file, before);
  const clock = new ManualClock();
  const noted: { event: string; detail: object }[] = [];
  const configuration = new DaemonConfiguration({
    config: { file, dataDir, zones: [] },
    clock,
    log: new JsonLog({ level: "error", clock, write: () => {} }),
    conditions: { list: () => [], raise: () => undefined },
    events: { note: (event: (typeof noted)[number]) => void noted.push(event) } as never,
    reload: () => Promise.resolve({ zones: { added: [], removed: [], changed: [] } } as never),
    onProven: () => {},
    isStalled: () => true,
  });
  const change = { text, hash: hashOf(before), by: TESTER };
  await configuration.apply({ ...change, diff: textDiff(before, text) });
  await configuration.apply({ ...change, diff: "-a\n+b" });

  const [long, short] = noted.map(({ event, detail }) => [event, (detail as { diff: string }).diff]);
  expect(long?.[0]).toBe("configuration-reverted");
  const last = long?.[1]?.split("\n").at(-1);
  expect(last).toMatch(/^… \d+ more characters; SHA-256 of the file before /);
  expect(last).toContain(`before ${hashOf(before)}, after ${hashOf(text)}`);
  expect(short).toEqual(["configuration-reverted", "-a\n+b"]);
});
