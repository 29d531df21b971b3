import { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { Narrator } from "../../src/cli/demo/narrator.ts";

/* What the demo says of a site with two records and a centre, and whether it succeeds. */

const record = (id: number, name: string, objectiveId = 1): object => ({
  id,
  name,
  objectiveId,
  dateStart: "2026-11-20T21:30:00",
});
const HERE = [record(1, "Door"), record(2, "Gate")];
/** A running daemon with these interventions. */
const daemonWith = (records: readonly object[]): DaemonProcess =>
  ({ get: () => Promise.resolve(records) }) as unknown as DaemonProcess;

test.each<[what: string, there: object[], isSame: boolean, said: string[]]>([
  ["each of them once", [record(8, "Gate"), record(9, "Door")], true, ["#9, once", "#8, once"]],
  ["only one of them", [record(9, "Door")], false, ["#9, once", "0 times"]],
  [
    "one of them twice",
    [record(7, "Door"), record(8, "Gate"), record(9, "Door")],
    false,
    ["2 times", "#8, once"],
  ],
  ["one twice and the other not", [record(8, "Door"), record(9, "Door")], false, ["2 times", "0 times"]],
  ["one at another objective", [record(8, "Gate", 2), record(9, "Door")], false, ["#9, once", "0 times"]],
  ["one more", [record(7, "Roof"), record(8, "Gate"), record(9, "Door")], false, ["#9, once", "#8, once"]],
])("a centre that has %s", async (_what, there, isSame, said) => {
  let text = "";
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  expect(await new Narrator(stdout).compare(daemonWith(HERE), daemonWith(there), HERE.length)).toBe(isSame);
  expect(text.match(/#\d+, once|\d+ times/g)).toEqual(said);
});

test("a site that lacks a record of its own differs, although the centre has the rest", async () => {
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const one = [record(1, "Door")];
  expect(await new Narrator(stdout).compare(daemonWith(one), daemonWith(one), 2)).toBe(false);
});
