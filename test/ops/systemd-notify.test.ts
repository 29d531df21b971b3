import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SystemdNotifier } from "../../src/ops/systemd-notify.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the systemd notifier", () => {
  let folder: string;
  let file: string;
  let descriptor: number;
  const clock = new ManualClock();

  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, "told");
    writeFileSync(file, "");
    descriptor = openSync(file, "a");
  });
  afterEach(() => closeSync(descriptor));

  const notifications = (): string => readFileSync(file, "utf8");

  test("reports the start, a keep-alive at a third of the watchdog time, and the stop", () => {
    const supervision = new SystemdNotifier(descriptor, 30_000);
    supervision.ready();
    expect(notifications()).toBe("READY=1");
    const cancel = supervision.watch(clock, () => false);
    clock.advance(29_999);
    expect(notifications()).toBe(`READY=1${"WATCHDOG=1".repeat(3)}`);
    cancel();
    supervision.stopping();
    clock.advance(60_000);
    expect(notifications()).toBe(`READY=1${"WATCHDOG=1".repeat(3)}STOPPING=1`);
  });

  test("shows a line of status with the readiness", () => {
    new SystemdNotifier(descriptor, undefined).ready("Monitoring 3 zones of hall");
    expect(notifications()).toBe("READY=1\nSTATUS=Monitoring 3 zones of hall");
  });

  test("reports each reload and its end, and no end once the daemon stops", () => {
    const supervision = new SystemdNotifier(descriptor, undefined);
    const moment = `RELOADING=1\nMONOTONIC_USEC=${Math.floor(clock.monotonicMs() * 1000)}`;
    supervision.reloading(clock);
    supervision.ready();
    supervision.reloading(clock);
    supervision.stopping();
    supervision.ready();
    expect(notifications()).toBe(`${moment}READY=1${moment}STOPPING=1`);
  });

  test("extends the start time-out during a restore, and uses the normal one afterwards", () => {
    const supervision = new SystemdNotifier(descriptor, 30_000);
    supervision.extendWatchdog();
    expect(notifications()).toBe("WATCHDOG_USEC=600000000");
    supervision.watch(clock, () => false)();
    supervision.watch(clock, () => false)();
    expect(notifications()).toBe("WATCHDOG_USEC=600000000WATCHDOG_USEC=30000000WATCHDOG=1WATCHDOG=1");
    new SystemdNotifier(descriptor, undefined).extendWatchdog();
    expect(notifications()).toMatch(/WATCHDOG=1$/);
  });

  test("gives a start the time of its work on the databases, and then that of the unit again", () => {
    const unit = readFileSync(join(import.meta.dirname, "../../systemd/santinela.service"), "utf8");
    const limitS = Number(/^TimeoutStartSec=(\d+)$/m.exec(unit)?.[1]);
    const supervision = new SystemdNotifier(descriptor, undefined);
    supervision.extendStart(0);
    supervision.extendStart(256 * 1_048_576);
    expect(notifications()).toBe(
      `EXTEND_TIMEOUT_USEC=${limitS * 1_000_000}EXTEND_TIMEOUT_USEC=${(limitS + 600) * 1_000_000}`,
    );
  });

  test("sends no keep-alive while trips are stuck, and resumes afterwards", () => {
    let isStalled = false;
    const cancel = new SystemdNotifier(descriptor, 30_000).watch(clock, () => isStalled);
    isStalled = true;
    clock.advance(40_000);
    expect(notifications()).toBe("WATCHDOG=1");
    isStalled = false;
    clock.advance(10_000);
    expect(notifications()).toBe("WATCHDOG=1WATCHDOG=1");
    cancel();
  });

  test("ignores a missing or unavailable systemd", () => {
    new SystemdNotifier(undefined, undefined).ready();
    const silent = new SystemdNotifier(undefined, undefined).watch(clock, () => false);
    clock.advance(60_000);
    silent();
    const full = openSync("/dev/full", "w");
    new SystemdNotifier(full, undefined).ready();
    closeSync(full);
    expect(notifications()).toBe("");
  });

  test("uses only the variables meant for this process", () => {
    // Its first descriptor is 3, so the name at this position is that of the open one.
    const names = [...Array<string>(descriptor - 3).fill("other"), "notify"].join(":");
    const env = { LISTEN_PID: "42", LISTEN_FDS: "1", LISTEN_FDNAMES: names };
    SystemdNotifier.of(env, 43).ready();
    SystemdNotifier.of({}, 42).ready();
    expect(notifications()).toBe("");
    SystemdNotifier.of(env, 42).ready();
    expect(notifications()).toBe("READY=1");
    const cancel = SystemdNotifier.of({ ...env, WATCHDOG_USEC: "3000000", WATCHDOG_PID: "42" }, 42).watch(
      clock,
      () => false,
    );
    clock.advance(1_500);
    cancel();
    expect(notifications()).toBe("READY=1WATCHDOG=1WATCHDOG=1");
  });
});
