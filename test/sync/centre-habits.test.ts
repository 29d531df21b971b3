import { beforeEach, describe, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Habits that the centre of another vendor has in every response, not once: it has no idempotency keys. */

const refusal = (statusCode: number): ScriptedResponse =>
  json(statusCode, { error: "Error", message: "no", statusCode });

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

const query = (path: string): URLSearchParams => new URL(path, "http://centre").searchParams;
const isSorted = ({ method, path }: ReceivedRequest): boolean => method === "GET" && query(path).has("_sort");

/** The response to the first POST is lost. */
function loseFirstPost({ isStored }: { readonly isStored: boolean }): void {
  let isLost = false;
  centre[isStored ? "afterwards" : "instead"] = ({ method }) => {
    if (method !== "POST" || isLost) return undefined;
    isLost = true;
    return json(504, {});
  };
}

/** Lets two hours pass, a minute at a time. */
async function twoHours(): Promise<void> {
  for (let minute = 0; minute < 120; minute += 1) {
    await site.push.cycle();
    site.app.clock.advance(60_000);
  }
}

describe("an alarm", () => {
  test.each([301, 302, 303])(
    "is there once if each created record is followed by a redirect (%i)",
    async (status) => {
      centre.afterwards = ({ method }) =>
        method === "POST" ? { status, headers: { Location: "/interventii/1" } } : undefined;
      const { id } = site.create({ priority: "high" });
      await twoHours();
      expect(centre.rows.size).toBe(1);
      expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    },
  );

  test.each([403, 504])("is sent to a centre that answers its sorted list with %i", async (status) => {
    centre.instead = (request) => (isSorted(request) ? refusal(status) : undefined);
    site.create({ priority: "high" });
    await site.push.cycle();
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toEqual([]);
  });

  test.each([403, 504])(
    "without a response is reported if the sorted list is answered with %i, and sent again by a retry",
    async (status) => {
      loseFirstPost({ isStored: false });
      const { id } = site.create({ priority: "high" });
      await site.push.cycle();
      centre.instead = (request) => (isSorted(request) ? refusal(status) : undefined);
      await twoHours();
      expect(site.entry(id).phase).toBe("unsure");
      expect(site.conditions()).toEqual(["upstream-alarm-unproved"]);
      site.push.operator.retry(id);
      await site.push.cycle();
      expect(site.entry(id).phase).toBe("linked");
      expect(centre.rows.size).toBe(1);
    },
  );

  test.each([
    ["arrived", true],
    ["did not arrive", false],
  ])(
    "whose POST %s is there once at a centre that rejects pages of more than 50 rows",
    async (_what, isStored) => {
      for (let index = 0; index < 120; index += 1) centre.add({ name: `call ${index}` });
      const isLong = ({ path }: ReceivedRequest): boolean => {
        const page = query(path);
        return Number(page.get("_end")) - Number(page.get("_start")) > 50;
      };
      loseFirstPost({ isStored });
      const { instead } = centre;
      centre.instead = (request) => (isLong(request) ? refusal(400) : instead(request));
      const { id } = site.create({ priority: "high" });
      await twoHours();
      expect(site.entry(id).phase).toBe("linked");
      expect(centre.rows.size).toBe(121);
    },
  );

  test("without a response is found at a centre whose list shows no texts and no dates", async () => {
    centre.instead = ({ method, path }) => {
      if (method !== "GET" || !path.startsWith("/interventii?")) return undefined;
      const rows = [...centre.rows.values()]
        .sort((a, b) => b.id - a.id)
        .map(({ id, name }) => ({ id, name }));
      return json(200, rows.slice(Number(query(path).get("_start")), Number(query(path).get("_end"))));
    };
    loseFirstPost({ isStored: true });
    const { id } = site.create({ priority: "high", dateStart: "2026-11-20T10:00:00Z" });
    await twoHours();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });

  test("that a proxy delivers twice is linked if the centre rejects the second delivery as a conflict", async () => {
    const isThere = ({ body }: ReceivedRequest): boolean =>
      [...centre.rows.values()].some(({ notes }) => notes === (JSON.parse(body) as { notes: string }).notes);
    centre.instead = (request) => (request.method === "POST" && isThere(request) ? refusal(409) : undefined);
    centre.afterwards = ({ method }) => (method === "POST" ? refusal(409) : undefined);
    const { id } = site.create({ priority: "high" });
    await twoHours();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.rows.size).toBe(1);
  });
});

test("a copy far down in a list that is in the order of the starts is found by the comparison, and removed", async () => {
  const at = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
  for (let minute = 0; minute < 150; minute += 1)
    centre.add({ name: `call ${minute}`, dateStart: at(minute) });
  const read = ({ method, path }: ReceivedRequest): ScriptedResponse | undefined => {
    if (method !== "GET" || !path.startsWith("/interventii?")) return undefined;
    const byStart = [...centre.rows.values()].sort((a, b) =>
      String(b["dateStart"]).localeCompare(String(a["dateStart"])),
    );
    return json(200, byStart.slice(Number(query(path).get("_start")), Number(query(path).get("_end"))));
  };
  centre.instead = read;
  loseFirstPost({ isStored: true });
  const { id } = site.create({ priority: "high", dateStart: at(-60) });
  await twoHours();
  expect(centre.rows.size).toBe(152);
  await site.push.audit.runIfDue();
  await site.push.cycleWithChecks();
  expect(centre.rows.size).toBe(151);
  expect(centre.rows.has(site.entry(id).upstreamId ?? 0)).toBe(true);
});

test("a change reaches a centre that wraps the record of a read", async () => {
  centre.instead = ({ method, path }) => {
    const row = centre.rows.get(Number(/^\/interventii\/(\d+)$/.exec(path)?.[1]));
    return method === "GET" && row ? json(200, { data: row }) : undefined;
  };
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
  await site.push.cycle();
  expect(centre.rows.get(1)).toMatchObject({ crews: 3 });
});

test.each([
  ["in UTC without an offset", "2026-11-20T09:00:00+02:00", "2026-11-20T07:00:00"],
  ["with an offset that was not sent", "2026-11-20T09:00:00", "2026-11-20T09:00:00.000Z"],
])(
  "a start that the centre writes %s stays the same here when the first response was lost",
  async (_what, sent, kept) => {
    centre.keeps = (record) => ({ ...record, dateStart: kept });
    loseFirstPost({ isStored: true });
    const { id } = site.create({ priority: "high", dateStart: sent });
    await twoHours();
    await site.push.cycleWithChecks();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(site.app.interventions.get(id).record.dateStart).toBe(sent);
    centre.edit(1, { dateStart: "2026-11-20T10:00:00Z" });
    await twoHours();
    await site.push.cycleWithChecks();
    expect(site.app.interventions.get(id).record.dateStart).toBe("2026-11-20T10:00:00Z");
  },
);
