import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Centre } from "../../src/centre.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import type { EnrolledSite, EnrolmentCode, RecordSite } from "../../src/generated/types.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A report with texts that PostgreSQL cannot read, such as a NUL in a field that no release knows. */

const SITE = REPORT.ref;
const METRICS_TOKEN = "0123456789abcdef0123456789abcdef";

describeOnPostgres("a centre with a report that PostgreSQL cannot read", (server) => {
  async function start() {
    const folder = temporaryFolder();
    const url = await server.newDatabase();
    const file = join(folder, "centre.yaml");
    const objectives = { "obiective/cladiri": [{ id: 1, name: "Hall", status: "active" }] };
    writeFileSync(join(folder, "metrics.token"), METRICS_TOKEN, { mode: 0o600 });
    // JSON is YAML too.
    writeFileSync(
      file,
      JSON.stringify({
        dataDir: "./data",
        site: { ref: "centre" },
        http: { port: 0 },
        objectives,
        database: url,
        metrics: { tokenFile: "./metrics.token" },
      }),
    );
    const config = loadConfiguration({ file, env: {}, cwd: folder, role: "centre" });
    if (config.database === null) throw new Error("no database");
    const clock = new ManualClock();
    const centre = new Centre({
      config: { ...config, database: config.database },
      clock,
      write: () => {},
      forJournald: false,
      announceInitialPassword: async () => {},
      httpDescriptor: undefined,
    });
    const { port } = await centre.start();
    const origin = `http://127.0.0.1:${port}`;
    onTestFinished(() => centre.stop());
    const ask = async (method: "GET" | "POST", path: string, body?: object) =>
      (await askDaemon(join(folder, "data"), method, path, body)).value;
    const code = (await ask("POST", "/enrolments", {
      site: SITE,
      objectives: ["obiective/cladiri/1"],
    })) as EnrolmentCode;
    const account = (await ask("POST", "/enrolments/claim", {
      code: code.code,
      site: SITE,
      password: SITE_PASSWORD,
    })) as EnrolledSite;
    const send = async (path: string, body: object, token?: string) => {
      const headers = {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      };
      return fetch(`${origin}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
    };
    const { token } = (await (
      await send("/auth/token", { email: account.email, password: SITE_PASSWORD })
    ).json()) as { token: string };
    return { ask, send: (path: string, body: object) => send(path, body, token), url, clock, origin };
  }

  /** Expects that the centre names the site everywhere. */
  async function expectNamed(
    { ask, clock, origin }: Awaited<ReturnType<typeof start>>,
    { id }: Intervention,
    name: string,
  ): Promise<void> {
    clock.advance(3_000);
    const { headline } = (await ask("GET", "/site/status")) as { headline: { level: string } };
    expect([headline.level, JSON.stringify(headline).includes(name)]).toEqual(["attention", true]);
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    for (const path of ["/metrics", "/metrics/sites"])
      expect([path, (await fetch(`${origin}${path}`, { headers })).status]).toEqual([path, 200]);
    const creators = (await ask("GET", `/sites/records?ids=${id}`)) as RecordSite[];
    expect(creators).toEqual([{ interventionId: id, ref: SITE, name }]);
  }

  test("names its sites and tells its state", async () => {
    const centre = await start();
    const { send, url } = centre;
    const trip = { name: "Door", objectiveType: "obiective/cladiri", objectiveId: 1 };
    const record = (await (await send("/interventii", trip)).json()) as Intervention;
    for (const more of ["\0", "\ud800"]) {
      const compared = { ageS: 1, differing: 0, more };
      expect((await send("/site-reports", { ...REPORT, level: "fault", compared })).status).toBe(204);
      await expectNamed(centre, record, REPORT.name);
    }
    // As an earlier release has stored it.
    const database = decodeURIComponent(new URL(url).pathname.slice(1));
    for (const more of ["\\u0000", "\\ud800"]) {
      const stored = JSON.stringify({ ...REPORT, level: "fault" }).replace(/}$/, `,"more":"${more}"}`);
      await server.query(database, `UPDATE sites SET report = '${stored}'`);
      await expectNamed(centre, record, REPORT.name);
    }
    await server.query(database, "UPDATE sites SET report = '~'");
    await expectNamed(centre, record, SITE);
  });
});
