import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { openChip } from "../../src/inputs/gpio/backend.ts";
import { type GpioChip, chosenChip } from "../../src/inputs/gpio/chips.ts";
import { type GpioLine, type GpioPort, SimulatedLines } from "../../src/inputs/gpio/gpio-port.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { OnoffLines, sysfsNumberOf } from "../../src/inputs/gpio/onoff-lines.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DOOR = zoneOf({ id: "door", input: { gpio: 3 } });
const YARD = zoneOf({ id: "yard", input: { gpio: 3, chip: "expander" } });
const SHED = zoneOf({ id: "shed", input: { gpio: 4, chip: "expander" } });

/** Chips that can be unplugged; their lines keep their levels. */
class PluggedChips {
  readonly lines = new SimulatedLines();
  readonly unplugged = new Set<string | undefined>();

  readonly openPort = (chip: string | undefined): GpioPort => {
    const ensurePlugged = (): void => {
      if (this.unplugged.has(chip))
        throw new AppError("unavailable", "no GPIO chip with the label mcp23017 (found: none)", {
          hint: "It may appear.",
        });
    };
    ensurePlugged();
    const port = this.lines.chip(chip);
    return {
      open: (line, bias, onActivity): GpioLine => {
        ensurePlugged();
        const opened = port.open(line, bias, onActivity);
        const read = (): 0 | 1 => {
          ensurePlugged();
          return opened.read();
        };
        return { ...opened, read };
      },
      close: () => {},
    };
  };
}

describe("the lines of several chips", () => {
  let site: MonitoredZones;
  let chips: PluggedChips;
  let readings: GpioReadings;

  beforeEach(() => {
    site = MonitoredZones.forTest([DOOR, YARD, SHED]);
    chips = new PluggedChips();
    readings = new GpioReadings({ ...site.common, openPort: chips.openPort });
  });
  afterEach(() => readings.stop());

  /** Time in small steps, with the work that it causes. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      site.clock.advance(1000);
      await new Promise(setImmediate);
    }
  }
  const contacts = (): Record<string, string> =>
    Object.fromEntries(site.monitor.zones().map(({ zone, contact }) => [zone.id, contact]));

  test("with one number are different lines", async () => {
    await readings.start();
    await pass(2000);
    chips.lines.chip("expander").set(3, 1);
    await pass(2000);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["yard"]);
    chips.lines.set(3, 1);
    await pass(2000);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["yard", "door"]);
  });

  test("work while another chip is missing at the start; it is a condition with its zones, and is taken up", async () => {
    chips.unplugged.add("expander");
    await readings.start();
    await pass(2000);
    expect(site.conditions).toEqual(["gpio-unavailable/expander"]);
    expect(site.health.list()[0]?.text).toBe(
      "chip expander: no GPIO chip with the label mcp23017 (found: none). It may appear. Not read: yard, shed.",
    );
    expect(contacts()).toEqual({ door: "normal", yard: "unknown", shed: "unknown" });
    chips.lines.set(3, 1);
    await pass(2000);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["door"]);
    chips.unplugged.clear();
    await pass(3000);
    expect(site.conditions).toEqual([]);
    expect(contacts()).toEqual({ door: "open", yard: "normal", shed: "normal" });
  });

  test("that is lost in service does not affect the others; an opening in the meantime is a trip at its return", async () => {
    await readings.start();
    await pass(2000);
    chips.unplugged.add("expander");
    // Its lines fail at a check, and the chip at the next one.
    await pass(22_000);
    expect(site.conditions.toSorted()).toEqual([
      "gpio-line-failed/shed",
      "gpio-line-failed/yard",
      "gpio-unavailable/expander",
    ]);
    chips.lines.set(3, 1);
    await pass(2000);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["door"]);
    chips.lines.chip("expander").set(4, 1);
    chips.unplugged.clear();
    await pass(3000);
    expect(site.conditions).toEqual([]);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["door", "shed"]);
    // The event log has the time in which the chip was not read.
    expect(site.events.map(({ subject }) => subject)).toContain("gpio-unavailable expander");
  });

  test("are exchanged between chips at a reload, without a condition of the former line", async () => {
    chips.unplugged.add("expander");
    await readings.start();
    await pass(2000);
    const moved = [zoneOf({ id: "yard", input: { gpio: 7 } }), DOOR];
    site.zoneService.exchange(moved, { who: "tester", from: "test" });
    await readings.exchange(moved);
    await pass(2000);
    expect(site.conditions).toEqual([]);
    chips.lines.set(7, 1);
    await pass(2000);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["yard"]);
  });
});

describe("a chip", () => {
  const HEADER = { label: "pinctrl-bcm2711", lines: 58, devices: ["platform", "fe200000.gpio"] };
  const expanderAt = (device: string): GpioChip => ({
    label: "mcp23017",
    lines: 16,
    devices: ["i2c-1", device],
  });
  const CHIPS = [
    expanderAt("1-0020"),
    HEADER,
    expanderAt("1-0021"),
    { ...expanderAt("1-0022"), label: "pcf8574" },
  ];

  test("is found by its label, by its kernel device, and without either as the header of a Raspberry Pi", () => {
    expect(chosenChip(CHIPS)).toBe(HEADER);
    expect(chosenChip(CHIPS, { name: "header" })).toBe(HEADER);
    expect(chosenChip(CHIPS, { name: "outputs", label: "pcf8574" })).toBe(CHIPS[3]);
    expect(chosenChip(CHIPS, { name: "expander", label: "mcp23017", device: "1-0021" })).toBe(CHIPS[2]);
    expect(chosenChip(CHIPS, { name: "expander", device: "1-0020" })).toBe(CHIPS[0]);
  });

  test("that fits twice is an error that names the devices to choose from", () => {
    expect(() => chosenChip(CHIPS, { name: "expander", label: "mcp23017" })).toThrow(
      "2 GPIO chips have the label mcp23017; set gpio.chips.expander.device to distinguish them (1-0020, 1-0021)",
    );
  });

  test("that is missing is an error with what was found, and where to change it", () => {
    const missing = { name: "expander", device: "1-0027", label: "mcp23017" };
    expect(() => chosenChip(CHIPS, missing)).toThrow(
      expect.objectContaining({
        message:
          "no GPIO chip with the label mcp23017 and the device 1-0027 (found: mcp23017, pinctrl-bcm2711, mcp23017, pcf8574)",
        hint: expect.stringContaining("gpio.chips.expander"),
      }),
    );
  });

  test("is found by a link to its device file", () => {
    const folder = temporaryFolder();
    // Device files that every machine has stand for chips: only their numbers matter here.
    symlinkSync("/dev/zero", join(folder, "gpio-of-the-expander"));
    const chips = [
      { ...HEADER, path: "/dev/null" },
      { ...expanderAt("1-0020"), path: "/dev/zero" },
    ];
    expect(chosenChip(chips, { path: join(folder, "gpio-of-the-expander") })).toBe(chips[1]);
    expect(() => chosenChip(chips, { path: join(folder, "absent") })).toThrow(/the device file/);
  });
});

describe("onoff", () => {
  test("adds the base number of the chip that the zone names", () => {
    const root = temporaryFolder();
    const gpioClass = join(root, "class");
    mkdirSync(gpioClass);
    for (const [device, label, base, lines] of [
      ["platform/fe200000.gpio", "pinctrl-bcm2711", 512, 58],
      ["i2c-1/1-0020", "mcp23017", 570, 16],
      ["i2c-1/1-0021", "mcp23017", 586, 16],
    ] as const) {
      const folder = join(root, "devices", device, "gpio", `gpiochip${base}`);
      mkdirSync(folder, { recursive: true });
      for (const [file, value] of Object.entries({ label, base, ngpio: lines }))
        writeFileSync(join(folder, file), `${value}\n`);
      symlinkSync(folder, join(gpioClass, `gpiochip${base}`));
    }
    expect(sysfsNumberOf(3, gpioClass)).toBe(515);
    expect(sysfsNumberOf(3, gpioClass, { name: "e", device: "1-0021" })).toBe(589);
    expect(() => sysfsNumberOf(16, gpioClass, { name: "e", device: "1-0020" })).toThrow(
      /mcp23017 has 16 lines/,
    );
  });

  test("cannot use a device file, and says what can", async () => {
    await expect(OnoffLines.load({ name: "expander", path: "/dev/expander" })).rejects.toMatchObject({
      code: "unavailable",
      hint: expect.stringContaining("gpio.chips.expander"),
    });
  });
});

test("a zone of a chip that only the reloaded file knows never uses another chip's line", async () => {
  const { common } = new MonitoredZones([]);
  await expect(
    openChip("cdev", "expander", { ...common, gpio: { chips: { header: {} } }, zones: [YARD] }),
  ).rejects.toMatchObject({
    message: "chip expander is new in gpio.chips",
    hint: "Restart the daemon to use it.",
  });
});
