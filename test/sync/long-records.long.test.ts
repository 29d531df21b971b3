import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre whose records are far longer than the contract needs: scanned invoices, histories, or an attack. */

const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 * 1024;
const LONG = "x".repeat(2 * MEBIBYTE);

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

function stored(column: "base" | "agreed"): string[] {
  return site.app.database.prepare(`SELECT ${column} FROM outbox`).pluck().all() as string[];
}

/** Advances past every due check and those that follow from it. */
async function looks(times = 3): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    site.app.clock.advance(4_000_000);
    site.push.audit.makeDue();
    await site.push.audit.runIfDue();
    await site.push.cycleWithChecks();
  }
}

function recordOf(id: number): Intervention {
  const found = site.app.interventions.find(id);
  if (!found) throw new Error(`there is no intervention ${id}`);
  return found.record;
}

describe("a dispatch centre with records of several MiB", () => {
  test("is followed as any other, and only the known fields are stored, without the invoice that is a file", async () => {
    centre.keeps = (row) => ({ ...row, invoicePdf: LONG, history: [LONG], attachments: { scan: LONG } });
    const { id } = site.create({ description: "one" });
    await site.push.cycle();
    await looks();
    centre.edit(1, {
      status: "in_progress",
      crews: 3,
      notes: `called\n${String(centre.rows.get(1)?.["notes"])}`,
    });
    await looks();
    const record = recordOf(id);
    expect(record).toMatchObject({ status: "in_progress", crews: 3, notes: "called", invoicePdf: null });
    expect(Math.max(...stored("base").map(({ length }) => length))).toBeLessThan(20_000);
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, gone: 0, rejected: 0 });
    expect(site.health.list()).toEqual([]);
    // A link to the file is stored.
    centre.edit(1, { invoicePdf: "https://centre.example/invoices/1.pdf" });
    await looks();
    expect(recordOf(id).invoicePdf).toBe("https://centre.example/invoices/1.pdf");
  });

  test("keeps a text that is too long here, and its later shorter one is taken over", async () => {
    const { id } = site.create({ notes: "gate" });
    await site.push.cycle();
    const own = String(centre.rows.get(1)?.["notes"]);
    centre.edit(1, { notes: `${own}\n${LONG}` });
    await looks();
    expect(recordOf(id).notes).toBe("gate");
    expect(centre.rows.get(1)?.["notes"]).toBe(`${own}\n${LONG}`);
    centre.edit(1, { notes: `${own}\nthe keys are at the neighbour's` });
    await looks();
    expect(recordOf(id).notes).toBe("gate\nthe keys are at the neighbour's");
  });

  test("keeps two duplicates whose long invoices differ only at their end", async () => {
    centre.keeps = (row) => ({ ...row, invoicePdf: `${LONG}1` });
    // The response to its POST is lost, so that it may exist twice.
    centre.afterwards = ({ method }) => (method === "POST" ? json(504, {}) : undefined);
    site.create({ description: "one" });
    await site.push.cycle();
    centre.afterwards = () => undefined;
    const [row] = [...centre.rows.values()];
    centre.add({ ...row, id: 2, invoicePdf: `${LONG}2` });
    await looks(6);
    expect(centre.rows.size).toBe(2);
    centre.edit(2, { invoicePdf: `${LONG}1` });
    site.app.clock.advance(DAY_MS);
    await looks(6);
    expect(centre.rows.size).toBe(1);
  });

  test("is compared with the records here, whatever an earlier release has stored of them", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => site.create({ description: String(index) }).id);
    await site.push.cycle();
    const { database } = site.app;
    const write = database.prepare(
      "UPDATE outbox SET base = json_set(base, '$.history', :long, '$.nested', json('{\"a\":[1]}'), '$.description', substr(:long, 1, 100000)), agreed = json_set(agreed, '$.invoicePdf', :long)",
    );
    write.run({ long: LONG });
    database.prepare("DELETE FROM centre_facts WHERE name = 'bases-shortened'").run();
    site.restart();
    site.push.start();
    for (const column of ["base", "agreed"] as const)
      expect(Math.max(...stored(column).map(({ length }) => length))).toBeLessThan(20_000);
    expect(JSON.parse(stored("base")[0] ?? "")).toMatchObject({
      id: 1,
      police: false,
      crews: 1,
      dateEnd: null,
    });
    await looks();
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, gone: 0, rejected: 0 });
    expect(ids.map((id) => recordOf(id).description)).toEqual(ids.map((_, index) => String(index)));
    expect(centre.rows.size).toBe(12);
    expect(site.health.list()).toEqual([]);
  });

  test("whose list has too much text for the memory is not compared, and its records are sent all the same", async () => {
    for (let index = 0; index < 2_500; index += 1)
      centre.add({ name: `another ${index}`, notes: "n".repeat(16_000) });
    site.create({ description: "one" });
    await site.push.cycle();
    await looks();
    expect(site.logLines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain(
      "record-comparison-failed",
    );
    expect([...centre.rows.values()].filter(({ description }) => description === "one")).toHaveLength(1);
  });
});
