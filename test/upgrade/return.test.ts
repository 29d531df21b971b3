import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { ApiUser } from "../support/api-user.ts";
import { allSent, atCentre, expectedAtCentre } from "./both-sides.ts";
import { LeftInstallation } from "./left-installation.ts";
import { PEOPLE } from "./story-configuration.ts";

/** The program of 0.1.0, which scripts/upgrade-fixture.mjs builds from history; without it vitest.config.ts leaves this file out. */
const EARLIER_MAIN = process.env["UPGRADE_FIXTURE_MAIN"] ?? "";

describe("an installation that returns to 0.1.0", () => {
  describe.each(["SIGTERM", "SIGKILL"] as const)("after %s", (signal) => {
    let left: LeftInstallation;
    let former: { readonly site: DaemonProcess; readonly centre: DaemonProcess };
    beforeEach(() => {
      left = new LeftInstallation(fileURLToPath(new URL("0.1.0/killed.tar.br", import.meta.url)));
      former = left.withRelease(EARLIER_MAIN);
    });
    afterEach(async () => {
      await former.site.end("SIGKILL");
      await former.centre.end("SIGKILL");
      await left.remove();
    });

    test("has all records, trips and people there, works on, and loses nothing at the next upgrade", async () => {
      await left.startCentre();
      await left.startSite();
      await left.site.run(["trip", "--zone", "guard", "--restore"]);
      await left.site.run(["trip", "--zone", "hall-motion"]);
      await allSent(left);
      const records = await listOf(left.site);
      const there = await atCentre(left);
      await left.site.end(signal);
      await left.centre.end(signal);

      await left.startCentre(former.centre);
      await left.startSite(former.site);
      expect(await listOf(former.site)).toEqual(records);
      expect(await atCentre(left, former.centre)).toEqual(there);
      const paza = await ApiUser.signIn(left.sitePort, PEOPLE.paza);
      const body = { name: "La întoarcere", objectiveType: "obiective/cladiri", objectiveId: 1 };
      await paza.ask("POST", "/interventii", body);
      await former.site.run(["trip", "--zone", "cellar", "--restore"]);
      await former.site.run(["trip", "--zone", "guard"]);
      await allSent(left, former.site);
      await former.site.end(signal);
      await former.centre.end(signal);

      await left.startCentre();
      await left.startSite();
      await allSent(left);
      expect(await atCentre(left)).toEqual(await expectedAtCentre(left));
      expect((await listOf(left.site)).filter((line) => line.includes("La întoarcere"))).toHaveLength(1);
      expect(await left.command("events", "verify")).toMatchObject({ code: 0 });
    }, 300_000);
  });
});

async function listOf(daemon: DaemonProcess): Promise<string[]> {
  const records = await daemon.get<Intervention[]>("/interventii");
  return records.map(({ id, name, status, priority, crews, notes }) =>
    JSON.stringify([id, name, status, priority, crews, notes]),
  );
}
