import { afterEach, beforeEach, expect, test } from "vitest";
import type { LinkSampleState } from "../../src/domain/link-history.ts";
import { LinkRecorder } from "../../src/ops/link-recorder.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { sqliteError, type Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { LinkSampleStore } from "../../src/store/link-samples.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MINUTE = 60_000;
let clock: ManualClock;
let database: Database;
let samples: LinkSampleStore;
let recorder: LinkRecorder;
let now: { state: LinkSampleState; oldestWaitingMs: number | null };
/** Thrown by the next readings. */
let fault: Error | undefined;
let errors: unknown[];

beforeEach(() => {
  clock = new ManualClock();
  database = openJournalDatabase(":memory:");
  samples = new LinkSampleStore(database);
  now = { state: "up", oldestWaitingMs: null };
  [fault, errors] = [undefined, []];
  const log = new JsonLog({ level: "debug", clock, write: () => {} });
  const readState = () => {
    if (fault) throw fault;
    return now;
  };
  recorder = new LinkRecorder({ samples, clock, log, readState, onError: (error) => errors.push(error) });
  recorder.start();
});
afterEach(() => {
  recorder.stop();
  database.close();
});

const all = () => samples.between(0, Number.MAX_SAFE_INTEGER);

test("a link that stays up is recorded every five minutes", () => {
  for (let minute = 0; minute < 60; minute += 1) clock.advance(MINUTE);
  expect(all()).toHaveLength(13);
});

test("a link that fails is recorded within seconds, with the age of the queue", () => {
  now = { state: "down", oldestWaitingMs: clock.wallMs() };
  clock.advance(10_000);
  expect(all().map(({ state, oldestUnsentS }) => [state, oldestUnsentS])).toEqual([
    ["up", null],
    ["down", 10],
  ]);
});

test("a record that waits between two entries is in the next one with its longest wait", () => {
  now = { state: "up", oldestWaitingMs: clock.wallMs() };
  for (let second = 0; second < 90; second += 10) clock.advance(10_000);
  now = { state: "up", oldestWaitingMs: null };
  for (let minute = 0; minute < 12; minute += 1) clock.advance(MINUTE);
  expect(all().map(({ oldestUnsentS }) => oldestUnsentS)).toEqual([null, 90, null]);
});

test("entries older than a month are removed, two with each new one", () => {
  const samplesOf = (minutes: number): void => {
    for (let minute = 0; minute < minutes; minute += 1) clock.advance(MINUTE);
  };
  samplesOf(60);
  clock.stepWall(32 * 24 * 60 * MINUTE);
  const nowMs = clock.wallMs();
  samplesOf(70);
  expect(all().every(({ atMs }) => atMs >= nowMs)).toBe(true);
  expect(all()).toHaveLength(14);
});

test("a clock that is years ahead for some minutes does not cost the entries of a month", () => {
  for (let minute = 0; minute < 60; minute += 1) clock.advance(MINUTE);
  const before = all();
  const aheadMs = 10 * 365 * 24 * 60 * MINUTE;
  clock.stepWall(aheadMs);
  for (let minute = 0; minute < 10; minute += 1) clock.advance(MINUTE);
  clock.stepWall(-aheadMs);
  clock.advance(10_000);
  expect(before.length - samples.between(0, clock.wallMs()).length).toBeLessThanOrEqual(4);
});

test("a damaged outbox is reported, and the link is recorded again once it can be read", () => {
  const before = all().length;
  fault = sqliteError("database disk image is malformed", "SQLITE_CORRUPT");
  now = { state: "down", oldestWaitingMs: null };
  clock.advance(20_000);
  expect(errors).toContain(fault);
  expect(all()).toHaveLength(before);
  fault = undefined;
  clock.advance(20_000);
  expect(all()).toHaveLength(before + 1);
});
