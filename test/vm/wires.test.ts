import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHARACTER_DEVICE_PERL } from "../../src/generated/character-device.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { eventually } from "../support/eventually.ts";
import { CONTROL_REQUEST_PERL } from "./control-request.ts";
import { Machine } from "./machine.ts";

/** Time limit of an outcome without hardware virtualisation. */
const LIMIT_MS = 240_000;
/** With 2 V at a pull-up resistor of 2.2 kΩ, as the driver's default range ends at 2.048 V: one step is a millivolt. */
const [NORMAL_MV, ALARM_MV, CUT_MV] = [1000, 1333, 2000];

const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
gpio: { chips: { expander: { label: mcp23017 } } }
outputs:
  - { name: siren, on: alarm, pulseS: 3600, gpio: 22, active: low }
  - { name: horn, on: alarm, gpio: 5, chip: expander }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
${(
  [
    ["door", "{ gpio: 3 }"],
    ["shed", "{ gpio: 3, chip: expander }"],
    ["yard", "{ adc: ads1015, channel: 0, eol: { normal: 2k2, alarm: 4k4, pullUp: 2k2, supplyV: 2 } }"],
  ] as const
)
  .map(
    ([id, input]) =>
      `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, powerUpDelayS: 0, unavailableGraceS: 0, input: ${input} }`,
  )
  .join("\n")}
`;

/** Writes a register of the device at 0x48. The driver swaps the bytes of a word, as the device sends the high one first. */
const WRITE_REGISTER = String.raw`
my ($bus, $register, $value) = @ARGV;
open(my $i2c, "+<", "/dev/i2c-$bus") or die "no bus: $!";
ioctl($i2c, 0x0706, 0x48) or die "no address: $!";
my $data = pack("n x32", $value);
my $request = pack("C C x2 L P34", 0, $register, 3, $data);
ioctl($i2c, 0x0720, $request) or die "not written: $!";
`;

let machine: Machine;
let bus: string;

beforeAll(async () => {
  machine = await Machine.boot();
  await machine.run("mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config");
  for (const [name, label, lines] of [
    ["header", "pinctrl-bcm2711", 54],
    ["expander", "mcp23017", 16],
  ] as const) {
    await machine.run(
      `cd /sys/kernel/config/gpio-sim && mkdir -p ${name}/bank && echo ${lines} > ${name}/bank/num_lines && echo ${label} > ${name}/bank/label && echo 1 > ${name}/live`,
    );
    await wire(name, 0);
  }
  await machine.write("/root/ask.pl", CONTROL_REQUEST_PERL);
  await machine.write("/root/register.pl", WRITE_REGISTER);
  bus = await machine.run(
    "basename $(dirname $(grep -l 'SMBus stub' /sys/bus/i2c/devices/i2c-*/name)) | sed s/i2c-//",
  );
  await measure(NORMAL_MV);
  await plugConverter();
  await machine.run("systemctl stop santinela.service && rm -rf /var/lib/santinela/*");
  await machine.write("/etc/santinela/santinela.yaml", YAML);
  await machine.run("systemctl start santinela.service");
});
// Undefined if it did not start.
afterAll(() => (machine as Machine | undefined)?.cutPower());

/** Sets the level of line 3 of a chip. */
async function wire(name: "header" | "expander", level: 0 | 1): Promise<void> {
  await machine.run(
    `cd /sys/kernel/config/gpio-sim/${name} && echo pull-${level === 1 ? "up" : "down"} > /sys/devices/platform/$(cat dev_name)/$(cat bank/chip_name)/sim_gpio3/pull`,
  );
}

/** The level that the daemon gives a line, as what is wired to it sees it. */
async function levelAt(name: "header" | "expander", line: number): Promise<string> {
  return machine.run(
    `cd /sys/kernel/config/gpio-sim/${name} && cat /sys/devices/platform/$(cat dev_name)/$(cat bank/chip_name)/sim_gpio${line}/value`,
  );
}

const levelIs = (name: "header" | "expander", line: number, level: string): Promise<unknown> =>
  eventually(
    `line ${line} of ${name} is ${level}`,
    async () => (await levelAt(name, line)).trim() === level,
    LIMIT_MS,
  );

async function measure(millivolts: number): Promise<void> {
  // The conversion register has 12 bits at its upper end.
  await machine.run(`perl /root/register.pl ${bus} 0 ${millivolts << 4}`);
}

const plugConverter = (): Promise<string> =>
  machine.run(`echo ads1015 0x48 > /sys/bus/i2c/devices/i2c-${bus}/new_device`);

async function ask<T>(path: string): Promise<T> {
  return JSON.parse(await machine.run(`perl /root/ask.pl ${path}`)) as T;
}

const zone = async (id: string): Promise<ZoneView | undefined> =>
  (await ask<ZoneView[]>("/site/zones")).find((one) => one.id === id);
const contactIs = (id: string, contact: string): Promise<unknown> =>
  eventually(`zone ${id} is ${contact}`, async () => (await zone(id))?.contact === contact, LIMIT_MS);
const loopIs = (state: string): Promise<unknown> =>
  eventually(`the loop shows ${state}`, async () => (await zone("yard"))?.loop?.state === state, LIMIT_MS);
const conditionOf = (code: string): Promise<{ code: string; subject: string; text: string }> =>
  eventually(
    `the condition ${code}`,
    async () =>
      (
        await ask<{ conditions: { code: string; subject: string; text: string }[] }>("/site/status")
      ).conditions.find((condition) => condition.code === code),
    LIMIT_MS,
  );
const noConditions = (): Promise<unknown> =>
  eventually(
    "no condition",
    async () => (await ask<{ conditions: unknown[] }>("/site/status")).conditions.length === 0,
    LIMIT_MS,
  );
const tripsOf = async (id: string): Promise<string[]> =>
  (await ask<{ zoneId: string; cause: string }[]>("/site/trips"))
    .filter(({ zoneId }) => zoneId === id)
    .map(({ cause }) => cause);

describe("two chips of a kernel", () => {
  test("have lines of the same number; one that is removed is a condition of its own, and is used when it returns", async () => {
    await contactIs("door", "normal");
    await contactIs("shed", "normal");
    await levelIs("header", 22, "1");
    await levelIs("expander", 5, "0");
    await wire("expander", 1);
    await contactIs("shed", "open");
    await levelIs("header", 22, "0");
    await levelIs("expander", 5, "1");
    expect((await zone("door"))?.contact).toBe("normal");
    await wire("expander", 0);
    await contactIs("shed", "normal");

    await machine.run("echo 0 > /sys/kernel/config/gpio-sim/expander/live");
    const condition = await conditionOf("gpio-unavailable");
    expect(condition).toMatchObject({
      subject: "expander",
      text: expect.stringMatching(/no GPIO chip with the label mcp23017 .*Not read: shed\./),
    });
    await wire("header", 1);
    await contactIs("door", "open");
    await machine.run("echo 1 > /sys/kernel/config/gpio-sim/expander/live");
    await wire("expander", 1);
    await contactIs("shed", "open");
    // The chip has lost its level with its power.
    await levelIs("expander", 5, "1");
    await noConditions();
    expect(await tripsOf("shed")).toEqual(["edge", "edge"]);
    expect(await tripsOf("door")).toEqual(["edge"]);
    expect(await machine.run("santinela gpio list")).toMatch(
      /mcp23017 {2}16 lines {2}gpio-sim\S* {2}\(chip expander\)\n[^]*3 .*zone shed/,
    );
  });

  test("that has no interrupt is read instead", async () => {
    // The program with a request for edges that the kernel rejects: with the simulator every line has an interrupt.
    const program = CHARACTER_DEVICE_PERL.replace("16 | 32,", "1 << 40,").replace("$!{ENXIO}", "$!{EINVAL}");
    for (const piece of Buffer.from(program)
      .toString("base64")
      .match(/.{1,1500}/g) ?? [])
      await machine.run(`printf %s ${piece} >> /root/watch.base64`);
    await machine.run("base64 -d /root/watch.base64 > /root/watch.pl");
    const { chip } = { chip: await machine.run("cat /sys/kernel/config/gpio-sim/expander/bank/chip_name") };
    await machine.run(
      `systemd-run --quiet --unit=watch sh -c '(echo open 6 as-is 0; sleep infinity) | perl /root/watch.pl watch /dev/${chip} > /root/seen'`,
    );
    const seen = (line: string): Promise<unknown> =>
      eventually(line, async () => (await machine.run("cat /root/seen")).includes(line), LIMIT_MS);
    await seen("level\t6\t0");
    await machine.run(
      "cd /sys/kernel/config/gpio-sim/expander && echo pull-up > /sys/devices/platform/$(cat dev_name)/$(cat bank/chip_name)/sim_gpio6/pull",
    );
    await seen("edge\t6\t1");
    await machine.run("systemctl stop watch.service");
  });
});

describe("a converter of a kernel", () => {
  test("measures a loop: alarm, cut wire, and a converter that is removed and returns", async () => {
    await loopIs("normal");
    expect((await zone("yard"))?.loop?.ohms).toBe(2200);
    await measure(ALARM_MV);
    await contactIs("yard", "open");
    await measure(NORMAL_MV);
    await contactIs("yard", "normal");
    await measure(CUT_MV);
    await loopIs("cut");
    await eventually("tamper", async () => (await zone("yard"))?.faults[0]?.fault === "tamper", LIMIT_MS);
    await measure(NORMAL_MV);
    await loopIs("normal");
    await machine.run(`echo 0x48 > /sys/bus/i2c/devices/i2c-${bus}/delete_device`);
    expect(await conditionOf("adc-unavailable")).toMatchObject({
      subject: "ads1015",
      text: expect.stringContaining("Not read: yard."),
    });
    await measure(ALARM_MV);
    await plugConverter();
    await contactIs("yard", "open");
    await noConditions();
    expect((await tripsOf("yard")).filter((cause) => cause === "edge")).toHaveLength(2);
  });
});
