import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { SiteDetail, SiteView } from "../../src/generated/types.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { buildingsYaml, EDGE, Installation, interventionsOf } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";

/** The site waits longer between attempts the longer its link is cut. */
const CLOSED_WITHIN_MS = 120_000;
/** A site reports every second and is silent after six: several reports may be late on a busy machine. */
const SILENT_S = 6;

let installation: Installation;
let centre: DaemonProcess;
let site: DaemonProcess;
let line: FaultProxy;
let port: number;

beforeEach(async () => {
  installation = new Installation();
  installation.secret("upstream.password", EDGE.password);
  port = await freePort();
  centre = installation.daemon("centre", `${centreYaml(port)}fleet: { silentS: ${SILENT_S} }\n`);
  await centre.addAccount(EDGE, "operator");
  await centre.start();
  line = new FaultProxy(port);
  const linePort = await line.start();
  site = installation.daemon(
    "site",
    `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
upstream: { baseUrl: "http://127.0.0.1:${linePort}", email: ${EDGE.email}, passwordFile: ./upstream.password, reportS: 1, timeoutS: 2 }
zones: [ { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } } ]
`,
  );
  await site.start();
});
afterEach(async () => {
  await installation.remove();
  await line.stop();
});

function centreYaml(port: number): string {
  return `site: { ref: centre, locale: en }\nhttp: { port: ${port} }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(3)}`;
}

function siteThere(): Promise<SiteView> {
  return eventually("the site at the dispatch centre", async () =>
    (await centre.get<SiteView[]>("/sites")).find(({ report }) => report.ref === "hala-nord"),
  );
}

/** The interventions about a silence at the dispatch centre. */
async function repairs(): Promise<Intervention[]> {
  return (await interventionsOf(centre)).filter(({ type }) => type === "repair");
}

test(
  "a site whose link is cut has exactly one repair at its objective, which its next report closes",
  { timeout: 300_000 },
  async () => {
    const before = await siteThere();
    expect(before).toMatchObject({ silentSince: null, report: { ref: "hala-nord", name: "Hala Nord" } });
    expect(await repairs()).toEqual([]);

    line.isDown = true;
    line.cut();
    const [opened] = await eventually("a repair", async () => {
      const all = await repairs();
      return all.length > 0 && all;
    });
    expect(opened).toMatchObject({
      status: "planned",
      priority: "medium",
      objectiveType: "obiective/cladiri",
      objectiveId: 2,
      notes: null,
    });
    expect(opened?.name).toMatch(/^Site silent since \d\d:\d\d: Hala Nord$/);
    expect(await siteThere()).toMatchObject({ level: "fault", interventionId: opened?.id });

    // Neither a crash of the centre nor further time opens a second one.
    await centre.end("SIGKILL");
    await centre.start();
    // Another site that reports once now is silent as soon as the first one has been so for that time once more.
    const other = { ...reportNow(), ref: "hala-sud", name: "Hala Sud", objective: "obiective/cladiri/3" };
    expect(
      (await askDaemon(join(installation.folder, "centre"), "POST", "/site-reports", other)).status,
    ).toBe(204);
    const ofOther = ({ name }: Intervention): boolean => name.endsWith(": Hala Sud");
    await eventually("a repair of the other site", async () => (await repairs()).some(ofOther));
    expect((await repairs()).filter((one) => !ofOther(one))).toEqual([opened]);

    line.isDown = false;
    const [closed] = await eventually(
      "the repair to be closed",
      async () => {
        const all = (await repairs()).filter((one) => !ofOther(one));
        return all[0]?.status === "done" && all;
      },
      CLOSED_WITHIN_MS,
    );
    expect(await repairs()).toHaveLength(2);
    expect(closed?.id).toBe(opened?.id);
    expect(closed?.notes).toMatch(/^The site has reported again since \d{4}-\d\d-\d\d \d\d:\d\d\.$/);
    const there = await siteThere();
    expect(there).toMatchObject({ silentSince: null, interventionId: null });
    const { history } = await centre.get<SiteDetail>(`/sites/${there.id}`);
    // Its level may change as well: its first report still knows of the link that was down.
    const changes = history.map(({ event }) => event).filter((event) => event !== "level");
    expect(changes).toEqual(["reporting", "silent", "first-report"]);
    await eventually("the site to be as before", async () => (await siteThere()).level === before.level);
  },
);

test("an alarm of the site is in its next report, and its counts are those of the site", async () => {
  await siteThere();
  const body = { zone: "gate", contact: "open" };
  expect((await askDaemon(join(installation.folder, "site"), "POST", "/site/simulate", body)).status).toBe(
    200,
  );
  const { report } = await eventually("the alarm of the site", async () => {
    const there = await siteThere();
    return there.level === "alarm" && there;
  });
  expect(report).toMatchObject({
    level: "alarm",
    objective: "obiective/cladiri/2",
    version: expect.any(String),
  });
  expect(report.diskFreeMb).toBeGreaterThan(0);
  const run = (...words: string[]) =>
    santinela([...words, "--config", join(installation.folder, "centre.yaml")], { cwd: installation.folder });
  expect((await run("sites")).stdout).toMatch(
    /^SITE +NAME +LEVEL +LAST REPORT +WHY\nhala-nord +Hala Nord +alarm /,
  );
  expect((await run("sites", "--level", "well")).stdout).not.toContain("hala-nord");
  expect(JSON.parse((await run("sites", "--json", "--search", "nord")).stdout)).toMatchObject([
    { level: "alarm" },
  ]);
  expect((await run("sites", "--level", "fine")).code).not.toBe(0);
  expect((await run("metrics", "--sites")).stdout).toContain(
    'santinela_site_level{site="hala-nord",level="alarm"} 1\n',
  );
  expect(await repairs()).toEqual([]);
});

test("a site that gets a time of its own by a reload is silent after it, without a restart of the centre", async () => {
  const { id } = await siteThere();
  const silentS = async (): Promise<number> => (await centre.get<SiteDetail>(`/sites/${id}`)).silentS;
  const reloadWith = async (fleet: string, seconds: number): Promise<void> => {
    const text = `dataDir: ./centre\n${centreYaml(port)}fleet: { ${fleet} }\n`;
    writeFileSync(join(installation.folder, "centre.yaml"), text);
    centre.hangUp();
    await eventually("the changed time", async () => (await silentS()) === seconds);
  };
  await reloadWith("silentS: 600", 600);
  await reloadWith("silentS: 600, sites: { no-such-site: { silentS: SP2 }, hala-nord: { silentS: 6 } }", 6);
  expect(await centre.get("/site/status")).toMatchObject({ conditions: [] });
  line.isDown = true;
  line.cut();
  await eventually("a repair", async () => (await repairs()).length === 1);
});
