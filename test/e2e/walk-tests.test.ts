import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { WalkTestResult } from "../../src/domain/walk-test.ts";
import type { EndedWalkTestView, WalkTestView } from "../../src/site/zone-view.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithFakeClock, FakeClock } from "../support/fake-clock.ts";
import { Installation } from "../support/installation.ts";

const zone = (id: string): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }\n`;
const configuration = (...ids: readonly string[]): string =>
  `site: { name: Hala Nord, ref: hala-nord }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\nzones:\n${ids.map(zone).join("")}`;

describeWithFakeClock("the report of a walk test", () => {
  const installation = Installation.temporary(afterAll);
  let clock: FakeClock;
  let site: DaemonProcess;
  let client: ControlClient;
  beforeAll(async () => {
    clock = new FakeClock(installation.folder);
    site = installation.daemon("site", configuration("door", "yard"));
    client = new ControlClient(join(installation.folder, "site"));
    await site.start(clock.environment);
  });

  const trip = async (id: string): Promise<void> => {
    await site.run(["trip", "--zone", id]);
    await site.run(["trip", "--zone", id, "--restore"]);
  };
  const tested = ({ zones }: Pick<WalkTestResult, "zones">): string[] =>
    zones.map(({ id, passed }) => `${id} ${passed ? "tested" : "not tested"}`);

  test("stays the same after its zone is removed from the configuration", async () => {
    await client.post("/site/walk-test", { minutes: 30 });
    await trip("yard");
    const ended = await client.post<WalkTestView>("/site/walk-test", { end: true });
    expect(tested(ended)).toEqual(["door not tested", "yard tested"]);
    const file = join(installation.folder, "site.yaml");
    writeFileSync(file, `dataDir: ./site\n${configuration("door", "attic")}`);
    await site.run(["reload"]);
    expect((await site.get<{ id: string }[]>("/site/zones")).map(({ id }) => id)).toEqual(["door", "attic"]);
    expect(await site.get("/site/walk-test")).toEqual(ended);
    const text = await client.text("/site/walk-tests/1");
    expect(createHash("sha256").update(text).digest("hex")).toBe(ended.sha256);
  }, 120_000);

  test("is there after a start if the test ended while the daemon was stopped", async () => {
    const { until } = await client.post<WalkTestView>("/site/walk-test", { minutes: 5 });
    await trip("attic");
    await site.end("SIGTERM");
    clock.set("+1h");
    await site.start(clock.environment);
    const [last] = await eventually("the report", async () => {
      const ended = await site.get<EndedWalkTestView[]>("/site/walk-tests");
      return ended.length === 2 && ended;
    });
    expect(last).toMatchObject({ number: 2, ended: until, endedBy: "santinela", zones: 2, tested: 1 });
    const text = await client.text("/site/walk-tests/2");
    expect(createHash("sha256").update(text).digest("hex")).toBe(last?.sha256);
    expect(tested(JSON.parse(text) as WalkTestResult)).toEqual(["door not tested", "attic tested"]);
  }, 120_000);
});
