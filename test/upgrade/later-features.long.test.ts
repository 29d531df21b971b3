import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { OutputView } from "../../src/domain/output.ts";
import type { SiteView } from "../../src/generated/types.ts";
import type { PlanView } from "../../src/site/plan-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoringReceiver } from "../support/monitoring-receiver.ts";
import { ApiUser } from "../support/api-user.ts";
import { LeftInstallation } from "./left-installation.ts";
import { PEOPLE } from "./story-configuration.ts";

/** What `later-features.ts` has used is there after the upgrade of an installation that had it. */

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const ARCHIVES = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".tar.br") && !name.startsWith("0.1.0"))
  .toSorted();

describe.each(ARCHIVES)("an installation left by %s", (archive) => {
  let left: LeftInstallation;
  beforeEach(() => {
    left = new LeftInstallation(join(FOLDER, archive));
  });
  afterEach(() => left.remove());

  test("sends each event that waited for the monitoring receiver once", async () => {
    const waiting = left.rows(
      "site/santinela.db",
      "SELECT data FROM transmissions WHERE state = 'waiting' ORDER BY id",
    ) as { data: string }[];
    expect(waiting.length).toBeGreaterThan(0);
    const key = readFileSync(join(left.folder, "panel.key"), "utf8").trim();
    const receiver = new MonitoringReceiver({ account: "12AB", key, wallMs: () => Date.now() });
    await receiver.start();
    try {
      left.receiverPort = receiver.port;
      left.configure("site");
      await left.startSite();
      await eventually(
        "no event to wait",
        () => {
          const rows = left.rows(
            "site/santinela.db",
            "SELECT count(*) AS n FROM transmissions WHERE state = 'waiting'",
          ) as { n: number }[];
          return rows[0]?.n === 0;
        },
        120_000,
      );
      for (const { data } of waiting)
        expect(receiver.sent.filter((message) => message.data === data)).toHaveLength(1);
    } finally {
      await receiver.stop();
    }
  });

  test("has its floor plan, its outputs and what the alarm panels have reported", async () => {
    await left.startSite();
    const [plan] = await left.site.get<PlanView[]>("/site/plans");
    expect(plan).toMatchObject({ name: "Parter", pins: [{ zone: "front-door", x: 20, y: 80 }] });
    const outputs = await left.site.get<OutputView[]>("/site/outputs");
    expect(outputs.map(({ name }) => name)).toEqual(["siren", "lamp"]);
    const zones = await left.site.get<{ id: string }[]>("/site/zones");
    expect(zones.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["dc09-12ab-4-intrusion", "dc09-12ab-9-fire"]),
    );
    const { conditions } = await left.site.get<StatusView>("/site/status");
    expect(conditions.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["alarm-panel-bypass", "alarm-panel-trouble"]),
    );
  });

  test("knows its sites and their accounts at the dispatch centre", async () => {
    await left.startCentre();
    const sites = await left.centre.get<SiteView[]>("/sites");
    expect(sites.map(({ report }) => report.ref).toSorted()).toEqual(["depozit-sud", "hala-nord"]);
    const dispecer = await ApiUser.signIn(left.centrePort, PEOPLE.dispecer);
    const enrolments = await dispecer.ask<{ site: string; email?: string | null }[]>("GET", "/enrolments");
    // The one-time code of depozit-est ended 72 hours after this installation was left.
    expect(enrolments.map(({ site }) => site).filter((site) => site !== "depozit-est")).toEqual([
      "depozit-sud",
    ]);
    const south = enrolments.find(({ site }) => site === "depozit-sud");
    await ApiUser.signIn(left.centrePort, { email: south?.email ?? "", password: "k7w2-9xqpt-m3hcz-v8rbn" });
  });
});
