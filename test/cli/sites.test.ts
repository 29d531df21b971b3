import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SiteReport } from "../../src/domain/site-report.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { santinela as run } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { reportNow } from "../support/fleet.ts";
import { Installation } from "../support/installation.ts";

/* What an operator of a dispatch centre does about one site, at the command line. */

const installation = Installation.temporary(afterAll);
let dataDir: string;

beforeAll(async () => {
  const centre = installation.centre(
    "centre",
    "http: { port: 0, basePath: /api }\nsite: { timezone: Europe/Bucharest }\nobjectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\nfleet: { sites: { hala-nord: { silentS: SP5 } } }\n",
  );
  dataDir = join(installation.folder, "centre");
  await centre.start();
});

const santinela = (line: string, more: Partial<Terminal> = {}) =>
  run([...line.split(" "), "--config", join(installation.folder, "centre.yaml")], {
    cwd: installation.folder,
    ...more,
  });
const report = async (fields: Partial<SiteReport> = {}): Promise<void> => {
  expect((await askDaemon(dataDir, "POST", "/api/site-reports", { ...reportNow(), ...fields })).status).toBe(
    204,
  );
};
const typing = (answer: string): Partial<Terminal> => ({
  stdin: Object.assign(Readable.from([`${answer}\n`]), { isTTY: true }),
});

beforeEach(async () => {
  await report({ ref: "hala-nord-2", name: "Hala Nord 2" });
  await report();
});

test("the state of one site is shown with its newest changes in sentences", async () => {
  await report({ level: "fault", version: "0.2.0", conditions: ["upstream-unreachable"] });
  const { stdout, code } = await santinela("sites show hala-nord");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Hala Nord \(hala-nord\)\nlevel: fault since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d EE[S]?T\n/,
  );
  expect(stdout).toContain("\nreasons: upstream-unreachable\n");
  expect(stdout).toContain("\nsilent after: 90 s without a report\n");
  expect(stdout).toContain("\nfree disk space: 21504 MB\n");
  const [, changes = ""] = stdout.split("newest changes:\n");
  expect(changes.replaceAll(/^ {2}[\d-]+ [\d:]+ \S+ {2}/gm, "")).toBe(
    "The level changed to fault.\nThe site runs version 0.2.0.\nThe site reported for the first time, with level well.\n",
  );
  const json = await santinela("sites show hala-nord --json");
  expect(JSON.parse(json.stdout)).toMatchObject({ silentS: 90, site: { report: { ref: "hala-nord" } } });
});

test("a site is removed after a confirmation, with what stays, and the audit trail names it", async () => {
  const declined = await santinela("sites remove hala-nord", typing("n"));
  expect([declined.code, declined.stderr]).toEqual([
    1,
    expect.stringContaining("cancelled, no changes made"),
  ]);
  expect(declined.stderr).toContain("the state and the history of site hala-nord (Hala Nord)");
  const unasked = await santinela("sites remove hala-nord");
  expect([unasked.code, unasked.stderr]).toEqual([64, expect.stringContaining("Use --yes to confirm.")]);
  expect((await santinela("sites")).stdout).toContain("hala-nord ");

  const confirmed = await santinela("sites remove hala-nord", typing("y"));
  expect([confirmed.code, confirmed.stdout]).toEqual([
    0,
    "site hala-nord is removed. Its interventions and its account stay.\nIf it reports again, it is listed again; santinela sites revoke hala-nord locks it out.\n",
  ]);
  const { stdout } = await santinela("sites --json");
  expect((JSON.parse(stdout) as { report: SiteReport }[]).map((site) => site.report.ref)).toEqual([
    "hala-nord-2",
  ]);
  const audit = (await santinela("events export")).stdout.trim().split("\n");
  expect(audit.filter((line) => line.includes('"site-removed"') && line.includes("hala-nord"))).toHaveLength(
    1,
  );

  await report();
  expect((await santinela("sites remove hala-nord --yes")).code).toBe(0);
});

test("a reference that no site has is an error, also if it is part of another one", async () => {
  for (const line of ["sites show hala-nord-", "sites remove hala --yes"]) {
    const { code, stderr } = await santinela(line);
    expect([code, stderr]).toEqual([65, expect.stringContaining("has reported here")]);
  }
  expect(JSON.parse((await santinela("sites --json")).stdout)).toHaveLength(2);
});

test("a code is not created for a wrong reference or objective, and the error says what is right", async () => {
  const wrongSite = await santinela("sites invite Hala_Sud! --objective obiective/cladiri/1");
  expect([wrongSite.code, wrongSite.stderr]).toEqual([
    64,
    expect.stringMatching(
      /^"Hala_Sud!" is not the reference of a site[^]*letters without diacritics, digits/,
    ),
  ]);
  const wrongObjective = await santinela("sites invite hala-sud --objective 1");
  expect([wrongObjective.code, wrongObjective.stderr]).toEqual([
    64,
    expect.stringMatching(/^--objective takes type\/id, such as obiective\/cladiri\/12, not "1"/),
  ]);
});

test("a second code for an enrolled site needs --transfer", async () => {
  const line = "sites invite hala-est --objective obiective/cladiri/1";
  const { code } = JSON.parse((await santinela(`${line} --json`)).stdout) as { code: string };
  const claim = { code, site: "hala-est", password: SITE_PASSWORD };
  expect((await askDaemon(dataDir, "POST", "/api/enrolments/claim", claim)).status).toBe(201);

  const refused = await santinela(line);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("takes over its account");
  expect(refused.stderr).toContain("--transfer");
  const confirmed = await santinela(`${line} --transfer`);
  expect([confirmed.code, confirmed.stdout]).toEqual([
    0,
    expect.stringContaining("one-time code for site hala-est"),
  ]);
});
