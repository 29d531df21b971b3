import { afterEach, beforeEach, expect, test } from "vitest";
import { silenceQuery, type SilenceQuery } from "../../src/domain/site-silence.ts";
import { SqliteFleet } from "../../src/service/sqlite-fleet.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";

/* A memory card flips a bit in the stored report of one site, at a dispatch centre on SQLite that runs on. */

const SILENT_MS = SILENCE.silentS * 1000;
let app: TestApp;
let fleet: SqliteFleet;

beforeEach(async () => {
  app = await TestApp.make();
  const { database, clock, interventions } = app;
  fleet = new SqliteFleet({ database, clock, interventions, timezone: "Europe/Bucharest", locale: "en" });
  await fleet.report(REPORT, OPERATOR_USER);
  await fleet.report({ ...REPORT, ref: "hala-sud", name: "Hala Sud" }, OPERATOR_USER);
});
afterEach(() => app.close());

test.each([
  ["no JSON", "{", "z"],
  ["JSON with another field", '"name"', '"nale"'],
])(
  "beside a report that is %s each silent site is found, and the site of the report reports again",
  async (_what, from, to) => {
    // As on a card, where no condition of the table holds.
    app.database.pragma("ignore_check_constraints = ON");
    app.database
      .prepare("UPDATE sites SET report = replace(report, ?, ?) WHERE ref = 'hala-nord'")
      .run(from, to);
    app.database.pragma("ignore_check_constraints = OFF");
    app.clock.advance(2 * SILENT_MS);
    const nowMs = app.clock.wallMs();
    const query = silenceQuery(nowMs, () => nowMs - 2 * SILENT_MS, SILENCE) as SilenceQuery;
    const { silent } = await fleet.findSilent(query);
    expect(silent.map(({ ref }) => ref).toSorted()).toEqual(["hala-nord", "hala-sud"]);
    await fleet.report({ ...REPORT, at: nowMs }, OPERATOR_USER);
    const { sites } = await fleet.page({
      levels: [],
      sort: "level",
      descending: false,
      start: 0,
      end: 10,
    });
    expect(sites.map(({ ref, level }) => [ref, level])).toEqual([
      ["hala-sud", "fault"],
      ["hala-nord", "well"],
    ]);
    expect(sites[1]?.report).toEqual({ ...REPORT, at: nowMs });
  },
);
