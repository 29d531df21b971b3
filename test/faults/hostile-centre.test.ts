import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  ATTACKS,
  HostileCentre,
  SIGN_IN_ATTACKS,
  type Attack,
  type Stage,
} from "../support/hostile-centre.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";

/* A dispatch centre that turns hostile, at the sign-in or after it. Nothing that it answers may end a thread, hold an alarm
   back at the site or take unlimited memory, and once it behaves again it gets every record once. */

/** Twice what the daemon has with the largest response that it reads. */
const MEMORY_KB_MAX = 600_000;
const AFTER_SIGN_IN: readonly Stage[] = ["create", "change", "read", "list", "objectives", "report"];

type Case = readonly [what: string, attack: Attack, stages: readonly Stage[]];
const cases: readonly Case[] = [
  ...Object.entries({ ...SIGN_IN_ATTACKS, ...ATTACKS }).map(([what, attack]): Case => [
    `${what} to a sign-in`,
    attack,
    ["sign-in"],
  ]),
  ...Object.entries(ATTACKS).map(([what, attack]): Case => [
    `${what} to everything else`,
    attack,
    AFTER_SIGN_IN,
  ]),
];

describe("a centre that answers with", () => {
  test.concurrent.each(cases)(
    "%s",
    async (_what, attack, stages) => {
      const centre = new HostileCentre();
      const installation = new Installation();
      try {
        installation.secret("upstream.password", EDGE.password);
        const site = installation.daemon("site", siteYaml(await centre.start()));
        const dataDir = join(installation.folder, "site");
        centre.attackAt(stages, attack);
        await site.start();
        const { pid } = site;
        const alarm = async (name: string): Promise<number> => {
          const record = { name, objectiveType: "obiective/cladiri", objectiveId: 1, priority: "high" };
          return (await askDaemon(dataDir, "POST", "/interventii", record)).status;
        };
        const pushNow = () => askDaemon(dataDir, "POST", "/site/sync/now");

        expect(await alarm("First")).toBe(201);
        await eventually("two attacks", async () => {
          await pushNow();
          return centre.attacked >= 2;
        });
        expect(await alarm("Second")).toBe(201);
        const { conditions } = (await askDaemon(dataDir, "GET", "/site/status")).value as StatusView;
        expect(conditions.filter(({ code }) => code === "thread-failed")).toEqual([]);
        expect(residentKb(pid)).toBeLessThan(MEMORY_KB_MAX);

        centre.behave();
        const names = () => [...centre.rows.values()].map(({ name }) => String(name)).sort();
        // After a success without a record the list of the centre may lag: an alarm is sent again a minute later.
        await eventually(
          "both alarms at the centre",
          async () => {
            await pushNow();
            return names().length >= 2;
          },
          120_000,
        );
        await pushNow();
        expect(names()).toEqual(["First", "Second"]);
        expect(site.pid).toBe(pid);
      } finally {
        await installation.remove();
        await centre.stop();
      }
    },
    240_000,
  );
});

function siteYaml(baseUrl: string): string {
  return `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
upstream: { baseUrl: "${baseUrl}", email: ${EDGE.email}, passwordFile: ./upstream.password, timeoutS: 2, reportS: 1 }
${buildingsYaml(1)}`;
}

function residentKb(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
