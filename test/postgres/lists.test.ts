import { afterAll, beforeAll, expect, test } from "vitest";
import { RECORD_FIELDS, type InterventionCreate } from "../../src/domain/intervention.ts";
import { interventionQueryOf } from "../../src/http/lists.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* The same records and the same queries in SQLite and in PostgreSQL. */

const NAMES = ["Zid", "zid", "Ăla", "ala", "Ștefan", "stefan", "A_b%c", "a\\b", "10", "9", "É", "😀 roof"];
const NOTES = [null, "null", "", "Ușa din spate", "usa", "100%", "x\ny"];
const DATES = [
  null,
  "2026-03-01T08:00:00",
  "2026-03-01T08:00:00+02:00",
  "2026-03-01T06:00:00Z",
  "2026-11-20T23:30:00",
];

const ENDS = [
  null,
  "2026-12-01T08:00:00",
  null,
  null,
  "2026-12-01T06:00:00Z",
  "2026-11-30T23:30:00+02:00",
  null,
];

const RECORDS: readonly InterventionCreate[] = [...Array(60).keys()].map((number) => ({
  name: NAMES[number % NAMES.length] ?? "",
  notes: NOTES[number % NOTES.length] ?? null,
  description: NOTES[(number * 3) % NOTES.length] ?? null,
  dateStart: DATES[number % DATES.length] ?? null,
  dateEnd: ENDS[number % ENDS.length] ?? null,
  objectiveType:
    (["obiective/cladiri", "obiective/bunuri", "obiective/persoane"] as const)[number % 3] ??
    "obiective/cladiri",
  objectiveId: (number % 3) + 1,
  crews: [1, 2, 10, 11][number % 4] ?? 1,
  status: (["planned", "in_progress", "done"] as const)[number % 3] ?? "planned",
  priority: (["low", "medium", "high"] as const)[number % 2] ?? "low",
  police: number % 2 === 0,
  ambulance: number % 3 === 0,
}));

const QUERIES = [
  "",
  ...RECORD_FIELDS.flatMap((field) => [
    `_sort=${field}`,
    `_sort=${field},${field === "name" ? "id" : "name"}&_order=DESC,ASC`,
  ]),
  ...RECORD_FIELDS.flatMap((field) => [`${field}_like=1`, `${field}_like=A`]),
  // A page of more records than it has: several of these are read in parts.
  ...[
    "",
    "status=planned",
    "status_ne=done&priority=high",
    "status_ne=planned",
    "type=repair",
    "q=usa",
  ].flatMap((filter) =>
    [
      ...RECORD_FIELDS,
      "priorityRank",
      "urgencyRank",
      "urgencyRank,id",
      "urgencyRank,name",
      "status,priority",
      "dateEnd,crews",
      "crews,dateEnd",
    ].flatMap((sort) =>
      ["ASC,DESC", "DESC,ASC"].map((order) => `${filter}&_sort=${sort}&_order=${order}&_start=3&_end=11`),
    ),
  ),
  "_start=5&_end=9",
  "_start=900&_end=910",
  "_start=7&_end=3",
  "status=planned",
  "status=planned&status=done&priority=low",
  "status_ne=done&type=maintenance",
  "status_gte=in_progress",
  "police=true",
  "police_ne=true&ambulance=false",
  "police_gte=true",
  "ambulance_lte=false",
  "crews=1&crews=10",
  "crews_gte=2&crews_lte=10",
  "crews_ne=1",
  "id_gte=10&id_lte=20",
  "id=9007199254740991",
  "id_ne=3",
  "name=Zid",
  "name=zid&name=10",
  "name_ne=Zid",
  "name_gte=a",
  "name_lte=Z",
  "name_gte=%C8%98",
  "name_like=STEFAN",
  "name_like=%25",
  "name_like=_",
  "name_like=%5C",
  "name_like=%F0%9F%98%80",
  "name=a%00b",
  "name_ne=a%00b",
  "name_gte=9%00",
  "name_lte=9%00",
  "name_like=a%00",
  "notes=null",
  "notes=null&notes=usa",
  "notes_ne=null",
  "notes_ne=null&notes_ne=usa",
  "notes_ne=usa",
  "notes=",
  "notes_like=u%C8%99a",
  "notes_like=null",
  "notes_gte=null",
  "dateStart=null",
  "dateStart_ne=null",
  "dateStart=2026-03-01T06:00:00Z",
  "dateStart_gte=2026-03-01T06:00:00Z",
  "dateStart_lte=2026-03-01T08:00:00",
  "dateStart_like=t08",
  "objectiveType=obiective/bunuri&objectiveId=2",
  "objectiveType_like=CLAD",
  "invoicePdf=null",
  "invoicePdf_like=x",
  "q=usa",
  "q=%C8%98TEFAN",
  "q=100%25",
  "q=a%00b",
  "_sort=priorityRank&_order=DESC",
  "_sort=priorityRank,id&_order=ASC,DESC&_end=7",
  "q=usa&status=done&_sort=crews,id&_order=DESC,DESC&_end=4",
];

describeOnPostgres("a list in PostgreSQL", (server) => {
  let centre: PostgresCentre;
  let site: TestApp;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    site = await TestApp.make();
    for (const body of [...RECORDS, { ...PATROL, name: "Removed" }]) {
      const made = [centre.records, site.parts.records].map((records) => records.create(body, OPERATOR_USER));
      const [here, there] = await Promise.all(made);
      expect(here).toEqual(there);
    }
    for (const records of [centre.records, site.parts.records])
      await records.remove(RECORDS.length + 1, undefined, OPERATOR_USER);
  });
  afterAll(async () => {
    await centre.close();
    await site.close();
  });

  test.each(QUERIES)("has the same records, order and total as in SQLite: %s", async (text) => {
    const query = interventionQueryOf(new URLSearchParams(text), "Europe/Bucharest");
    const { signal } = new AbortController();
    const expected = await site.parts.records.page(query, signal);
    expect(await centre.records.page(query, signal)).toEqual(expected);
  });

  /** The records of a site: as it reads them before an alarm and for its comparison, and as its dispatchers filter them. */
  const OF_SITES = [
    { objectives: [{ type: "obiective/bunuri" as const, id: 2 }], accountId: 99 },
    { objectives: [{ type: "obiective/bunuri" as const, id: 1 }], accountId: 99 },
    { objectives: [], accountId: OPERATOR_USER.accountId },
    {
      objectives: [
        { type: "obiective/cladiri" as const, id: 1 },
        { type: "obiective/persoane" as const, id: 3 },
      ],
      accountId: OPERATOR_USER.accountId,
    },
  ];
  test.each([
    "",
    "_sort=id&_order=DESC&_start=0&_end=2",
    "_start=0&_end=1",
    "_sort=id&_order=DESC&_start=5&_end=11",
    "_start=900&_end=910",
    "_sort=name&_order=DESC&_end=5",
    "status=planned",
  ])("has the same records of a site, in the same order and with the same total: %s", async (text) => {
    const { signal } = new AbortController();
    for (const scope of OF_SITES) {
      const query = { ...interventionQueryOf(new URLSearchParams(text), "Europe/Bucharest"), scope };
      const expected = await site.parts.records.page(query, signal);
      expect(await centre.records.page(query, signal)).toEqual(expected);
    }
  });
});
