import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { InterventionLists } from "../../src/store/intervention-lists.ts";
import { removeOldRecords } from "../../src/store/retention.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";

let site: TestApp;
beforeEach(async () => {
  site = await TestApp.forTest();
});

const everything = { filters: [], sort: [], start: 0, end: 1000 } as const;
const equal = (field: "status" | "priority" | "type", ...values: string[]) =>
  ({ field, operator: "equal", values }) as const;

const FIELDS = fc.record({
  status: fc.constantFrom<Intervention["status"]>("planned", "in_progress", "done"),
  priority: fc.constantFrom<Intervention["priority"]>("low", "medium", "high"),
  type: fc.constantFrom<Intervention["type"]>("maintenance", "inspection", "repair", "other"),
});
const STEP = fc.oneof(
  fc.record({ what: fc.constant("create" as const), fields: FIELDS, index: fc.nat() }),
  fc.record({
    what: fc.constantFrom("update", "delete", "refuse", "retire"),
    fields: FIELDS,
    index: fc.nat(),
  }),
);

test("the total of a list is the number of records after any create, update, delete, rejection and retention", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 60 }), (steps) => {
      for (const { what, fields, index } of steps) {
        const living = site.records();
        const id = living[index % Math.max(1, living.length)]?.id;
        if (what === "create")
          site.interventions.create(
            { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1, ...fields },
            OPERATOR_USER,
          );
        else if (what === "retire") removeOldRecords(site.database, site.clock.wallMs() + 1, 0);
        else if (id !== undefined && what === "update") site.interventions.update(id, fields, OPERATOR_USER);
        else if (id !== undefined && what === "delete") site.interventions.delete(id, OPERATOR_USER);
        else if (id !== undefined)
          expect(() =>
            site.interventions.update(
              id,
              { ...fields, objectiveType: "obiective/cladiri", objectiveId: 99 },
              OPERATOR_USER,
            ),
          ).toThrow();
      }
      const records = site.records();
      const total = (...filters: ReturnType<typeof equal>[]) =>
        site.lists.readHere({ ...everything, filters }).total;
      expect(total()).toBe(records.length);
      expect(total(equal("status", "planned"))).toBe(
        records.filter(({ status }) => status === "planned").length,
      );
      expect(total(equal("priority", "high", "low"), equal("type", "repair"))).toBe(
        records.filter(({ priority, type }) => priority !== "medium" && type === "repair").length,
      );
    }),
    { seed: 20261121, numRuns: 40 },
  );
});

test("a list has each record exactly as a single read returns it", () => {
  const strange = 'quote " backslash \\ line\nbreak tab\t emoji 🚒 ș \u2028 </script>';
  const { record } = site.interventions.create(
    {
      name: strange,
      description: strange,
      notes: null,
      dateStart: "2026-11-21T08:00:00",
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      police: true,
    },
    OPERATOR_USER,
  );
  const [text] = site.lists.readHere(everything).records;
  expect(text).toBe(JSON.stringify(record));
});

describe("by urgency", () => {
  const byUrgency = (descending: boolean) =>
    [
      { field: "status", descending, isUrgency: true },
      { field: "id", descending: true },
    ] as const;
  const urgencyOf = ({ status, priority }: Intervention): number =>
    status === "done" ? -1 : ["low", "medium", "high"].indexOf(priority);

  test("the unfinished records come first by their priority, then those that are done, on every page", () => {
    fc.assert(
      fc.property(fc.array(FIELDS, { maxLength: 40 }), fc.nat(20), fc.nat(20), (all, start, length) => {
        for (const fields of all)
          site.interventions.create(
            { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1, ...fields },
            OPERATOR_USER,
          );
        for (const descending of [true, false])
          for (const filters of [
            [],
            [equal("status", "planned", "done")],
            [{ ...equal("status", "done"), operator: "not-equal" } as const],
            [equal("priority", "high")],
          ]) {
            const expected = site
              .records()
              .filter(({ status, priority }) =>
                filters.every(
                  ({ field, operator, values }) =>
                    values.includes(field === "status" ? status : priority) === (operator === "equal"),
                ),
              )
              .toSorted((a, b) => (urgencyOf(a) - urgencyOf(b)) * (descending ? -1 : 1) || b.id - a.id);
            const sort = byUrgency(descending);
            const page = site.lists.readHere({ filters, sort, start, end: start + length });
            expect(page.total).toBe(expected.length);
            expect(page.records.map((text) => (JSON.parse(text) as Intervention).id)).toEqual(
              expected.slice(start, start + length).map(({ id }) => id),
            );
          }
      }),
      { seed: 20261128, numRuns: 15 },
    );
  });

  test("the first page reads the unfinished records and no more of the others than it shows", () => {
    const patrol = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
    for (let n = 0; n < 300; n += 1)
      site.interventions.create({ ...patrol, status: n % 10 === 0 ? "planned" : "done" }, OPERATOR_USER);
    let read = 0;
    const lists = new InterventionLists(site.database);
    lists.read({ filters: [], sort: byUrgency(true), start: 0, end: 50 }, (row) => {
      read = row;
    });
    expect(read).toBeLessThanOrEqual(30 + 50);
  });
});

describe("of a large table", () => {
  /** The query plan of a list. */
  function planOf(path: string): string {
    const asked: string[] = [];
    const prepare = site.database.prepare.bind(site.database);
    site.database.prepare = (text: string) => {
      asked.push(text);
      return prepare(text);
    };
    const [field = "", direction, ...filters] = path.split(" ");
    site.lists.readHere({
      sort: [{ field: field as "id", descending: direction === "DESC" }],
      filters: filters.map((word) => equal("status", word)),
      start: 0,
      end: 25,
    });
    const text = asked.find((one) => one.includes("json_object")) ?? "";
    const values = { limit: 25, start: 0, ...(filters.length > 0 ? { v0: filters[0] } : {}) };
    return (prepare(`EXPLAIN QUERY PLAN ${text}`).all(values) as { detail: string }[])
      .map(({ detail }) => detail)
      .join("; ");
  }

  test.each([
    ["id ASC"],
    ["id DESC"],
    ["name ASC"],
    ["status ASC"],
    ["type ASC"],
    ["priority ASC"],
    ["priority DESC"],
    ["dateStart ASC"],
    ["dateStart ASC planned"],
    ["id ASC planned"],
  ])("the first page by %s uses the order of an index", (path) => {
    // The last step sorts only the records of the page.
    const [before = ""] = planOf(path).split("; SCAN");
    expect(before).not.toContain("TEMP B-TREE");
  });

  test.each([["name DESC"], ["status DESC"], ["type DESC"], ["dateStart DESC"], ["dateStart DESC planned"]])(
    "the first page by %s sorts only equal values",
    (path) => {
      expect(planOf(path)).toMatch(/USING (COVERING )?INDEX \w+.*LAST TERM/);
    },
  );

  test("a field without an index is read in file order", () => {
    expect(planOf("crews ASC")).toMatch(/SCAN interventions;/);
  });
});
