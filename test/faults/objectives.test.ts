import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Objective } from "../../src/domain/objective.ts";
import type { ObjectivesView } from "../../src/site/sync-view.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { LINE_FAULT_NAMES, LINE_FAULTS } from "../support/line-faults.ts";
import { SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * Two real daemons with a proxy that applies one fault while the site reads the objectives. The mirror is the
 * old list or the new one, never a part; an alarm created meanwhile is sent.
 */

const LIST = "/obiective/cladiri";
/** Three pages of the page size of the site. */
const OBJECTIVES = 450;
const FIRST_ID = 1001;

const both = new SiteAndCentre();
beforeAll(async () => {
  await both.start();
  await renameAll("as it was");
  expect((await pull()).result).toBe("accepted");
});
afterAll(() => both.remove());

const folderOf = (who: "site" | "centre"): string => join(both.installation.folder, who);

/** Renames each objective of the dispatch centre. */
async function renameAll(name: string): Promise<void> {
  const objectives = Array.from({ length: OBJECTIVES }, (_, index) => ({ id: FIRST_ID + index, name }));
  const file = join(both.installation.folder, "objectives.json");
  writeFileSync(file, JSON.stringify({ "obiective/cladiri": objectives }));
  const { code } = await santinela(["objectives", "import", file, "--config", "centre.yaml"], {
    cwd: both.installation.folder,
  });
  expect(code).toBe(0);
}

async function pull(): Promise<{ result: string | null; reason: string | null }> {
  const { value } = await askDaemon(folderOf("site"), "POST", "/site/objectives/pull");
  const { lastAttempt = null, reason = null } = (value as ObjectivesView).lists[0] ?? {};
  return { result: lastAttempt, reason };
}

/** Names of the mirrored objectives, and their number. */
async function copied(): Promise<{ names: string[]; count: number }> {
  const { value } = await askDaemon(folderOf("site"), "GET", `${LIST}?_start=0&_end=1000`);
  const objectives = (value as Objective[]).filter(({ id }) => id >= FIRST_ID);
  return { names: [...new Set(objectives.map(({ name }) => name))], count: objectives.length };
}

test.each(LINE_FAULT_NAMES)("%s: the objective mirror is complete, and an alarm is sent", async (name) => {
  const before = await copied();
  await renameAll(name);
  let pages = 0;
  both.line.faultFor = ({ method, path }) => {
    if (method !== "GET" || !path.startsWith(LIST)) return undefined;
    pages += 1;
    return pages === 2 ? LINE_FAULTS[name] : undefined;
  };
  const pulling = pull();
  const alarm = await both.create({ priority: "high" });
  const { result } = await pulling;
  const after = await copied();
  expect(after.count).toBe(OBJECTIVES);
  expect(after.names).toEqual(result === "accepted" ? [name] : before.names);
  await both.settle();
  await eventually("the alarm at the centre", async () => {
    const { value } = await askDaemon(
      folderOf("centre"),
      "GET",
      `/interventii?name=${encodeURIComponent(alarm.name)}`,
    );
    return (value as object[]).length === 1;
  });
  both.line.faultFor = () => undefined;
  expect(await pull()).toEqual({ result: "accepted", reason: null });
  expect(await copied()).toEqual({ names: [name], count: OBJECTIVES });
});

test("faults in lists have not affected records", async () => {
  await both.expectExactlyOnce();
});
