import { expect, onTestFinished, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { EnrolledSite, EnrolmentCode, RecordSite } from "../../src/generated/types.ts";
import { CentreInProcess, METRICS_TOKEN } from "../support/centre-in-process.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { REPORT } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A report with texts that PostgreSQL cannot read, such as a NUL in a field that no release knows. */

const SITE = REPORT.ref;

describeOnPostgres("a centre with a report that PostgreSQL cannot read", (server) => {
  test("names its sites and tells its state", async () => {
    const url = await server.newDatabase();
    const clock = new ManualClock();
    const centre = await CentreInProcess.start(url, clock);
    onTestFinished(() => centre.stop());
    const invitation = { site: SITE, objectives: ["obiective/cladiri/1"] };
    const { code } = (await centre.ask("POST", "/enrolments", invitation)) as EnrolmentCode;
    const claim = { code, site: SITE, password: SITE_PASSWORD };
    const { email } = (await centre.ask("POST", "/enrolments/claim", claim)) as EnrolledSite;
    const signIn = await centre.send("/auth/token", { email, password: SITE_PASSWORD });
    const { token } = (await signIn.json()) as { token: string };
    const trip = { name: "Door", objectiveType: "obiective/cladiri", objectiveId: 1 };
    const { id } = (await (await centre.send("/interventii", trip, token)).json()) as Intervention;

    /** Expects that the centre names the site everywhere. */
    const expectNamed = async (name: string): Promise<void> => {
      clock.advance(3_000);
      const { headline } = (await centre.ask("GET", "/site/status")) as { headline: { level: string } };
      expect([headline.level, JSON.stringify(headline).includes(name)]).toEqual(["attention", true]);
      const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
      for (const path of ["/metrics", "/metrics/sites"])
        expect([path, (await fetch(`${centre.origin}${path}`, { headers })).status]).toEqual([path, 200]);
      const creators = (await centre.ask("GET", `/sites/records?ids=${id}`)) as RecordSite[];
      expect(creators).toEqual([{ interventionId: id, ref: SITE, name }]);
    };

    for (const more of ["\0", "\ud800"]) {
      const report = { ...REPORT, level: "fault", compared: { ageS: 1, differing: 0, more } };
      expect((await centre.send("/site-reports", report, token)).status).toBe(204);
      await expectNamed(REPORT.name);
    }
    // As an earlier release has stored it.
    const database = decodeURIComponent(new URL(url).pathname.slice(1));
    for (const more of ["\\u0000", "\\ud800"]) {
      const stored = JSON.stringify({ ...REPORT, level: "fault" }).replace(/}$/, `,"more":"${more}"}`);
      await server.query(database, `UPDATE sites SET report = '${stored}'`);
      await expectNamed(REPORT.name);
    }
    await server.query(database, "UPDATE sites SET report = '~'");
    await expectNamed(SITE);
  });
});
