import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithFakeClock, FakeClock } from "../support/fake-clock.ts";
import {
  buildingsYaml,
  Installation,
  interventionsOf,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { report } from "../support/run-length.ts";

/*
 * The built daemon with clock steps at run time, and a dispatch centre whose clock is right. This does not
 * cover a kernel that sets its clock: the monotonic clock is that of the machine.
 */

const STEPS = ["+0s", "-1h", "-3620s", "+0s", "+30d", "+395d", "+0s"];
const ZONES = STEPS.length + 1;
const ids = Array.from({ length: ZONES }, (_, index) => index + 1);
const OBJECTIVES = buildingsYaml(ZONES);
const ZONES_YAML = `zones:\n${ids
  .map(
    (id) =>
      `  - { id: gate-${id}, name: Gate ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${id} }, input: { simulated: true } }\n`,
  )
  .join("")}`;

describeWithFakeClock("a site that wakes up in 1970", () => {
  const installation = Installation.temporary(afterAll);
  let clock: FakeClock;
  let centre: DaemonProcess;
  let site: DaemonProcess;

  beforeAll(async () => {
    clock = new FakeClock(installation.folder);
    const centreDaemon = await startCentre(installation, OBJECTIVES);
    centre = centreDaemon.centre;
    site = installation.daemon(
      "site",
      `site: { ref: hall, timezone: UTC }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}${ZONES_YAML}${upstreamYaml(centreDaemon.port)}`,
    );
    clock.set("-56y");
    await site.start(clock.environment);
  });

  async function trip(id: number): Promise<void> {
    const folder = join(installation.folder, "site");
    for (const contact of ["normal", "open"])
      await askDaemon(folder, "POST", "/site/simulate", { zone: `gate-${id}`, contact });
  }

  const atCentre = (id: number): Promise<Intervention> =>
    eventually(`the intervention of gate ${id} at the centre`, async () =>
      (await interventionsOf(centre)).find(({ objectiveId }) => objectiveId === id),
    );

  /** Longest delay of the event loop of the site since the last reading, in milliseconds. */
  async function gapMs(): Promise<number> {
    const { stdout } = await santinela(["metrics", "--config", "site.yaml"], { cwd: installation.folder });
    return Math.round(Number(/event_loop_delay_seconds\{quantile="1"\} (\S+)/.exec(stdout)?.[1]) * 1000);
  }

  test("trips are sent at any clock value, and the first one gets its time once the clock is trusted", async () => {
    const rightMs = Date.now();
    await trip(1);
    expect((await atCentre(1)).dateStart).toBeNull();
    const gaps: number[] = [];
    for (const [index, offset] of STEPS.entries()) {
      await gapMs();
      clock.set(offset);
      await trip(index + 2);
      await atCentre(index + 2);
      gaps.push(await gapMs());
      if (index > 0) continue;
      const dated = await eventually("its start at the centre", async () => (await atCentre(1)).dateStart);
      expect(Math.abs(Date.parse(`${dated}Z`) - rightMs)).toBeLessThan(30_000);
    }
    report(`clock steps ${STEPS.join(" ")}: longest gaps of the event loop ${gaps.join(", ")} ms`);
    expect(await interventionsOf(centre)).toHaveLength(ZONES);
    const { conditions } = await site.get<{ conditions: { code: string }[] }>("/site/status");
    expect(conditions.map(({ code }) => code)).not.toContain("upstream-authentication-failed");
  }, 300_000);
});
