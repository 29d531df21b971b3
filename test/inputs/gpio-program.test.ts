import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBackend } from "../../src/inputs/gpio/backend.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { openDriver } from "../../src/inputs/gpio/line-driver.ts";
import { eventually } from "../support/eventually.ts";
import { FakeLineProgram } from "../support/fake-line-program.ts";
import { WatchedZones, zoneOf } from "../support/watched-zones.ts";

const DOOR = zoneOf({ id: "door", input: { gpio: 17, contact: "nc" } });

let program: FakeLineProgram;
beforeEach(() => {
  program = new FakeLineProgram();
});
afterEach(() => program.remove());

describe("a door whose line is read by a program", () => {
  let site: WatchedZones;
  let readings: GpioReadings;
  beforeEach(async () => {
    site = new WatchedZones([DOOR]);
    const { clock, log, conditions } = site.common;
    const options = { chip: {}, needsBias: false, lines: [17], clock, log, conditions };
    readings = new GpioReadings({ ...site.common, openPort: () => openBackend("cdev", options) });
  });
  afterEach(() => {
    readings.stop();
    site.close();
  });

  async function start(): Promise<void> {
    await readings.start();
    site.clock.advance(1_000);
    expect([site.contactOf("door"), site.conditions]).toEqual(["normal", []]);
  }

  /** Time without output of the program, in the steps of its checks. */
  async function passSilently(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 5) {
      site.clock.advance(5_000);
      await new Promise(setImmediate);
    }
  }

  const isOpen = (): Promise<unknown> =>
    eventually("the door to be open", () => {
      site.clock.advance(100);
      return site.contactOf("door") === "open";
    });
  const runsAgain = (times: number): Promise<unknown> =>
    eventually("the next program to report", () => program.pids.length === times && site.events.length > 0);

  test("that is killed is read again at once, and the event log has the gap", async () => {
    await start();
    program.kill();
    await runsAgain(2);
    expect(site.events).toMatchObject([{ event: "blind-interval", subject: "gpio-unavailable" }]);
    expect(site.conditions).toEqual([]);
    program.set(17, 1);
    await isOpen();
    expect(site.trips).toHaveLength(1);
  });

  test("that hangs for 35 seconds is replaced: the gap is reported from its last output, and an open door is a trip", async () => {
    await start();
    await program.hang();
    const sinceMs = site.clock.wallMs();
    program.set(17, 1);
    await passSilently(30);
    expect(program.pids).toHaveLength(1);
    await passSilently(5);
    await runsAgain(2);
    expect(site.logged("condition-raised")).toMatchObject([{ code: "gpio-unavailable" }]);
    const { event, detail } = site.events[0] ?? {};
    const { from, to, reason } = detail as Record<"from" | "to" | "reason", string>;
    expect(event).toBe("blind-interval");
    // Its last output came at or just before the hang.
    expect(Date.parse(from)).toBeGreaterThanOrEqual(sinceMs - 1_000);
    expect(Date.parse(from)).toBeLessThanOrEqual(sinceMs);
    expect(Date.parse(to)).toBe(sinceMs + 35_000);
    expect(reason).toContain("did not respond");
    await isOpen();
    expect([site.trips.length, site.conditions]).toEqual([1, []]);
  });

  test("that hangs and cannot be ended is a failed line, which is read again once it can be opened", async () => {
    program.isLasting = true;
    await start();
    program.isLasting = false;
    await program.hang();
    await passSilently(35);
    expect(site.conditions).toEqual([]);
    await passSilently(5);
    expect(site.conditions).toEqual(["gpio-line-failed/door"]);
    expect(site.health.list()[0]?.text).toContain("does not respond and cannot be ended");
    program.set(17, 1);
    site.clock.advance(10_000);
    await eventually("the line to be read", () => site.conditions.length === 0);
    await isOpen();
    expect(site.trips).toHaveLength(1);
  });

  test("is not ended because the daemon stood still, as in a machine that was suspended", async () => {
    await start();
    for (let stall = 0; stall < 3; stall += 1) {
      site.clock.standStill(60_000);
      await new Promise(setImmediate);
    }
    program.set(17, 1);
    await isOpen();
    expect([program.pids.length, site.events]).toEqual([1, []]);
  });
});

test("an output whose program was killed fails at once, and not after the time of a program that hangs", async () => {
  const driver = await openDriver("cdev", {});
  await driver.set(22, 1);
  program.kill();
  const hasExited = async (): Promise<boolean> =>
    driver.set(22, 0).then(
      () => false,
      (error: unknown) => (error as Error).message.includes("has exited"),
    );
  await eventually("the end of the program", hasExited);
  expect(await hasExited()).toBe(true);
  driver.close();
});
