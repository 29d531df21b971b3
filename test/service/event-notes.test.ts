import { expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { EventService } from "../../src/service/events.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { Connection, unavailable } from "../../src/threads/channel.ts";
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

test("an event whose answer was lost is in the log once, and another one beside it is not missing", async () => {
  const clock = new ManualClock();
  const log = new JsonLog({ level: "info", clock, write: () => {} });
  const database = openMainDatabase(":memory:");
  const service = new EventService({ database, clock });
  let lost = 0;
  const add: EventService["add"] = async (...given) => {
    await service.add(...given);
    // The thread of the records ends between its commit and its answer.
    if ((lost += 1) <= 3) throw unavailable();
  };
  const notes = new EventNotes({ events: { add }, clock, log });
  notes.note({ ...BYPASS, subject: "zone door" });
  notes.note({ ...BYPASS, subject: "zone gate" });
  notes.note({ event: "signed-in", who: "ana@example.ro", from: "127.0.0.1", subject: "", detail: {} });
  await eventually("each is sent again", () => {
    clock.advance(100);
    return lost === 6;
  });
  notes.note({ ...BYPASS, subject: "zone door" });
  await eventually("the next one", () => lost === 7);
  const subjects = () => new EventLog(database).newest(10).map(({ subject }) => subject);
  await eventually("the log has all", () => subjects().length >= 4);
  expect(subjects()).toEqual(["zone door", "", "zone gate", "zone door"]);
  expect(database.prepare("SELECT count(*) FROM audit WHERE event = 'signed-in'").pluck().get()).toBe(1);
  database.close();
});
