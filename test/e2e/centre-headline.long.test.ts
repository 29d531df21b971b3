import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EnrolmentCode, SiteView } from "../../src/generated/types.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { buildingsYaml, Installation, MAIN } from "../support/installation.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const run = promisify(execFile);
const BEGINNING = "attention: no site is enrolled yet: begin with santinela sites invite";

/** @param database appended to the configuration */
function centreTests(database: () => Promise<string>): void {
  const installation = Installation.temporary(afterAll);
  let centre: DaemonProcess;
  let port: number;
  beforeAll(async () => {
    const yaml = `site: { name: Dispecerat, ref: centre }\nhttp: { port: 0 }\n${buildingsYaml(3)}`;
    centre = installation.centre("centre", yaml + (await database()));
    port = (await centre.start()).httpPort;
  });

  const ask = async <T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T> => {
    const { status, value } = await askDaemon(join(installation.folder, "centre"), method, path, body);
    expect(status, JSON.stringify(value)).toBeLessThan(300);
    return value as T;
  };
  const enrol = async (site: string): Promise<void> => {
    const invitation = { site, objectives: ["obiective/cladiri/1"] };
    const { code } = await ask<EnrolmentCode>("POST", "/enrolments", invitation);
    await ask("POST", "/enrolments/claim", { code, site, password: SITE_PASSWORD });
  };
  /** Waits for the headline in the status, on the command line and in the metrics. */
  const says = async (text: string, metric: string): Promise<void> => {
    await eventually(text, async () => {
      const { headline } = await centre.get<StatusView>("/site/status");
      expect(headline.text).toBe(text);
      return true;
    });
    const file = join(installation.folder, "centre.yaml");
    const printed = async (command: string): Promise<string> =>
      (await run(process.execPath, [MAIN, command, "--config", file])).stdout;
    expect(await printed("status")).toContain(`Dispecerat: ${text}\n`);
    expect(await printed("metrics")).toContain(`${metric}\n`);
  };
  const reason = (code: string, count: number): string =>
    `santinela_headline_reasons{reason="${code}",level="attention"} ${count}`;

  test("says where to begin while no site is enrolled, also while a code is not used yet", async () => {
    await says(BEGINNING, reason("no-sites", 1));
    await ask("POST", "/enrolments", { site: "hala-nord", objectives: ["obiective/cladiri/1"] });
    await says(BEGINNING, 'santinela_headline{level="well"} 0');
  });

  test("names each enrolled site until it reports or its access is revoked", async () => {
    await enrol("hala-nord");
    await enrol("depozit");
    await says(
      "attention: 2 enrolled sites without a report (depozit, hala-nord)",
      reason("sites-unreported", 2),
    );
    const account = { email: "hala-nord@sites.santinela.local", password: SITE_PASSWORD };
    const site = await ApiUser.signIn(port, account);
    await site.ask("POST", "/site-reports", reportNow());
    await says("attention: 1 enrolled site without a report (depozit)", reason("sites-unreported", 1));
    await ask("DELETE", "/enrolments/depozit");
    await says("all is well", 'santinela_headline{level="well"} 1');
  });

  test("names each site with a fault, which is not the centre's, and none that only needs attention", async () => {
    const report = (name: string, level: string): Promise<unknown> =>
      ask("POST", "/site-reports", { ...reportNow(), ref: name.toLowerCase(), name, level });
    await report("Atelier", "fault");
    await says("attention: 1 site with a fault (Atelier)", reason("site-fault", 1));
    await report("Ferma", "fault");
    await says("attention: 2 sites with a fault (Atelier, Ferma)", reason("site-fault", 2));
    await report("Atelier", "attention");
    await says("attention: 1 site with a fault (Ferma)", reason("site-fault", 1));
    await report("Ferma", "alarm");
    await says("all is well", reason("site-fault", 0));
    const added = (await centre.get<SiteView[]>("/sites")).filter(
      ({ report: { ref } }) => ref !== "hala-nord",
    );
    expect(added).toHaveLength(2);
    for (const { id } of added) await ask("DELETE", `/sites/${id}`);
  });

  test("names a site again that is removed from the list and still enrolled", async () => {
    const [site] = await centre.get<SiteView[]>("/sites");
    await ask("DELETE", `/sites/${site?.id}`);
    await says("attention: 1 enrolled site without a report (hala-nord)", reason("sites-unreported", 1));
    await ask("DELETE", "/enrolments/hala-nord");
    await says(BEGINNING, reason("no-sites", 1));
  });

  test("is well with a site that reports without an enrolment", async () => {
    await ask("POST", "/site-reports", { ...reportNow(), ref: "atelier" });
    await says("all is well", reason("no-sites", 0));
  });
}

describe("the headline of a dispatch centre on SQLite", () => centreTests(async () => ""));

describeOnPostgres("the headline of a dispatch centre on PostgreSQL", (server) => {
  centreTests(async () => `database: ${await server.newDatabase()}\n`);
});
