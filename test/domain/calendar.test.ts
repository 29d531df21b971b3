import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatLocal,
  isTimeZone,
  localDayTime,
  nextHour,
  parseDateTime,
  offsetSpan,
} from "../../src/domain/calendar.ts";
import { isoTime } from "../../src/domain/clock.ts";

const BUCHAREST = "Europe/Bucharest";

describe("parsing the date-times of the contract", () => {
  test.each([
    ["2025-09-10T08:00:00", "2025-09-10T05:00:00.000Z"],
    ["2025-01-10T08:00", "2025-01-10T06:00:00.000Z"],
    ["2025-09-10T08:00:00Z", "2025-09-10T08:00:00.000Z"],
    ["2025-09-10T08:00:00.5Z", "2025-09-10T08:00:00.500Z"],
    ["2025-09-10T08:00:00.12+02:00", "2025-09-10T06:00:00.120Z"],
    // Python, C# and Go write more digits than JavaScript.
    ["2025-09-10T08:00:00.123456", "2025-09-10T05:00:00.123Z"],
    ["2025-09-10T08:00:00.9999999Z", "2025-09-10T08:00:00.999Z"],
    ["2025-09-10T08:00:00.123456789+03:00", "2025-09-10T05:00:00.123Z"],
    ["2025-09-10T08:00-05:30", "2025-09-10T13:30:00.000Z"],
    ["2024-02-29T00:00:00", "2024-02-28T22:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["2025-09-10T08:00:00+23:59", "2025-09-09T08:01:00.000Z"],
  ])("%s is %s", (text, instant) => {
    expect(new Date(parseDateTime(text, BUCHAREST) ?? Number.NaN).toISOString()).toBe(instant);
  });

  test.each([
    "2025-02-30T08:00:00",
    "2025-02-29T08:00:00",
    "2025-13-01T08:00:00",
    "2025-00-10T08:00:00",
    "2025-09-10T24:00:00",
    "2025-09-10T08:60:00",
    "2025-09-10T08:00:60",
    "2025-09-10 08:00:00",
    "2025-09-10",
    "2025-09-10T08",
    "2025-09-10T08:00:00.",
    "2025-09-10T08:00:00.1234567890",
    "2025-09-10T08:00:00+2",
    "2025-09-10T08:00:00+24:00",
    "2025-09-10T08:00:00+02:60",
    "2025-06-31T08:00:00",
    "2025-06-00T08:00:00",
    "2025-09-10t08:00:00z",
    " 2025-09-10T08:00:00",
    "2025-09-10T08:00:00\n",
    "1757484000000",
    "0000-01-01T00:00:00",
    "",
  ])("%j is rejected", (text) => {
    expect(parseDateTime(text, BUCHAREST)).toBeUndefined();
  });

  test("a local time that occurs twice is the first one, and one that does not exist is shifted by the gap", () => {
    // Romania left summer time on 2025-10-26 at 04:00 and entered it on 2025-03-30 at 03:00.
    expect(parseDateTime("2025-10-26T03:30:00", BUCHAREST)).toBe(Date.UTC(2025, 9, 26, 0, 30));
    expect(parseDateTime("2025-03-30T03:30:00", BUCHAREST)).toBe(Date.UTC(2025, 2, 30, 1, 30));
  });

  test.each([
    ["2025-03-30T02:59:59", "2025-03-30T00:59:59.000Z"],
    ["2025-03-30T04:00:00", "2025-03-30T01:00:00.000Z"],
    ["2025-03-30T20:00:00", "2025-03-30T17:00:00.000Z"],
    ["2025-10-26T02:59:59", "2025-10-25T23:59:59.000Z"],
    ["2025-10-26T04:00:00", "2025-10-26T02:00:00.000Z"],
    ["2025-10-26T20:00:00", "2025-10-26T18:00:00.000Z"],
  ])("on the day of a change of the clocks, %s is %s", (text, instant) => {
    expect(new Date(parseDateTime(text, BUCHAREST) ?? Number.NaN).toISOString()).toBe(instant);
    expect(formatLocal(Date.parse(instant), BUCHAREST)).toBe(text);
  });

  test("each zone has its own offset at the same moment, also before 1973, when offsets had seconds", () => {
    const zones = [BUCHAREST, "Asia/Kathmandu", BUCHAREST, "UTC"];
    expect(zones.map((zone) => formatLocal(Date.UTC(2025, 0, 10, 6), zone))).toEqual([
      "2025-01-10T08:00:00",
      "2025-01-10T11:45:00",
      "2025-01-10T08:00:00",
      "2025-01-10T06:00:00",
    ]);
    // Bucharest was 1:44:24 ahead until July 1931.
    expect(formatLocal(Date.UTC(1931, 0, 1), BUCHAREST)).toBe("1931-01-01T01:44:24");
    expect(parseDateTime("1931-01-01T01:44:24", BUCHAREST)).toBe(Date.UTC(1931, 0, 1));
  });

  test("the day of the week begins with Monday, the minute at local midnight", () => {
    // 24 November 2025 is a Monday.
    expect(localDayTime(Date.UTC(2025, 10, 24, 6, 5, 59), BUCHAREST)).toEqual({ day: 0, minute: 485 });
    expect(localDayTime(Date.UTC(2025, 10, 23, 21, 59), BUCHAREST)).toEqual({ day: 6, minute: 1439 });
    expect(localDayTime(Date.UTC(2025, 10, 23, 22), BUCHAREST)).toEqual({ day: 0, minute: 0 });
  });
});

test("every second of the century survives the conversion to local time, except the hour that occurs twice", () => {
  const second = fc.integer({ min: 0, max: 4_102_444_800 });
  fc.assert(
    fc.property(
      second,
      fc.constantFrom(BUCHAREST, "UTC", "America/St_Johns", "Asia/Kathmandu"),
      (at, zone) => {
        const back = parseDateTime(formatLocal(at * 1000, zone), zone);
        return back === at * 1000 || back === (at - 3600) * 1000;
      },
    ),
  );
});

describe("the span of one offset", () => {
  const HOUR_MS = 3_600_000;

  test("ends at the changes of the clocks", () => {
    expect(offsetSpan(Date.UTC(2025, 5, 1), BUCHAREST)).toEqual({
      offsetMs: 3 * HOUR_MS,
      fromMs: Date.UTC(2025, 2, 30, 1),
      untilMs: Date.UTC(2025, 9, 26, 1),
    });
  });

  test.each([
    [Date.UTC(2025, 9, 26, 1) - 1, 3],
    [Date.UTC(2025, 9, 26, 1), 2],
  ])("the instant %d next to a change is in its own span", (at, hours) => {
    const { offsetMs, fromMs, untilMs } = offsetSpan(at, BUCHAREST);
    expect(offsetMs).toBe(hours * HOUR_MS);
    expect(fromMs <= at && at < untilMs).toBe(true);
  });

  test("finds a change of a few weeks, such as that of Morocco during Ramadan", () => {
    const { offsetMs, fromMs, untilMs } = offsetSpan(Date.UTC(2025, 2, 10), "Africa/Casablanca");
    expect([offsetMs, new Date(fromMs).toISOString(), new Date(untilMs).toISOString()]).toEqual([
      0,
      "2025-02-23T02:00:00.000Z",
      "2025-04-06T02:00:00.000Z",
    ]);
  });

  test("of a zone without changes is more than a year to each side", () => {
    const at = Date.UTC(2025, 5, 1, 12, 0, 30);
    const { offsetMs, fromMs, untilMs } = offsetSpan(at, "Asia/Kathmandu");
    expect(offsetMs).toBe(5.75 * HOUR_MS);
    expect(Math.min(at - fromMs, untilMs - at)).toBeGreaterThan(365 * 24 * HOUR_MS);
  });
});

test.each([
  ["in the evening", "2026-11-20T21:30:00Z", 6, "2026-11-21T04:00:00.000Z"],
  ["after midnight", "2026-11-20T22:30:00Z", 6, "2026-11-21T04:00:00.000Z"],
  ["a moment before it", "2026-11-21T03:59:59.999Z", 6, "2026-11-21T04:00:00.000Z"],
  ["at it", "2026-11-21T04:00:00Z", 6, "2026-11-22T04:00:00.000Z"],
  ["in the night in which the clocks go back", "2026-10-24T20:00:00Z", 6, "2026-10-25T04:00:00.000Z"],
  ["in the night in which they go forward", "2026-03-28T20:00:00Z", 6, "2026-03-29T03:00:00.000Z"],
  ["if it is skipped", "2026-03-28T22:30:00Z", 3, "2026-03-29T01:00:00.000Z"],
  ["between its two times", "2026-10-25T00:30:00Z", 3, "2026-10-26T01:00:00.000Z"],
])("the next full hour of the site %s", (_when, now, hour, next) => {
  expect(isoTime(nextHour(Date.parse(now), hour, BUCHAREST))).toBe(next);
});

test("an unknown time zone is detected", () => {
  expect(isTimeZone(BUCHAREST)).toBe(true);
  expect(isTimeZone("Europe/Bukarest")).toBe(false);
});

test("a time outside the calendar, as of a damaged row, is the nearest one that can be written", () => {
  for (const [wallMs, year] of [
    [1e16, "9999"],
    [-1e16, "0001"],
    [Number.POSITIVE_INFINITY, "9999"],
  ] as const) {
    expect(isoTime(wallMs).slice(0, 4)).toBe(year);
    expect(parseDateTime(isoTime(wallMs), "UTC")).toBeDefined();
    for (const zone of ["Europe/Bucharest", "Pacific/Kiritimati", "America/Adak"]) {
      expect(formatLocal(wallMs, zone)).toMatch(/^(0001|9999)-\d\d-\d\dT\d\d:\d\d:\d\d$/);
      expect(localDayTime(wallMs, zone).day).toBeLessThan(7);
    }
  }
});
