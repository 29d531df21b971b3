import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { chipDevices } from "../../src/inputs/gpio/chip-devices.ts";
import { lineError } from "../../src/inputs/gpio/chips.ts";
import {
  type Bias,
  type GpioLine,
  type GpioPort,
  type OnActivity,
  SimulatedLines,
} from "../../src/inputs/gpio/gpio-port.ts";
import { openBackend } from "../../src/inputs/gpio/backend.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { OnoffLines, releaseExportedLines, sysfsNumberOf } from "../../src/inputs/gpio/onoff-lines.ts";
import { contactAt, levelOf } from "../../src/inputs/gpio/line-bindings.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DOOR = zoneOf({ id: "door", input: { gpio: 17, contact: "nc" } });
const SMOKE = zoneOf({ id: "smoke", kind: "fire", input: { gpio: 22, contact: "no" } });
const AT_REST = [
  [17, 0],
  [22, 1],
] as const;

/** Lines that can disappear or stop reporting, because of drivers or other programs. */
class FailingLines implements GpioPort {
  readonly lines = new SimulatedLines(AT_REST);
  readonly held = new Set<number>();
  readonly gone = new Set<number>();
  readonly meddledWith = new Set<number>();
  readonly calmed = new Set<number>();
  isMute = false;
  #onActivity = new Map<number, OnActivity>();

  /** A pulse that ends before the line is read. */
  pulse(line: number, atMs?: number): void {
    if (!this.calmed.has(line)) this.#onActivity.get(line)?.(atMs);
  }

  open(line: number, bias: Bias, onActivity: OnActivity): GpioLine {
    this.#onActivity.set(line, onActivity);
    if (this.held.has(line))
      throw new AppError("unavailable", `GPIO line ${line} cannot be opened: another program holds it`, {
        hint: "End that program.",
      });
    const opened = this.lines.open(line, bias, () => {
      if (!this.isMute && !this.calmed.has(line)) onActivity();
    });
    return {
      check: () => {
        if (this.meddledWith.delete(line)) throw new Error("another program has made it an output");
      },
      setEdgeDetection: (isCalmed) => void (isCalmed ? this.calmed.add(line) : this.calmed.delete(line)),
      read: () => {
        if (this.gone.has(line)) throw new Error("ENODEV: no such device");
        return opened.read();
      },
      close: () => opened.close(),
    };
  }

  close(): void {
    this.lines.close();
  }
}

describe("a key switch", () => {
  const KEY = { gpio: 4, contact: "no" } as const;
  const HALL = zoneOf({ id: "hall", input: { gpio: 17 }, gate: KEY, swinger: false });
  const YARD = zoneOf({ id: "yard", input: { gpio: 18 }, gate: KEY, swinger: false });

  test("arms and disarms its zones; while it is unreadable, they are all armed", async () => {
    const site = MonitoredZones.forTest([HALL, YARD]);
    const lines = new SimulatedLines([
      [17, 0],
      [18, 0],
      [4, levelOf(KEY, "normal")],
    ]);
    let isGone = false;
    const openPort = (): GpioPort => ({
      open: (line, bias, onActivity) => {
        const opened = lines.open(line, bias, onActivity);
        const read = (): 0 | 1 => {
          if (isGone && line === 4) throw new Error("ENODEV: no such device");
          return opened.read();
        };
        return { ...opened, read };
      },
      close: () => lines.close(),
    });
    const readings = new GpioReadings({ ...site.common, openPort });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 1000) {
        site.clock.advance(1000);
        await new Promise(setImmediate);
      }
    };
    const trip = async (line: number): Promise<void> => {
      for (const level of [1, 0] as const) {
        lines.set(line, level);
        await pass(2000);
      }
    };
    await readings.start();
    await pass(2000);
    await trip(17);
    lines.set(4, levelOf(KEY, "open"));
    await trip(18);
    lines.set(4, levelOf(KEY, "normal"));
    await trip(18);
    isGone = true;
    await pass(10_000);
    await trip(17);
    expect(site.trips.map(({ zoneId, state }) => [zoneId, state])).toEqual([
      ["hall", "gated"],
      ["yard", "waiting"],
      ["yard", "gated"],
      ["hall", "waiting"],
    ]);
    expect(site.conditions).toEqual(["gpio-line-failed/gpio 4"]);
    isGone = false;
    await pass(10_000);
    expect(site.conditions).toEqual([]);
    // From the first failed read to the first successful one, whatever happened in between.
    const [blind] = site.events;
    expect(site.events).toHaveLength(1);
    expect(blind).toMatchObject({ event: "blind-interval", subject: "gpio-line-failed gpio 4" });
    const { from, to, reason } = (blind?.detail ?? {}) as Record<"from" | "to" | "reason", string>;
    expect(Date.parse(to) - Date.parse(from)).toBe(9_000);
    expect(reason).toMatch(/ENODEV/);
    readings.stop();
  });

  describe("of an entry door", () => {
    const GATE = { gpio: 4, contact: "nc", exitDelayS: 30 } as const;
    const ENTRY = zoneOf({ id: "hall", input: { gpio: 17 }, gate: GATE, entryDelayS: 30, swinger: false });
    let site: MonitoredZones;
    let lines: SimulatedLines;
    let readings: GpioReadings;
    let isMute: boolean;
    const activity = new Map<number, OnActivity>();
    /** Lines whose edges can be lost. */
    const openPort = (): GpioPort => ({
      open: (line, bias, onActivity) => {
        activity.set(line, onActivity);
        return lines.open(line, bias, () => (isMute ? undefined : onActivity()));
      },
      close: () => lines.close(),
    });

    async function startAt(position: "open" | "normal"): Promise<void> {
      site = MonitoredZones.forTest([ENTRY]);
      lines = new SimulatedLines([
        [17, 0],
        [4, levelOf(GATE, position)],
      ]);
      isMute = false;
      readings = new GpioReadings({ ...site.common, openPort });
      await readings.start();
      site.clock.advance(60_000);
    }
    const turn = (position: "open" | "normal", ms: number): void => {
      lines.set(4, levelOf(GATE, position));
      site.clock.advance(ms);
    };
    const openDoor = (): void => {
      for (const level of [1, 0] as const) {
        lines.set(17, level);
        site.clock.advance(1_000);
      }
    };
    const states = (): string[] => site.trips.map(({ state }) => state);
    afterEach(() => readings.stop());

    test.each([1, 200])(
      "that reads disarmed for %i ms cancels no alarm and begins no exit delay",
      async (ms) => {
        await startAt("open");
        openDoor();
        turn("normal", ms);
        turn("open", 1_000);
        expect(states()).toEqual(["waiting"]);
        site.clock.advance(60_000);
        openDoor();
        expect(site.trips.map(({ reason }) => reason)).toEqual([null, null]);
      },
    );

    test("disarms after a quarter of a second, and arms after 50 ms", async () => {
      await startAt("open");
      openDoor();
      turn("normal", 249);
      expect(states()).toEqual(["waiting"]);
      site.clock.advance(1);
      expect(states()).toEqual(["cancelled"]);
      turn("open", 49);
      turn("normal", 1_000);
      openDoor();
      turn("open", 50);
      openDoor();
      expect(site.trips.map(({ reason }) => reason).slice(1)).toEqual([
        "disarmed (gpio)",
        "exit delay (gpio)",
      ]);
    });

    test("that keeps no position arms its zones, until it rests for five seconds", async () => {
      await startAt("normal");
      for (let edge = 0; edge < 40; edge += 1) turn(edge % 2 === 0 ? "open" : "normal", 10);
      expect(site.conditions).toEqual(["key-switch-unstable/gpio 4"]);
      openDoor();
      expect(states()).toEqual(["waiting"]);
      for (let edge = 0; edge < 200; edge += 1) turn(edge % 2 === 0 ? "open" : "normal", 20);
      site.clock.advance(4_900);
      openDoor();
      expect(site.conditions).toEqual([]);
      expect(states()).toEqual(["cancelled", "gated"]);
    });

    test("that changes too often to be followed arms its zones, whatever the polls read", async () => {
      await startAt("normal");
      for (let edge = 0; edge < 101; edge += 1) {
        activity.get(4)?.();
        site.clock.advance(2);
      }
      expect(site.conditions).toEqual(["gpio-line-unstable/gpio 4", "key-switch-unstable/gpio 4"]);
      openDoor();
      expect(states()).toEqual(["waiting"]);
    });

    test("that reads disarmed for a moment, the end of which is lost, cancels no alarm", async () => {
      await startAt("open");
      openDoor();
      turn("normal", 1);
      isMute = true;
      turn("open", 1_000);
      expect(states()).toEqual(["waiting"]);
    });

    test("whose zones change is no longer unstable", async () => {
      await startAt("normal");
      for (let edge = 0; edge < 40; edge += 1) turn(edge % 2 === 0 ? "open" : "normal", 10);
      await readings.exchange([zoneOf({ id: "hall", input: { gpio: 17 } })]);
      expect(site.conditions).toEqual([]);
    });

    test("counts at once in its first position after a start", async () => {
      await startAt("normal");
      openDoor();
      readings.stop();
      readings = new GpioReadings({ ...site.common, openPort: () => lines });
      await readings.start();
      openDoor();
      expect(site.trips.map(({ reason }) => reason)).toEqual(["disarmed (gpio)", "disarmed (gpio)"]);
    });
  });
});

describe("the lines of a site", () => {
  let site: MonitoredZones;
  let port: FailingLines;
  let readings: GpioReadings;
  let isAvailable: boolean;

  beforeEach(() => {
    site = MonitoredZones.forTest([DOOR, SMOKE]);
    port = new FailingLines();
    isAvailable = true;
    readings = readingsOf();
  });
  afterEach(() => readings.stop());

  function readingsOf(): GpioReadings {
    return new GpioReadings({
      ...site.common,
      openPort: () => {
        if (!isAvailable) throw new AppError("unavailable", "no GPIO chip is here", { hint: "Use a Pi." });
        return port;
      },
    });
  }

  /** Runs a poll of the lines and pending promises. */
  async function look(): Promise<void> {
    site.clock.advance(10_000);
    await new Promise(setImmediate);
  }

  const contacts = (): Record<string, string> =>
    Object.fromEntries(site.monitor.zones().map(({ zone, contact }) => [zone.id, contact]));

  test("are read at the start", async () => {
    await readings.start();
    site.clock.advance(1000);
    expect(contacts()).toEqual({ door: "normal", smoke: "normal" });
    expect(site.trips).toEqual([]);
  });

  test("a cut cable of an NC contact trips, and so does an NO contact", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.lines.set(17, 1);
    port.lines.set(22, 0);
    site.clock.advance(1000);
    expect(site.trips.map(({ zoneId, source }) => [zoneId, source])).toEqual([
      ["door", "gpio"],
      ["smoke", "gpio"],
    ]);
  });

  test("a pulse of 100 ms does not trip, one of 400 ms trips", async () => {
    await readings.start();
    site.clock.advance(1000);
    for (const pulseMs of [100, 400]) {
      port.lines.set(17, 1);
      site.clock.advance(pulseMs);
      port.lines.set(17, 0);
      site.clock.advance(1000);
    }
    expect(site.trips).toHaveLength(1);
  });

  test("an active fire detector at the first start trips; an open door does not", async () => {
    port.lines.set(17, 1);
    port.lines.set(22, 0);
    await readings.start();
    site.clock.advance(1000);
    expect(site.trips.map(({ zoneId, cause }) => [zoneId, cause])).toEqual([["smoke", "first-sight"]]);
  });

  test("an edge without an event is found by the next poll", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.isMute = true;
    port.lines.set(17, 1);
    site.clock.advance(8000);
    expect(contacts()["door"]).toBe("normal");
    await look();
    site.clock.advance(1000);
    expect(site.trips).toHaveLength(1);
  });

  test("a line in use by another program is a condition with a remedy; the others work, and it is opened when free", async () => {
    port.held.add(17);
    await readings.start();
    expect(site.conditions).toEqual(["gpio-line-failed/door"]);
    expect(site.health.list()[0]?.text).toBe(
      "GPIO line 17 cannot be opened: another program holds it. End that program.",
    );
    site.clock.advance(1000);
    expect(contacts()).toEqual({ door: "unknown", smoke: "normal" });
    port.held.clear();
    await look();
    expect(site.conditions).toEqual([]);
    site.clock.advance(1000);
    expect(contacts()).toEqual({ door: "normal", smoke: "normal" });
  });

  test("a line that disappears is a condition, and is opened again", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.gone.add(17);
    await look();
    expect(site.conditions).toEqual(["gpio-line-failed/door"]);
    expect(site.health.list()[0]?.text).toMatch(/line 17 .*ENODEV/);
    port.gone.clear();
    port.lines.set(17, 1);
    await look();
    expect(site.conditions).toEqual([]);
    site.clock.advance(1000);
    expect(site.trips).toHaveLength(1);
  });

  test("a line that fails once is opened again after a second", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.gone.add(17);
    await look();
    port.gone.clear();
    site.clock.advance(1000);
    await new Promise(setImmediate);
    expect(site.conditions).toEqual([]);
  });

  test("a line that cannot be read makes its zone unavailable, which is a fault after the grace period", async () => {
    const faults = (): string[] =>
      site.journal.faults.list().map(({ zoneId, fault }) => `${zoneId} ${fault}`);
    port.held.add(17);
    await readings.start();
    site.clock.advance(50_000);
    expect([site.zoneService.faults.isUnread(DOOR), site.zoneService.faults.isUnread(SMOKE)]).toEqual([
      true,
      false,
    ]);
    site.clock.advance(10_000);
    expect(faults()).toEqual(["door supervision"]);
    port.held.clear();
    await look();
    expect(faults()).toEqual([]);
    isAvailable = false;
    port.gone.add(17).add(22);
    for (let looks = 0; looks < 8; looks += 1) await look();
    expect(faults().toSorted()).toEqual(["door supervision", "smoke supervision"]);
  });

  test("a chip that fails to be found after its last zone was removed is no condition", async () => {
    let fail = (_error: Error): void => {};
    readings.stop();
    readings = new GpioReadings({
      ...site.common,
      openPort: () => new Promise((_resolve, reject) => (fail = reject)),
    });
    const started = readings.start();
    const removed = readings.exchange([]);
    fail(new AppError("unavailable", "no GPIO chip is here", { hint: "Use a Pi." }));
    await Promise.all([started, removed]);
    expect(site.conditions).toEqual([]);
  });

  test("a line that fails to open after its zone was removed is no condition", async () => {
    let fail = (_error: Error): void => {};
    readings.stop();
    readings = new GpioReadings({
      ...site.common,
      openPort: () => ({
        open: (line, bias, onActivity) =>
          line === 17
            ? new Promise((_resolve, reject) => (fail = reject))
            : port.open(line, bias, onActivity),
        close: () => {},
      }),
    });
    const started = readings.start();
    await new Promise(setImmediate);
    const removed = readings.exchange([SMOKE]);
    fail(new Error("EIO"));
    await Promise.all([started, removed]);
    expect(site.conditions).toEqual([]);
  });

  describe("whose levels a program reports", () => {
    /** Levels that have arrived; `port` reads the last one, as for the character device. */
    let levels: Map<number, 0 | 1>;
    let report: (level: 0 | 1, atMs: number) => void;
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

    beforeEach(async () => {
      levels = new Map(AT_REST);
      readings.stop();
      readings = new GpioReadings({
        ...site.common,
        openPort: () => ({
          open: (line, _bias, onActivity) => {
            if (line === 17)
              report = (level, atMs) => {
                levels.set(17, level);
                onActivity(atMs);
              };
            const read = (): 0 | 1 => levels.get(line) ?? 0;
            return { read, check: () => {}, setEdgeDetection: () => {}, close: () => {} };
          },
          close: () => {},
        }),
      });
      await readings.start();
      site.clock.advance(5_000);
    });

    test("keep the times of edges that arrive after a check: a signal of 400 ms trips", async () => {
      const openedMs = site.clock.monotonicMs();
      // The journal held up the daemon.
      site.clock.standStill(500);
      const reloaded = readings.exchange([DOOR, SMOKE]);
      await reloaded;
      report(1, openedMs);
      report(0, openedMs + 400);
      site.clock.advance(1_000);
      expect(site.trips.map(({ moment }) => moment.monotonicMs)).toEqual([openedMs]);
    });

    test("are processed before a timer that is late: a pulse of 100 ms does not trip", async () => {
      const openedMs = site.clock.monotonicMs();
      report(1, openedMs);
      site.clock.standStill(300);
      report(0, openedMs + 100);
      await turn();
      site.clock.advance(1_000);
      expect(site.trips).toEqual([]);
    });

    test("are not confirmed by a check that comes before them", async () => {
      const openedMs = site.clock.monotonicMs();
      report(1, openedMs);
      site.clock.standStill(300);
      const reloaded = readings.exchange([DOOR, SMOKE]);
      report(0, openedMs + 100);
      await reloaded;
      await turn();
      site.clock.advance(1_000);
      expect(site.trips).toEqual([]);
    });
  });

  test("a line that another program has reconfigured is opened again, and the log has the monitoring gap", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.meddledWith.add(17);
    await look();
    expect(site.conditions).toEqual([]);
    expect(site.events).toMatchObject([{ event: "blind-interval", subject: "gpio-line-failed door" }]);
    port.lines.set(17, 1);
    site.clock.advance(1000);
    expect(site.trips).toHaveLength(1);
  });

  test("are searched for again when all are missing, for example after a chip is plugged in as another device", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.gone.add(17).add(22);
    port.held.add(17).add(22);
    await look();
    isAvailable = false;
    await look();
    expect(site.conditions).toContain("gpio-unavailable");
    isAvailable = true;
    port.gone.clear();
    port.held.clear();
    await look();
    expect(site.conditions).toEqual([]);
  });

  test("a pulse that is too short to be read does not trip, many of them are one trip and one fault", async () => {
    await readings.start();
    site.clock.advance(1000);
    port.pulse(17);
    site.clock.advance(5000);
    expect(site.trips).toEqual([]);
    for (let pulse = 0; pulse < 20; pulse += 1) {
      port.pulse(17);
      site.clock.advance(40);
    }
    expect(site.trips.map(({ zoneId, cause }) => [zoneId, cause])).toEqual([
      ["door", "chatter"],
      ["door", "faulty"],
    ]);
  });

  test("an edge has the time of the kernel, however late the daemon processes it", async () => {
    await readings.start();
    site.clock.advance(10_000);
    const seenMs = site.clock.monotonicMs();
    site.clock.advance(400);
    port.isMute = true;
    port.lines.set(17, 1);
    port.pulse(17, seenMs);
    site.clock.advance(1);
    await new Promise(setImmediate);
    expect(site.trips.map(({ moment }) => moment.monotonicMs)).toEqual([seenMs]);
  });

  describe("an unstable line", () => {
    /** A loose contact: number of pulses a second, and duration. */
    function storm(ms: number, everyMs = 2): void {
      for (let passed = 0; passed < ms; passed += everyMs) {
        port.pulse(17);
        site.clock.advance(everyMs);
      }
    }
    const causes = (): string[] => site.trips.map(({ cause }) => cause);

    test("is one trip and one fault for any duration, and is polled slowly", async () => {
      await readings.start();
      site.clock.advance(1000);
      storm(1000);
      expect(port.calmed).toEqual(new Set([17]));
      expect(site.conditions).toEqual(["gpio-line-unstable/door"]);
      storm(120_000);
      expect(causes()).toEqual(["chatter", "faulty"]);
      expect(site.logged("condition-raised").map(({ code }) => code)).toEqual(["gpio-line-unstable"]);
    });

    test("with uncountable edges is the same", async () => {
      await readings.start();
      site.clock.advance(1000);
      for (let edge = 0; edge < 5000; edge += 1) port.pulse(17);
      expect(port.calmed).toEqual(new Set([17]));
      site.clock.advance(2000);
      expect(causes()).toEqual(["chatter", "faulty"]);
    });

    test("is read again once it is stable, and trips normally", async () => {
      await readings.start();
      site.clock.advance(1000);
      storm(60_000);
      site.clock.advance(400_000);
      expect(port.calmed).toEqual(new Set());
      expect(site.conditions).toEqual([]);
      const before = site.trips.length;
      port.lines.set(17, 1);
      site.clock.advance(1000);
      expect(site.trips.slice(before).map(({ cause }) => cause)).toEqual(["edge"]);
    });

    test("does not affect the others", async () => {
      await readings.start();
      site.clock.advance(1000);
      storm(1000);
      port.lines.set(22, 0);
      site.clock.advance(1000);
      expect(site.trips.map(({ zoneId }) => zoneId)).toContain("smoke");
    });

    test("that another program takes is a failed line and no longer an edge storm", async () => {
      await readings.start();
      site.clock.advance(1000);
      storm(1000);
      port.gone.add(17);
      site.clock.advance(1000);
      expect(site.conditions).toEqual(["gpio-line-failed/door"]);
    });
  });

  test("that the machine does not have are one condition, and are opened when they appear", async () => {
    isAvailable = false;
    await readings.start();
    expect(site.conditions).toEqual(["gpio-unavailable"]);
    expect(site.health.list()[0]?.text).toBe("no GPIO chip is here. Use a Pi. Not read: door, smoke.");
    isAvailable = true;
    await look();
    expect(site.conditions).toEqual([]);
    site.clock.advance(1000);
    expect(contacts()).toEqual({ door: "normal", smoke: "normal" });
  });

  test("a trip during a full disk is recorded when the disk works again", async () => {
    await readings.start();
    site.clock.advance(1000);
    site.breakJournal();
    port.lines.set(17, 1);
    await look();
    expect(site.conditions).toEqual(["journal-write-failed"]);
    site.repairJournal();
    await look();
    expect(site.trips).toHaveLength(1);
    expect(site.conditions).toEqual([]);
  });

  test("a first reading during a full disk does not crash the daemon and is repeated", async () => {
    site.breakJournal();
    port.lines.set(22, 0);
    await readings.start();
    await look();
    site.repairJournal();
    await look();
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["smoke"]);
  });

  test("are released at the stop", async () => {
    await readings.start();
    site.clock.advance(1000);
    readings.stop();
    port.lines.set(17, 1);
    await look();
    expect(site.trips).toEqual([]);
  });
});

describe("a line level", () => {
  test.each([
    ["nc", 0, "normal"],
    ["nc", 1, "open"],
    ["no", 0, "open"],
    ["no", 1, "normal"],
  ] as const)("of a contact %s with value %i means %s", (contact, level, meaning) => {
    expect(contactAt({ contact }, level)).toBe(meaning);
    expect(levelOf({ contact }, meaning)).toBe(level);
  });
});

describe("the sysfs number of a line", () => {
  let root: string;
  beforeEach(() => (root = temporaryFolder()));

  function chip(number: number, label: string, base: number, lines: number): void {
    const folder = join(root, `gpiochip${number}`);
    mkdirSync(folder);
    for (const [file, value] of Object.entries({ label, base, ngpio: lines }))
      writeFileSync(join(folder, file), `${value}\n`);
  }

  test.each([
    ["a Pi 5", "pinctrl-rp1", 569, 54, 586],
    ["a Pi 4", "pinctrl-bcm2711", 512, 58, 529],
    ["a Pi 3", "pinctrl-bcm2835", 0, 54, 17],
  ])("is found on %s by the label of the chip", (_pi, label, base, lines, expected) => {
    chip(504, "raspberrypi-exp-gpio", 504, 8);
    chip(base, label, base, lines);
    expect(sysfsNumberOf(17, root)).toBe(expected);
  });

  test("is found on another board by the configured label", () => {
    chip(0, "300b000.pinctrl", 0, 288);
    expect(sysfsNumberOf(17, root, { label: "300b000.pinctrl" })).toBe(17);
    expect(() => sysfsNumberOf(17, root)).toThrow(/found: 300b000\.pinctrl/);
  });

  test("is rejected beyond the end of the chip, between two chips of one label, and without a chip", () => {
    expect(() => sysfsNumberOf(17, root)).toThrow(/found: none/);
    expect(() => sysfsNumberOf(17, join(root, "absent"))).toThrow(/found: none/);
    chip(512, "pinctrl-bcm2711", 512, 58);
    expect(() => sysfsNumberOf(58, root)).toThrow(/GPIO line 58 does not exist: pinctrl-bcm2711 has 58/);
    chip(600, "pinctrl-bcm2711", 600, 58);
    expect(() => sysfsNumberOf(17, root)).toThrow(/2 GPIO chips have the label/);
  });
});

describe("a line that a killed daemon has left exported in /sys", () => {
  test("is released for the character device; others are not", () => {
    const root = temporaryFolder();
    mkdirSync(join(root, "gpiochip512"));
    for (const [file, value] of Object.entries({ label: "pinctrl-bcm2711", base: 512, ngpio: 58 }))
      writeFileSync(join(root, "gpiochip512", file), `${value}\n`);
    for (const exported of [529, 530]) mkdirSync(join(root, `gpio${exported}`));
    releaseExportedLines([17, 22], {}, root);
    expect(readFileSync(join(root, "unexport"), "utf8")).toBe("529");
    rmSync(root, { recursive: true });
    releaseExportedLines([17], {}, root);
    expect(existsSync(root)).toBe(false);
  });
});

describe("the device files of chips", () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  // Device files that every machine has stand for chips: only their numbers matter here.
  const link = (name: string, target: string): void => symlinkSync(target, join(folder, name));

  test("are one for each chip, whatever links the udev rules of Raspberry Pi OS make", () => {
    link("gpiochip0", "/dev/null");
    link("gpiochip4", "gpiochip0");
    link("gpiochip15", "/dev/zero");
    link("gpiochip2", "/dev/full");
    expect(chipDevices(folder)).toEqual(["gpiochip0", "gpiochip2", "gpiochip15"].map((n) => join(folder, n)));
  });

  test("leave out a link to a chip that was removed, and other files", () => {
    link("gpiochip4", "gpiochip0");
    link("gpiochip10", "/dev/null");
    link("gpiomem", "/dev/zero");
    expect(chipDevices(folder)).toEqual([join(folder, "gpiochip10")]);
    expect(chipDevices(join(folder, "absent"))).toEqual([]);
  });
});

describe("the character device", () => {
  const options = (needsBias: boolean) => {
    const { clock, log, conditions } = new MonitoredZones([DOOR]).common;
    return { chip: { label: "no-such-chip" }, needsBias, lines: [17], clock, log, conditions };
  };

  test("on a machine without the chip is an error with a remedy", async () => {
    await expect(openBackend("cdev", options(false))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("no GPIO chip with the label no-such-chip (found"),
    });
  });

  test("is preferred: without it and without GPIO in /sys, the error says what it lacks, and that it may appear", async () => {
    for (const needsBias of [false, true])
      await expect(openBackend("auto", options(needsBias))).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("no GPIO chip with the label no-such-chip (found"),
        hint: expect.stringContaining("without a restart"),
      });
  });
});

describe("onoff", () => {
  test("on a machine without the add-on or the chip is an error with a remedy, not a crash", async () => {
    await expect(OnoffLines.load({ label: "no-such-chip" })).rejects.toMatchObject({ code: "unavailable" });
  });

  test.each([
    ["EINVAL", /BCM number/],
    ["ENOENT", /gpio\.backend/],
    ["EACCES", /group gpio/],
    ["EROFS", /ReadWritePaths/],
    ["EBUSY", /gpio list/],
    ["EREMOTEIO", /supply and the wires/],
  ])("an %s of the kernel becomes a message with a remedy", (code, remedy) => {
    const error = lineError(17, Object.assign(new Error("write"), { code }));
    expect(error.message).toMatch(/^GPIO line 17 cannot be opened: /);
    expect(error.hint).toMatch(remedy);
  });

  test("cannot set a pull resistor, and names the line for config.txt", async () => {
    const onoff: OnoffLines = Reflect.construct(OnoffLines, [undefined, undefined]);
    expect(() => onoff.open(17, "pull-up", () => {})).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("gpio=17=ip,pu") }),
    );
  });

  test("any other error of the kernel is passed on unchanged", () => {
    const error = lineError(17, Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }));
    expect(error.message).toContain("EMFILE: too many open files");
  });
});
