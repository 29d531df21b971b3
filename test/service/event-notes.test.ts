import { expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import type { EventService } from "../../src/service/events.ts";
import { Connection } from "../../src/threads/channel.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";

const BYPASS = { event: "zone-bypassed", who: "ana@example.ro", from: "127.0.0.1", detail: {} } as const;

test("bypasses that the records could not take before the daemon stops are in the technical log", async () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = new JsonLog({ level: "info", clock, write: (line) => void lines.push(line) });
  // The thread of the records does not run.
  const events = new Connection().remote<EventService>("events");
  const notes = new EventNotes({ events, clock, log });
  notes.note({ ...BYPASS, subject: "zone door" });
  await eventually("the first attempt", () => clock.advanceToNext(1_000));
  await eventually("the second attempt", () => clock.advanceToNext(1_000));
  expect(lines).toEqual([]);
  notes.note({ ...BYPASS, subject: "zone gate" });
  notes.stop();
  await eventually("both", () => lines.length === 2);
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const common = { level: "error", event: "event-write-failed" };
  expect(logged).toMatchObject([
    { ...common, subject: "zone door" },
    { ...common, subject: "zone gate" },
  ]);
});
