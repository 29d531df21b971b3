import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBackend } from "../../src/inputs/gpio/backend.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { listChips } from "../../src/inputs/gpio/chip-list.ts";
import { openDriver } from "../../src/inputs/gpio/line-driver.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { eventually } from "../support/eventually.ts";
import { FakeLineProgram } from "../support/fake-line-program.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const DOOR = zoneOf({ id: "door", input: { gpio: 17, contact: "nc" } });

let program: FakeLineProgram;
beforeEach(() => {
  program = new FakeLineProgram();
});
afterEach(() => program.remove());

describe("a door whose line is read by a program", () => {
  let site: MonitoredZones;
  let readings: GpioReadings;
  beforeEach(async () => {
    site = MonitoredZones.forTest([DOOR]);
    const { clock, log, conditions } = site.common;
    const { devices } = program;
    const options = { chip: {}, needsBias: false, lines: [17], clock, log, conditions, devices };
    readings = new GpioReadings({ ...site.common, openPort: () => openBackend("cdev", options) });
  });
  afterEach(() => readings.stop());

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

  test("that hangs at the end of the daemon is ended by force", async () => {
    await start();
    const [pid = 0] = program.pids;
    await program.hang();
    readings.stop();
    site.clock.advance(2_000);
    await eventually("the end of the program", () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
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
  let ends = 0;
  const driver = await openDriver("cdev", {}, program.devices, () => (ends += 1));
  await driver.set(22, 1);
  program.kill();
  await eventually("the report of its end", () => ends > 0);
  const hasExited = async (): Promise<boolean> =>
    driver.set(22, 0).then(
      () => false,
      (error: unknown) => (error as Error).message.includes("has exited"),
    );
  await eventually("the end of the program", hasExited);
  expect(await hasExited()).toBe(true);
  driver.close();
});

describe("a door on the header, beside an expander whose bus hangs", () => {
  const SHED = zoneOf({ id: "shed", input: { gpio: 3, chip: "expander" } });
  const MCP23017 = { label: "mcp23017", lines: 16 } as const;
  let site: MonitoredZones;
  let readings: GpioReadings;
  beforeEach(() => {
    site = MonitoredZones.forTest([DOOR, SHED]);
    readings = readingsOf("auto");
  });
  afterEach(() => readings.stop());

  function readingsOf(backend: "auto" | "cdev"): GpioReadings {
    const { clock, log, conditions } = site.common;
    const { devices } = program;
    const options = { needsBias: false, lines: [], clock, log, conditions, devices };
    return new GpioReadings({
      ...site.common,
      openPort: (name) => {
        const chip = name === undefined ? {} : { name, label: "mcp23017" };
        return openBackend(backend, { ...options, chip });
      },
    });
  }

  async function startAndTrip(): Promise<void> {
    await readings.start();
    site.clock.advance(1_000);
    expect(site.contactOf("door")).toBe("normal");
    program.set(17, 1);
    await eventually("the door to be open", () => {
      site.clock.advance(100);
      return site.contactOf("door") === "open";
    });
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["door"]);
  }

  test("is read from the start: no level of the expander is asked for", async () => {
    program.plug("gpiochip1", "/dev/zero", { ...MCP23017, fault: "list" });
    await startAndTrip();
    expect(site.conditions).toEqual([]);
  });

  test("is read at once although the lines of the expander do not answer: neither the start nor a reload waits for them", async () => {
    program.plug("gpiochip1", "/dev/zero", { ...MCP23017, fault: "watch" });
    const ends = async (work: Promise<void>): Promise<void> => {
      let isOver = false;
      void work.then(() => (isOver = true));
      await eventually("the start of both programs", () => program.pids.length === 2);
      await eventually(
        "the line of the door",
        () => site.contactOf("door") === "normal" || site.clock.advance(100),
      );
      site.clock.advance(3_000);
      await eventually("the end", () => isOver);
    };
    await ends(readings.start());
    await ends(readings.exchange([SHED, DOOR]));
    readings.stop();
  });

  test("is read, and the expander too, after it has returned under another number and another chip has got its former one", async () => {
    program.plug("gpiochip1", "/dev/zero", MCP23017);
    await readings.start();
    site.clock.advance(1_000);
    expect(site.contactOf("shed")).toBe("normal");
    program.plug("gpiochip1", "/dev/tty", { label: "other", lines: 16 });
    program.plug("gpiochip2", "/dev/zero", MCP23017);
    program.fail(3, "ENODEV");
    await eventually("the loss", () => site.conditions.includes("gpio-line-failed/shed"));
    const text = site.health.list()[0]?.text ?? "";
    expect(text).toMatch(/^line expander\/3 can no longer be read: its chip was removed\. /);
    expect(translateToRomanian(text)).toMatch(
      /: cipul ei a fost deconectat\. Conectați-l din nou .* automat$/,
    );
    await eventually("the expander to be read", () => {
      site.clock.advance(100);
      return site.conditions.length === 0;
    });
    expect(program.paths.map((path) => path.slice(-9)).toSorted()).toEqual([
      "gpiochip0",
      "gpiochip1",
      "gpiochip2",
    ]);
  });

  test("is read even if the expander answers nothing, in whatever order, and the condition says which chip that is", async () => {
    program.plug("gpiochip0", "/dev/null", { ...MCP23017, fault: "chips" });
    program.plug("gpiochip1", "/dev/zero", { label: "pinctrl-bcm2711", lines: 58 });
    await startAndTrip();
    expect(site.conditions).toEqual(["gpio-unavailable/expander"]);
    const text = site.health.list()[0]?.text ?? "";
    expect(text).toBe(
      `chip expander: the GPIO chip ${program.devices}/gpiochip0 does not respond. Check its supply and the wires of its bus. Not read: shed.`,
    );
    expect(translateToRomanian(text)).toBe(
      `cipul expander: cipul GPIO ${program.devices}/gpiochip0 nu răspunde. Verificați alimentarea cipului și conductoarele magistralei. Zone necitite: shed`,
    );
    // It is listed too, without hiding the others.
    const { chips, failures } = await listChips(program.devices);
    expect([chips.map(({ label }) => label), failures.length]).toEqual([["pinctrl-bcm2711"], 1]);
  });

  test("is read although udev has not opened the expander to the daemon yet, which is read as soon as it has", async () => {
    program.plug("gpiochip1", "/dev/zero", { ...MCP23017, fault: "EACCES" });
    await startAndTrip();
    const text = site.health.list()[0]?.text ?? "";
    expect(text).toMatch(
      /gpiochip1 cannot be opened: EACCES\. Add the user to the group gpio; .* Not read: shed\.$/,
    );
    expect(translateToRomanian(text)).toMatch(
      /nu poate fi deschis: EACCES\. Adăugați .* Zone necitite: shed$/,
    );
    program.plug("gpiochip1", "/dev/zero", MCP23017);
    site.clock.advance(2_000);
    await eventually("the expander to be read", () => {
      site.clock.advance(100);
      return site.contactOf("shed") === "normal";
    });
    expect(site.conditions).toEqual([]);
  });
});

test("without Perl the condition names the program, and not its text", async () => {
  const site = MonitoredZones.forTest([DOOR]);
  const { clock, log, conditions } = site.common;
  const options = {
    chip: {},
    needsBias: false,
    lines: [17],
    clock,
    log,
    conditions,
    devices: program.devices,
  };
  process.env["PATH"] = program.devices;
  await expect(openBackend("auto", options)).rejects.toMatchObject({
    message: "the program that reads GPIO chips cannot be started: ENOENT",
    hint: "Install Perl (apt install perl-base).",
  });
});
