import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { eventually } from "../support/eventually.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { allSent, atCentre, expectedAtCentre } from "./both-sides.ts";
import { LeftInstallation, type LeftRecord, type LeftTrip } from "./left-installation.ts";
import { emptyTables } from "./tables.ts";
import { PEOPLE } from "./story-configuration.ts";

// A loaded machine needs a minute for each start of a daemon.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
/** Archives as `0.1.0/killed.tar.br`, of each release. */
const ARCHIVES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tar.br"))
  .toSorted();

describe.each(ARCHIVES)("an installation left by %s", (archive) => {
  let left: LeftInstallation;
  let before: ReturnType<LeftInstallation["left"]>;
  beforeEach(() => {
    left = new LeftInstallation(join(FOLDER, archive));
    before = left.left();
    // Otherwise the window, which is open, would be listed once its quiet hours are over: at any moment of a test.
    left.change("site/journal.db", `UPDATE swingers SET last_wall = ${Date.now()}`);
  });
  afterEach(() => left.remove());

  test("has rows in every table", () => {
    expect(emptyTables(left.folder)).toEqual([]);
  });

  test("everything is there at the first start, without the dispatch centre", async () => {
    await left.startSite();
    const records = await left.site.get<Intervention[]>("/interventii");
    const living = before.records.filter(({ isDeleted }) => isDeleted === 0);
    expect(records.slice(0, living.length).map(contentOf)).toEqual(living.map(contentOf));
    for (const [index, { notes }] of living.entries())
      for (const line of (notes ?? "").split("\n")) expect(records[index]?.notes ?? "").toContain(line);

    // What was in the journal alone: one trip is a record of its own, one joins an earlier one.
    const trips = await eventually(
      "no trip to wait",
      async () => {
        const all = (await left.site.get<LeftTrip[]>("/site/trips?limit=1000")).toReversed();
        return all.every(({ state }) => state !== "waiting") ? all : undefined;
      },
      120_000,
    );
    const others = before.trips.filter(({ about }) => about !== "restore");
    const known = new Map(trips.map((trip) => [trip.key, trip]));
    expect(known.size).toBe(trips.length);
    const undelivered = others.filter(({ state }) => state === "waiting").map(({ key }) => key);
    expect(undelivered.length).toBeGreaterThanOrEqual(2);
    const unchanged = others.filter(({ state }) => state !== "waiting");
    expect(unchanged.map(({ key }) => stateOf(known.get(key)))).toEqual(unchanged.map(stateOf));
    const late = undelivered.flatMap((key) => known.get(key) ?? []);
    // Each record that was added belongs to one trip; a fault of a sensor that is still silent may be a newer one.
    const settled = new Set(unchanged.map(({ key }) => key));
    const posted = trips.filter(({ key, state }) => state === "posted" && !settled.has(key));
    const added = (await left.site.get<Intervention[]>("/interventii")).slice(living.length);
    expect(added.map(({ id }) => id)).toEqual(
      posted.map(({ interventionId }) => interventionId ?? 0).toSorted((a, b) => a - b),
    );
    expect(late.map(({ zoneId, state }) => `${zoneId} ${state}`)).toEqual(
      expect.arrayContaining(["cash-desk merged", "cellar posted"]),
    );

    const { records: stuck } = await left.site.get<SyncView>("/site/sync");
    const phases = new Map(stuck.map(({ name, phase }) => [name, phase]));
    expect([...phases]).toEqual(expect.arrayContaining([...expectedPhases(before.records)]));
  });

  test("people sign in with their passwords, and orders of people are in force", async () => {
    const until = Date.now() + 3_600_000;
    left.change("site/journal.db", `UPDATE bypasses SET until_wall = ${until}`);
    await left.startSite();
    for (const name of ["ana", "paza", "vizitator"] as const) {
      const person = await ApiUser.signIn(left.sitePort, PEOPLE[name]);
      expect(await person.ask("GET", "/site/account")).toMatchObject({ email: PEOPLE[name].email });
    }
    await expect(ApiUser.signIn(left.sitePort, PEOPLE.plecat)).rejects.toThrow("401");
    const zones = await left.site.get<{ id: string; disposition: string }[]>("/site/zones");
    const dispositions = new Map(zones.map(({ id, disposition }) => [id, disposition]));
    expect(dispositions.get("workshop")).toBe("bypassed");
    expect(dispositions.get("window")).toBe("swinger");
    expect(await left.site.get("/site/walk-test")).toMatchObject({ running: false, who: PEOPLE.paza.email });
    const lists = await left.site.get<{ id: number }[]>("/obiective/cladiri");
    expect(lists.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const authority = readFileSync(join(left.folder, "site", "tls", "ca.crt"), "utf8");
    expect((await left.command("cert", "--ca")).stdout).toBe(authority);
  });

  test("a POST that is repeated after the upgrade creates nothing", async () => {
    const [kept] = left.rows(
      "site/santinela.db",
      "SELECT key FROM idempotency_keys WHERE body LIKE '%Revizie anuală%'",
    ) as { key: string }[];
    await left.startSite();
    const paza = await ApiUser.signIn(left.sitePort, PEOPLE.paza);
    const count = (await left.site.get<Intervention[]>("/interventii")).length;
    const content = { name: "Revizie anuală", objectiveType: "obiective/cladiri", objectiveId: 1 };
    const body = { ...content, type: "inspection", priority: "low" };
    const first = await paza.ask<Intervention>("POST", "/interventii", body, {
      "Idempotency-Key": `"${kept?.key}"`,
    });
    expect(first.id).toBe(before.records.find(({ name }) => name === content.name)?.id);
    expect(await left.site.get<Intervention[]>("/interventii")).toHaveLength(count);
  });

  test("the event log is complete, its audit trail is intact, and no check fails", async () => {
    await left.startSite();
    const events = left.rows("site/santinela.db", "SELECT count(*) AS n FROM events")[0] as { n: number };
    expect(events.n).toBeGreaterThanOrEqual(before.events);
    expect(await left.command("events", "verify")).toMatchObject({ code: 0, stdout: /intact/ });
    expect(await left.command("check-config")).toMatchObject({ code: 0 });
    const names = (await left.site.get<{ event: string }[]>("/site/journal?limit=200")).map(
      ({ event }) => event,
    );
    expect(names).toEqual(expect.arrayContaining(["zone-bypassed", "walk-test-ended", "database-restored"]));
  });

  test("each record and trip is at the dispatch centre exactly once", async () => {
    await left.startCentre();
    await left.startSite();
    await allSent(left);
    expect(await atCentre(left)).toEqual(await expectedAtCentre(left));
  });
});

type Content = Pick<LeftRecord, (typeof CONTENT)[number]>;
const CONTENT = [
  "id",
  "name",
  "status",
  "priority",
  "type",
  "objectiveType",
  "objectiveId",
  "crews",
] as const;

/** The fields that no trip changes. */
function contentOf(record: Content): Content {
  return Object.fromEntries(CONTENT.map((field) => [field, record[field]])) as Content;
}

function stateOf(trip: LeftTrip | undefined): Partial<LeftTrip> {
  return { key: trip?.key ?? "", state: trip?.state ?? "", interventionId: trip?.interventionId ?? null };
}

/** Records that do not leave without a person or the dispatch centre, and those that were in flight. */
function expectedPhases(records: readonly LeftRecord[]): Map<string, string> {
  const restart = new Map([
    ["posting", "unsure"],
    ["writing", "linked"],
  ]);
  return new Map(
    records
      .filter(({ phase }) =>
        ["blocked", "rejected", "gone", "unsure", "new", ...restart.keys()].includes(phase),
      )
      .map(({ name, phase }) => [name, restart.get(phase) ?? phase]),
  );
}
