import fc from "fast-check";
import { expect, test } from "vitest";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { csvOf, type SaidEntry } from "../../src/panel/event-csv.ts";
import { detailText } from "../../src/panel/event-detail.ts";
import { EventStreamParser } from "../../src/panel/event-stream.ts";

const ENTRY: TimelineEntry = {
  at: "2026-11-20T21:30:00.000Z",
  event: "intervention-created",
  who: "ana@example.ro",
  from: "192.168.1.23",
  subject: "intervention 12",
  detail: { name: 'says "now", twice' },
};

const SAID = (): SaidEntry => ({ local: "2026-11-20 23:30:00", text: "ana@example.ro created intervention" });

test("the event log is exported as CSV, marked as UTF-8 for spreadsheets", () => {
  expect(csvOf([ENTRY], SAID)).toBe(
    '\uFEFF"at","event","who","from","subject","detail","localTime","sentence"\r\n' +
      '"2026-11-20T21:30:00.000Z","intervention-created","ana@example.ro","192.168.1.23","intervention 12",' +
      '"{""name"":""says \\""now\\"", twice""}","2026-11-20 23:30:00","ana@example.ro created intervention"\r\n',
  );
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])(
  "a value that begins like a formula (%j) is exported as text",
  (who) => {
    expect(csvOf([{ ...ENTRY, who }], SAID)).toContain(`"'${who}"`);
  },
);

test("a change shows the appended line of notes, otherwise the old and new value", () => {
  const first = "Zone Gate (gate, perimeter) tripped at 2026-11-20 23:30:00.";
  const second = "Zone Hall (hall, motion) tripped at 2026-11-20 23:30:04.";
  const before = { notes: first, crews: 1, priority: null };
  const after = { notes: `${first}\n${second}`, crews: 2, priority: "high" };
  expect(detailText({ before, after })).toBe(`notes: + ${second}, crews: 1 → 2, priority: – → high`);
  expect(detailText({ before: { notes: "" }, after: { notes: first } })).toBe(`notes: – → ${first}`);
  // At a dispatch centre the reference of the site stays the last line.
  const sent = { notes: `${first}\n[ref:hala-nord-01a20e01]` };
  const sentAgain = { notes: `${first}\n${second}\n[ref:hala-nord-01a20e01]` };
  expect(detailText({ before: sent, after: sentAgain })).toBe(`notes: + ${second}`);
});

test("an event stream cut at any byte gives the same messages", () => {
  const stream =
    ': still here\n\nevent: zones\nid: 3.1\ndata: [1]\n\nevent: status\nid: 3.1\ndata: {"a":\ndata: 2}\n\nid: 4.1\n\n';
  const whole = new EventStreamParser();
  const expected = whole.take(stream);
  expect(expected).toEqual([
    { event: "zones", id: "3.1", data: "[1]" },
    { event: "status", id: "3.1", data: '{"a":\n2}' },
  ]);
  expect(whole.lastId).toBe("4.1");
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
      const parser = new EventStreamParser();
      const offsets = [0, ...cuts.sort((a, b) => a - b), stream.length];
      const messages = offsets.flatMap((offset, index) =>
        parser.take(stream.slice(offsets[index - 1] ?? 0, offset)),
      );
      expect(messages).toEqual(expected);
    }),
  );
});
