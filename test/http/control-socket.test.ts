import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { TestApp } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { ServedApp } from "../support/served-app.ts";

let site: TestApp;
let served: ServedApp[];
beforeEach(async () => {
  site = await TestApp.forTest();
  served = [];
});
afterEach(async () => {
  for (const one of served) await one.stop();
});

test("a control socket that was unavailable is no condition once the web server has it after a restart", async () => {
  const clock = new ManualClock();
  const conditions = new ConditionRegistry(clock, new JsonLog({ level: "error", clock, write: () => {} }));
  const start = async (controlSocket?: string): Promise<ServedApp> => {
    const one = new ServedApp(site, { conditions, ...(controlSocket ? { controlSocket } : {}) });
    served.push(one);
    if (!controlSocket) mkdirSync(join(one.folder, "control.sock", "in the way"), { recursive: true });
    return one.start();
  };
  const first = await start();
  expect(conditions.isOpen("control-socket-unavailable")).toBe(true);
  const socket = join(first.folder, "control.sock");
  rmSync(socket, { recursive: true });
  await start(socket);
  expect(conditions.isOpen("control-socket-unavailable")).toBe(false);
});
