import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { EnrolmentCode, SiteView } from "../../src/generated/types.ts";
import type { ObjectivesView, SyncView } from "../../src/site/sync-view.ts";
import { santinela as run } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { LINE_FAULTS } from "../support/line-faults.ts";

/* A site that got its account for a one-time code: it may use building 2 of the centre's four. */

const SITE = `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
zones: [ { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } } ]
`;
const ELSEWHERE = { name: "Secret", objectiveType: "obiective/cladiri", objectiveId: 3 };

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let line: FaultProxy;
let address: string;

beforeAll(async () => {
  installation = new Installation();
  centre = installation.daemon(
    "centre",
    `site: { ref: centre, locale: en }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(4)}`,
  );
  const { httpPort } = await centre.start();
  line = new FaultProxy(httpPort);
  address = `http://127.0.0.1:${await line.start()}`;
  site = installation.daemon("site", SITE);
  for (let number = 0; number < 3; number += 1) await atCentre("POST", "/interventii", ELSEWHERE);
});
afterAll(async () => {
  await installation.remove();
  await line.stop();
});

function santinela(of: "site" | "centre", ...words: string[]) {
  const { folder } = installation;
  return run([...words, "--config", join(folder, `${of}.yaml`)], { cwd: folder });
}

async function atCentre(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) {
  return askDaemon(join(installation.folder, "centre"), method, path, body);
}

async function code(): Promise<string> {
  const words = ["sites", "invite", "hala-nord", "--objective", "obiective/cladiri/2", "--json"];
  const { stdout, stderr } = await santinela("centre", ...words);
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as EnrolmentCode).code;
}

async function contact(state: "open" | "closed"): Promise<void> {
  const body = { zone: "gate", contact: state };
  await askDaemon(join(installation.folder, "site"), "POST", "/site/simulate", body);
}

async function ownAtCentre(): Promise<Intervention[]> {
  return (await interventionsOf(centre)).filter(({ objectiveId }) => objectiveId !== ELSEWHERE.objectiveId);
}

async function settled(what: string): Promise<SyncView> {
  return eventually(what, async () => {
    const view = await site.get<SyncView>("/site/sync");
    return view.link.state === "up" && view.records.length === 0 && view;
  });
}

test("a site enrols, and its trips, changes and lists work as with any other account", async () => {
  const password = join(installation.folder, "enrolled.password");
  const wrong = await santinela("site", "enrol", "abcde-fghjk-mnpqr-stuvw", "--centre", address);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("unknown here, used or expired");
  expect(existsSync(password)).toBe(false);

  const { stdout, stderr, code: exit } = await santinela("site", "enrol", await code(), "--centre", address);
  expect([exit, stderr]).toEqual([0, ""]);
  expect(statSync(password).mode & 0o777).toBe(0o600);
  const [, section = ""] = stdout.split(/(?=^upstream:$)/m);
  expect(section).toContain("hala-nord@sites.santinela.local");
  expect(stdout).not.toContain(readFileSync(password, "utf8").trim());
  writeFileSync(
    join(installation.folder, "site.yaml"),
    `dataDir: ./site\n${SITE}${section}  reportS: 1\n  timeoutS: 1\n`,
  );
  await site.start();

  // The response to the first POST is lost: the search for the record reads the lists of the scope.
  let lost = 0;
  line.faultFor = ({ method, path }) => {
    if (method !== "POST" || path !== "/interventii" || lost > 0) return undefined;
    lost += 1;
    return LINE_FAULTS["the connection is reset after the request is applied, before the response"];
  };
  await contact("open");
  await eventually("the lost response", () => lost === 1);
  await settled("the trip at the dispatch centre");
  const [trip, ...more] = await ownAtCentre();
  expect(more).toEqual([]);
  expect(trip).toMatchObject({ objectiveId: 2, status: "planned" });

  // A change of the dispatcher comes back, also after a move to an objective that is not the site's.
  await atCentre("PUT", `/interventii/${trip?.id}`, { status: "in_progress", objectiveId: 4 });
  await santinela("site", "sync", "now");
  const [here] = await eventually("the dispatcher's change", async () => {
    await santinela("site", "sync", "now");
    const records = await interventionsOf(site);
    return records[0]?.status === "in_progress" && records;
  });
  await askDaemon(join(installation.folder, "site"), "PUT", `/interventii/${here?.id}`, { crews: 3 });
  await eventually("the site's change", async () => (await ownAtCentre())[0]?.crews === 3);

  const { lists } = await eventually("the objectives", async () => {
    const view = await site.get<ObjectivesView>("/site/objectives");
    return view.lists.some(({ objectives }) => objectives !== null) && view;
  });
  expect(lists.map(({ objectives }) => objectives)).toEqual([1, 0, 0]);
  const [reported] = await eventually("a report", async () => {
    const sites = await centre.get<SiteView[]>("/sites");
    return sites.length > 0 && sites;
  });
  expect(reported?.report).toMatchObject({ ref: "hala-nord", objective: "obiective/cladiri/2" });
  expect((await interventionsOf(site)).map(({ name }) => name)).not.toContain("Secret");
});

test("a stolen site is locked out with one command, and its successor sends what waited, once", async () => {
  expect((await santinela("centre", "sites", "revoke", "hala-nord")).code).toBe(0);
  expect((await santinela("centre", "sites", "access")).stdout).toMatch(/^hala-nord +revoked /m);
  expect((await santinela("centre", "sites", "revoke", "hala-sud")).code).toBe(65);
  const before = (await ownAtCentre()).length;
  await atCentre("PUT", `/interventii/${(await ownAtCentre())[0]?.id}`, { status: "done" });
  await askDaemon(join(installation.folder, "site"), "POST", "/interventii", {
    name: "Checked by hand",
    objectiveType: "obiective/cladiri",
    objectiveId: 2,
  });
  await eventually("the refused account", async () => {
    const { link } = await site.get<SyncView>("/site/sync");
    return link.state !== "up";
  });
  expect((await ownAtCentre()).length).toBe(before);

  expect((await santinela("site", "enrol", await code(), "--centre", address)).code).toBe(0);
  await site.end("SIGTERM");
  await site.start();
  await settled("the record that waited");
  const names = (await ownAtCentre()).map(({ name }) => name);
  expect(names.filter((name) => name === "Checked by hand")).toHaveLength(1);
  expect(names).toHaveLength(before + 1);
});
