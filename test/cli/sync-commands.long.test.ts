import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { SyncRecordView, SyncView } from "../../src/site/sync-view.ts";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { santinela } from "../support/command-line.ts";

const HERE =
  "objectives:\n  obiective/cladiri:\n    - { id: 1, name: Hall }\n    - { id: 2, name: Unknown there }\n";
const THERE = "objectives:\n  obiective/cladiri:\n    - { id: 1, name: Hall }\n";

let installation: Installation;
let site: DaemonProcess;
let centre: DaemonProcess;
beforeEach(async () => {
  installation = Installation.temporary();
  const started = await startCentre(installation, THERE);
  const { port } = started;
  centre = started.centre;
  site = installation.daemon(
    "site",
    `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${HERE}${upstreamYaml(port)}`,
  );
  await site.start();
});

const sync = (...words: string[]) =>
  santinela(["sync", ...words, "--config", "site.yaml"], { cwd: installation.folder });
const dead = async (): Promise<SyncRecordView[]> =>
  JSON.parse((await sync("dead", "--json")).stdout) as SyncRecordView[];

test("rejected records are listed by sync dead, retried all together or by number, and dropped", async () => {
  const client = new ControlClient(join(installation.folder, "site"));
  // Each pull of the objectives retries records that wait for one.
  await client.post("/site/objectives/pull");
  const make = (name: string) =>
    client.post("/interventii", { name, objectiveType: "obiective/cladiri", objectiveId: 2 });
  for (const name of ["One", "Two"]) await make(name);
  await eventually("both to be refused", async () => ((await dead()).length === 2 ? true : undefined));
  expect((await sync("dead")).stdout).toMatch(/#1 "One" \w+: .*\n {2}#2 "Two"/);
  const all = await sync("retry", "--json");
  expect((JSON.parse(all.stdout) as SyncRecordView[]).map(({ interventionId }) => interventionId)).toEqual([
    1, 2,
  ]);
  await eventually("both to be refused again", async () => ((await dead()).length === 2 ? true : undefined));
  // Another record: one that is retried twice in a row waits until the first attempt can no longer arrive.
  await make("Three");
  await eventually("the third to be refused", async () => ((await dead()).length === 3 ? true : undefined));
  expect((await sync("retry", "#3")).stdout).toMatch(/^ {2}#3 /);
  expect(await sync("retry", "three")).toMatchObject({ code: 64 });
  await eventually("it to be refused again", async () => ((await dead()).length === 3 ? true : undefined));
  expect(await sync("drop", "1")).toMatchObject({
    code: 64,
    stderr: expect.stringMatching(/Never send to the dispatch centre: 1[^]*--yes/),
  });
  expect((await sync("drop", "1", "--yes")).stdout).toBe("  #1 will not be sent; it stays local\n");
  expect((await dead()).map(({ interventionId }) => interventionId)).toEqual([2, 3]);
  for (const id of ["2", "3"]) expect((await sync("drop", id, "--yes")).code).toBe(0);
  expect((await sync("dead")).stdout).toBe("none\n");
  expect((await sync("retry")).stdout).toBe("none\n");
  expect((await sync("drop")).code).toBe(64);
});

test("a record is shown with where it is at the dispatch centre", async () => {
  const client = new ControlClient(join(installation.folder, "site"));
  await client.post("/site/objectives/pull");
  for (const objectiveId of [1, 2])
    await client.post("/interventii", { name: "Work", objectiveType: "obiective/cladiri", objectiveId });
  const shown = async (id: number): Promise<string> =>
    (
      await santinela(["interventions", "show", `${id}`, "--config", "site.yaml"], {
        cwd: installation.folder,
      })
    ).stdout;
  await eventually("the first to have arrived", async () =>
    /^dispatch centre: synced as #\d+$/m.test(await shown(1)) ? true : undefined,
  );
  await eventually("the second to be refused", async () =>
    /^dispatch centre: (rejected by|waiting until) the dispatch centre .*; last: /m.test(await shown(2))
      ? true
      : undefined,
  );
  const listed = async (config: string): Promise<string> =>
    (
      await santinela(["interventions", "list", "--config", config], {
        cwd: installation.folder,
      })
    ).stdout;
  expect(await listed("site.yaml")).toMatch(
    /^ID .* DISPATCH CENTRE +NAME\n2 .* (?:rejected by|objective missing at) the dispatch centre +Work\n1 .* synced, ID \d+ +Work\n$/,
  );
  await sync("drop", "2", "--yes");
  expect(await shown(2)).toMatch(/^dispatch centre: /m);
  expect(await listed("site.yaml")).toMatch(/\n2 .* not sent +Work\n/);
  expect(await listed("centre.yaml")).toMatch(/^ID .* OBJECTIVE +NAME\n1 /);
  const atCentre = await santinela(["interventions", "show", "1", "--config", "centre.yaml"], {
    cwd: installation.folder,
  });
  expect([atCentre.code, atCentre.stdout]).toEqual([0, expect.not.stringContaining("dispatch centre:")]);
});

test("a record that the centre has, out of the scope of the account, is listed by sync dead and retried only by its number", async () => {
  const client = new ControlClient(join(installation.folder, "site"));
  await client.post("/interventii", {
    name: "Moved",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
  });
  const isSent = async () => {
    const { records, isComplete } = await client.get<SyncView>("/site/sync");
    return isComplete && records.length === 0 ? true : undefined;
  };
  await eventually("it to be sent", isSent);
  const database = new Database(join(installation.folder, "site", "santinela.db"));
  database.exec("UPDATE outbox SET phase = 'gone', upstream_id = NULL, last_code = 'out-of-scope'");
  database.close();
  expect((await dead()).map(({ phase }) => phase)).toEqual(["out-of-scope"]);
  expect((await sync("dead")).stdout).toMatch(/#1 "Moved" .*may not use it/);
  expect((await sync("retry")).stdout).toBe("none\n");
  expect((await dead()).length).toBe(1);
  expect((await sync("retry", "1")).stdout).toMatch(/#1 /);
});

test("a record that a former release has marked as out of the scope, with the code of deleted ones, is not retried by default", async () => {
  const client = new ControlClient(join(installation.folder, "site"));
  for (const name of ["Moved", "Deleted"])
    await client.post("/interventii", { name, objectiveType: "obiective/cladiri", objectiveId: 1 });
  await eventually("them to be sent", async () => {
    const { records, isComplete } = await client.get<SyncView>("/site/sync");
    return isComplete && records.length === 0 ? true : undefined;
  });
  await site.end("SIGTERM");
  const database = new Database(join(installation.folder, "site", "santinela.db"));
  const mark = database.prepare(
    "UPDATE outbox SET phase = 'gone', upstream_id = NULL, verify_at = NULL, last_code = '404', last_error = ? WHERE intervention_id = ?",
  );
  mark.run(
    "record 1 exists at the dispatch centre, at an objective that the account of this site may not use; santinela sync retry 1 would create it a second time",
    1,
  );
  mark.run("deleted at the dispatch centre", 2);
  database.close();
  await site.start();
  expect((await dead()).map(({ phase }) => phase)).toEqual(["out-of-scope", "gone"]);
  await sync("drop", "2", "--yes");
  expect((await sync("retry")).stdout).toBe("none\n");
  expect((await sync("dead")).stdout).toMatch(/#1 "Moved" .*may not use it/);
});

test("a rejected record behind two hundred alarms is listed by sync dead, and still queued after a retry", async () => {
  const client = new ControlClient(join(installation.folder, "site"));
  await client.post("/site/objectives/pull");
  await client.post("/interventii", { name: "Last", objectiveType: "obiective/cladiri", objectiveId: 2 });
  await eventually("it to be refused", async () => ((await dead()).length === 1 ? true : undefined));
  await centre.end("SIGTERM");
  for (let count = 0; count < 201; count += 1)
    await client.post("/interventii", {
      name: `Alarm ${count}`,
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      priority: "high",
    });
  expect((await sync("dead")).stdout).toMatch(/^ {2}#1 "Last" .*\n$/);
  expect((await sync("status")).stdout).toMatch(/ {2}and more: only the first are listed; /);
  expect((await sync("retry")).stdout).toMatch(/^ {2}#1 "Last" /);
  await expect(client.get("/site/sync?records=all")).rejects.toThrow("records must be attention");
});
