import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Whether santinela-upgrade sees an alarm of the running daemon: its own functions, with answers of releases. */

const SCRIPT = readFileSync(new URL("../../systemd/santinela-upgrade", import.meta.url), "utf8");
const FUNCTIONS = ["answer_to", "level", "level_by_records"].map((name) => {
  const [text] = new RegExp(`^${name}\\(\\) \\{(?: .* \\}|\\n[\\s\\S]*?^\\})$`, "m").exec(SCRIPT) ?? [];
  if (text === undefined) throw new Error(`santinela-upgrade has no function ${name}`);
  return text;
});
/** What the daemon of 0.1.0 answers, shortened. */
const STATUS_OF_0_1_0 = {
  version: "0.1.0",
  site: { name: 'A "headline', ref: "a" },
  conditions: [],
  trips: {},
};

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  const program = join(folder, "bin/santinela");
  // `interventions list --status planned` reads the file of the status.
  writeFileSync(program, "#!/bin/sh\ncase $1 in status) cat $FOLDER/status ;; *) cat $FOLDER/$4 ;; esac\n");
  chmodSync(program, 0o755);
});

const answers = (question: string, answer: unknown): void =>
  writeFileSync(join(folder, question), `${JSON.stringify(answer, null, 2)}\n`);
const record = (fields: object): object => ({
  name: 'a "type": "other" name',
  type: "maintenance",
  police: false,
  ambulance: false,
  firetruck: false,
  ...fields,
});

/** @param waitS for how long an answer is awaited, instead of 20 s */
function level(waitS = 20): string {
  const PATH = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
  const functions = FUNCTIONS.join("\n").replace(/(timeout.*) 20 /, `$1 ${waitS} `);
  const script = `set -eu\n${functions}\nlevel`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
    env: { PATH, FOLDER: folder },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.trim();
}

test("the headline of a daemon counts, and no answer is no level", () => {
  expect(level()).toBe("");
  answers("status", { version: "0.2.0", headline: { level: "alarm", text: "x" } });
  expect(level()).toBe("alarm");
  answers("status", { version: "0.2.0", headline: { level: "attention", text: "x" } });
  answers("planned", [record({ type: "other" })]);
  expect(level()).toBe("attention");
});

test("a daemon of 0.1.0 has an alarm while the record of a trip is not done, and none without such a record", () => {
  answers("status", STATUS_OF_0_1_0);
  answers("planned", []);
  answers("in_progress", [record({})]);
  expect(level()).toBe("well");
  answers("in_progress", [record({}), record({ type: "other" })]);
  expect(level()).toBe("alarm");
  answers("in_progress", []);
  answers("planned", [record({ firetruck: true })]);
  expect(level()).toBe("alarm");
});

test("a daemon of 0.1.0 that does not answer what its records are has no level", () => {
  answers("status", STATUS_OF_0_1_0);
  answers("planned", []);
  expect(level()).toBe("");
});

test("a daemon of 0.1.0 has an alarm while a signal test is not done", () => {
  answers("status", STATUS_OF_0_1_0);
  answers("planned", [record({ name: "SIGNAL TEST", type: "other" })]);
  answers("in_progress", []);
  expect(level()).toBe("alarm");
});

test("a command that does not end is killed, however it takes a request to end", () => {
  writeFileSync(join(folder, "bin/santinela"), "#!/bin/sh\ntrap '' TERM\nsleep 10\n");
  const startMs = performance.now();
  expect(level(0.5)).toBe("");
  expect(performance.now() - startMs).toBeLessThan(8000);
});
