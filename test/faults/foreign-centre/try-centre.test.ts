import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { TraitCode } from "../../../src/domain/centre-trait.ts";
import type { CentreTrialView } from "../../../src/site/sync-view.ts";
import { santinela } from "../../support/command-line.ts";
import { eventually } from "../../support/eventually.ts";
import { EDGE, MAIN } from "../../support/installation.ts";
import { ForeignSite, wrongAt } from "./foreign-site.ts";

/* The test of a dispatch centre with test records: what it detects, what it leaves, and the resulting settings. */

const sites: ForeignSite[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.remove();
});

async function siteAt(habits: Readonly<Record<string, unknown>>): Promise<ForeignSite> {
  const site = new ForeignSite();
  sites.push(site);
  await site.start(habits);
  return site;
}

const STRANGER = { name: "Call", objectiveType: "obiective/cladiri", objectiveId: 1, notes: "[ref:other-1]" };
const POSTS = "^/interventii$";
const ONE_RECORD = "^/interventii/\\d+$";

async function tried(site: ForeignSite): Promise<readonly TraitCode[]> {
  const { findings } = await site.ask<CentreTrialView>(200, "POST", "/site/sync/try-centre");
  // The words of doctor, so that a client reads both in one way.
  expect(findings.filter(({ status }) => !["ok", "warning", "error"].includes(status))).toEqual([]);
  return findings.map(({ code }) => code);
}

test.each<[what: string, habits: object, found: readonly TraitCode[]]>([
  [
    "that stores everything and supports idempotency keys",
    { honoursKeys: true, givesIdsAgain: false },
    [
      "keys-honoured",
      "reads-current",
      "text-kept",
      "dates-kept",
      "ids-new",
      "list-kept",
      "writes-allowed",
      "removed",
    ],
  ],
  [
    "that has no idempotency keys, reuses ids, trims texts and reformats dates",
    { trims: true, ownDates: true, addsFields: true },
    [
      "keys-ignored",
      "reads-current",
      "text-trimmed",
      "dates-rewritten",
      "ids-given-again",
      "list-kept",
      "writes-allowed",
      "removed",
    ],
  ],
  [
    "that truncates notes and reads from a delayed replica",
    { notesMax: 255, readLagMs: 900 },
    [
      "keys-ignored",
      "reads-late",
      "text-cut",
      "dates-kept",
      "ids-given-again",
      "list-kept",
      "writes-allowed",
      "removed",
    ],
  ],
  [
    "that drops brackets, and whose lists have no order and no pages",
    { stripsBrackets: true, ignoresSort: true, ignoresStart: true },
    [
      "keys-ignored",
      "reads-current",
      "text-rewritten",
      "dates-kept",
      "ids-given-again",
      "order-ignored",
      "pages-ignored",
      "writes-allowed",
      "removed",
    ],
  ],
])(
  "a dispatch centre %s is described correctly, and no record of others is changed",
  async (_what, habits, found) => {
    const site = await siteAt(habits as Record<string, unknown>);
    for (let index = 0; index < 3; index += 1) await site.type(STRANGER);
    const before = (await site.state()).rows;
    expect(await tried(site)).toEqual(found);
    const { rows, violations } = await site.state();
    expect(violations).toEqual([]);
    expect(rows).toEqual(before);
    expect(await site.here()).toEqual([]);
  },
);

test.each<[method: "POST" | "PUT" | "DELETE", path: string, found: TraitCode]>([
  ["POST", POSTS, "create-refused"],
  ["PUT", ONE_RECORD, "change-refused"],
  ["DELETE", ONE_RECORD, "delete-refused"],
])(
  "a dispatch centre that rejects %s is distinguished from one that accepts it",
  async (method, path, found) => {
    const site = await siteAt({});
    await site.order("gateway", [{ method, path, status: 405, shape: "interface", times: 1 }]);
    expect(await tried(site)).toContain(found);
    expect((await site.state()).rows).toEqual([]);
  },
);

test("when notes lose the reference, records carry it in the description after the test", async () => {
  const site = await siteAt({ stripsBrackets: true });
  await tried(site);
  const record = await site.create({ name: "Smoke", description: "kitchen" });
  await site.settle();
  const [copy] = await site.copiesOf(record);
  expect(copy?.["description"]).toMatch(/^kitchen\n\[ref:proof-[^\]]+\]$/);
  expect(copy?.["notes"]).toBeNull();
  expect((await site.here())[0]?.description).toBe("kitchen");
  expect((await site.status()).conditions).toEqual([]);
  await site.ask(200, "PUT", `/interventii/${record.id}`, { description: "kitchen, second floor" });
  await site.settle();
  expect((await site.copiesOf(record))[0]?.["description"]).toMatch(/^kitchen, second floor\n\[ref:proof-/);
});

test("a test that is killed leaves a test record, and the next one removes it", async () => {
  const site = await siteAt({});
  await site.endSite();
  await site.order("spoil", [{ method: "POST", path: POSTS, times: 1, kind: "stall", isAfter: true }]);
  const config = join(site.installation.folder, "site.yaml");
  const trying = ["check-config", "--try-centre", "--config", config];
  const first = spawn(process.execPath, [MAIN, ...trying], { cwd: site.installation.folder });
  await eventually("the test record", async () => (await site.state()).rows.length === 1);
  const ended = once(first, "exit");
  first.kill("SIGKILL");
  await ended;
  const { code, stdout } = await santinela(trying, { cwd: site.installation.folder });
  expect(code).toBe(0);
  expect(stdout).toContain("✔ Centre: test records of an earlier test were removed (1)");
  expect((await site.state()).rows).toEqual([]);
});

test("the comparison removes an old test record of this site and of no other", async () => {
  const site = await siteAt({});
  const test = "019a0000-0000-7000-8000-000000000001";
  const fields = { objectiveType: "obiective/cladiri", objectiveId: 1 };
  await site.type({ ...fields, name: `Santinela test proof ${test}` }, EDGE.email);
  const others = await site.type({ ...fields, name: `Santinela test proof-2 ${test}` });
  const typed = await site.type({ ...fields, name: "Santinela test proof" });
  await eventually("the old test record to be removed", async () => {
    await site.now();
    return (await site.state()).rows.length === 2;
  });
  expect((await site.state()).rows).toEqual([others, typed]);
  expect(await wrongAt(site)).toEqual([]);
});
