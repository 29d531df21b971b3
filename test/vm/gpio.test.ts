import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHARACTER_DEVICE_PERL } from "../../src/generated/character-device.ts";
import { eventually } from "../support/eventually.ts";
import { CONTROL_REQUEST_PERL } from "./control-request.ts";
import { Machine } from "./machine.ts";

/** Time limit of an outcome without hardware virtualisation. */
const LIMIT_MS = 240_000;

function yamlOf(backend: string, input: string): string {
  return `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
gpio: { backend: ${backend} }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, powerUpDelayS: 0, input: ${input} }
  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, powerUpDelayS: 0, input: { gpio: 22, contact: nc } }
`;
}

let machine: Machine;
/** Directory of the simulated lines. */
let chip: string;

beforeAll(async () => {
  machine = await Machine.boot();
  // A chip with the label of a Raspberry Pi 4, after another one, so that its number does not identify it.
  await machine.run("mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config");
  for (const [name, label, lines] of [
    ["other", "some-expander", 8],
    ["pi", "pinctrl-bcm2711", 54],
  ] as const)
    await machine.run(
      `cd /sys/kernel/config/gpio-sim && mkdir -p ${name}/bank && echo ${lines} > ${name}/bank/num_lines && echo ${label} > ${name}/bank/label`,
    );
  await machine.run("cd /sys/kernel/config/gpio-sim/pi/bank && mkdir line17 && echo GPIO17 > line17/name");
  await machine.run("cd /sys/kernel/config/gpio-sim && echo 1 > other/live && echo 1 > pi/live");
  // The same program as another process that holds a line. In pieces: the serial line accepts at most 4095
  // characters at once (termios(3)).
  for (const piece of Buffer.from(CHARACTER_DEVICE_PERL)
    .toString("base64")
    .match(/.{1,1500}/g) ?? [])
    await machine.run(`printf %s ${piece} >> /root/holder.base64`);
  await machine.run("base64 -d /root/holder.base64 > /root/holder.pl");
  await machine.write("/root/ask.pl", CONTROL_REQUEST_PERL);
  await findChip();
});
// Undefined if it did not start.
afterAll(() => (machine as Machine | undefined)?.cutPower());

async function findChip(): Promise<void> {
  const device = await machine.run("cat /sys/kernel/config/gpio-sim/pi/dev_name");
  const number = await machine.run("cat /sys/kernel/config/gpio-sim/pi/bank/chip_name");
  chip = `/sys/devices/platform/${device}/${number}`;
}

/** The chip is back as another device, with a number of its own. */
async function chipAppears(): Promise<void> {
  await machine.run("echo 1 > /sys/kernel/config/gpio-sim/pi/live");
  await findChip();
  await wire(17, 0);
  await wire(22, 0);
}

/** Sets the level of a line. */
async function wire(line: number, level: 0 | 1): Promise<void> {
  await machine.run(`echo pull-${level === 1 ? "up" : "down"} > ${chip}/sim_gpio${line}/pull`);
}

/** Toggles a line this number of times. */
async function pulses(
  line: number,
  { count, upMs, downMs }: { count: number; upMs: number; downMs: number },
): Promise<void> {
  await machine.run(
    `perl -e 'open(my $w, ">", $ARGV[0]) or die; for (1 .. ${count}) { syswrite($w, "pull-up"); select(undef, undef, undef, ${upMs / 1000}); syswrite($w, "pull-down"); select(undef, undef, undef, ${downMs / 1000}) }' ${chip}/sim_gpio${line}/pull`,
  );
}

async function ask<T>(path: string): Promise<T> {
  return JSON.parse(await machine.run(`perl /root/ask.pl ${path}`)) as T;
}

const trips = (): Promise<{ zoneId: string; state: string }[]> => ask("/site/trips");
const contacts = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await ask<{ id: string; contact: string }[]>("/site/zones")).map(({ id, contact }) => [id, contact]),
  );
const conditions = async (): Promise<{ code: string; text: string }[]> =>
  (await ask<{ conditions: { code: string; text: string }[] }>("/site/status")).conditions;

async function restartWith(yaml: string): Promise<void> {
  await machine.run("systemctl stop santinela.service && rm -rf /var/lib/santinela/*");
  await machine.write("/etc/santinela/santinela.yaml", yaml);
  await machine.run("systemctl start santinela.service");
}

const contactIs = (zone: string, contact: string): Promise<unknown> =>
  eventually(`zone ${zone} is ${contact}`, async () => (await contacts())[zone] === contact, LIMIT_MS);

// `auto` is the character device here, as the first test of it shows; each start takes most of a test's time under emulation.
describe.each(["onoff", "auto"])("the kernel's GPIO lines with %s", (backend) => {
  beforeEach(async () => {
    await wire(17, 0);
    await wire(22, 0);
    await restartWith(yamlOf(backend, "{ gpio: 17, contact: nc }"));
    await contactIs("door", "normal");
    await contactIs("gate", "normal");
  });
  test("record each opening of a contact as one trip, and all of them as one intervention", async () => {
    for (let opening = 0; opening < 5; opening += 1) {
      await wire(17, 1);
      await contactIs("door", "open");
      await wire(17, 0);
      await contactIs("door", "normal");
    }
    const seen = await eventually(
      "five trips in an intervention",
      async () => {
        const all = await trips();
        return all.filter(({ state }) => state === "posted" || state === "merged").length === 5 && all;
      },
      LIMIT_MS,
    );
    expect(seen.map(({ zoneId }) => zoneId)).toEqual(Array(5).fill("door"));
    expect(await ask("/interventii")).toHaveLength(1);
    // A line of onoff is a directory in /sys.
    const exported = await machine.run("ls -d /sys/class/gpio/gpio[0-9]* 2>/dev/null | wc -l");
    expect(exported).toBe(backend === "onoff" ? "2" : "0");
  });

  test("are read at the start: a contact that opened while the daemon was stopped is a trip", async () => {
    await machine.run("systemctl stop santinela.service");
    await wire(22, 1);
    await machine.run("systemctl start santinela.service");
    const seen = await eventually("the trip", async () => (await trips())[0], LIMIT_MS);
    expect(seen.zoneId).toBe("gate");
  });

  test("count two hundred edges of a chattering contact as one trip and one fault", async () => {
    // Each level lasts longer than the simulator needs, and shorter than the filter of the zone.
    await pulses(17, { count: 100, upMs: 3, downMs: 3 });
    const seen = await eventually(
      "the trip and the fault",
      async () => {
        const all = await trips();
        return all.length >= 2 && all;
      },
      LIMIT_MS,
    );
    expect(seen.map(({ zoneId }) => zoneId)).toEqual(["door", "door"]);
    await contactIs("door", "normal");
    expect(await trips()).toHaveLength(2);
  });

  test("detect a pulse that ends before the line is read, and many of them as chatter", async () => {
    await pulses(22, { count: 30, upMs: 0, downMs: 30 });
    await eventually("the trip and the fault", async () => (await trips()).length === 2, LIMIT_MS);
    expect((await trips()).map(({ zoneId }) => zoneId)).toEqual(["gate", "gate"]);
  });

  test("are opened again after the daemon was killed without releasing them", async () => {
    await machine.run("systemctl kill --signal=KILL santinela.service");
    await eventually("the new process", async () => (await contacts())["door"] === "normal", LIMIT_MS);
    await wire(17, 1);
    await contactIs("door", "open");
  });
});

describe("an unstable line", () => {
  afterEach(() => machine.run("systemctl stop storm.service 2>/dev/null || true"));

  test.each(["onoff", "cdev"])(
    "is a condition with %s until it is stable, and the others work",
    async (backend) => {
      await wire(17, 0);
      await wire(22, 0);
      await restartWith(yamlOf(backend, "{ gpio: 17, contact: nc }"));
      await contactIs("door", "normal");
      await contactIs("gate", "normal");
      const pid = await machine.run("systemctl show --property=MainPID --value santinela.service");
      await machine.run(
        `systemd-run --quiet --unit=storm perl -e 'open(my $w, ">", $ARGV[0]) or die; $| = 1; for (;;) { syswrite($w, "pull-up"); syswrite($w, "pull-down"); select(undef, undef, undef, 0.001) }' ${chip}/sim_gpio17/pull`,
      );
      await eventually(
        "the storm is noticed",
        async () => (await conditions()).some(({ code }) => code === "gpio-line-unstable"),
        LIMIT_MS,
      );
      await wire(22, 1);
      await contactIs("gate", "open");
      await machine.run("systemctl stop storm.service");
      await wire(17, 0);
      await wire(22, 0);
      await eventually("no condition", async () => (await conditions()).length === 0, 2 * LIMIT_MS);
      await contactIs("door", "normal");
      await wire(17, 1);
      await contactIs("door", "open");
      expect(await machine.run("systemctl show --property=MainPID --value santinela.service")).toBe(pid);
    },
  );
});

describe("a line in use by another program", () => {
  test.each(["onoff", "cdev"])(
    "is a condition with a remedy with %s, and is opened when it is free",
    async (backend) => {
      await wire(17, 0);
      await machine.run(
        "systemctl stop santinela.service; systemctl stop holder.service 2>/dev/null || true",
      );
      await machine.run(
        `systemd-run --quiet --unit=holder sh -c '(echo open 17 as-is; sleep infinity) | perl /root/holder.pl watch /dev/${chip.split("/").at(-1)}'`,
      );
      await restartWith(yamlOf(backend, "{ gpio: 17, contact: nc }"));
      await contactIs("gate", "normal");
      const [condition] = await conditions();
      expect(condition).toMatchObject({
        code: "gpio-line-failed",
        text: expect.stringContaining("gpio list"),
      });
      expect(await machine.run("santinela gpio list")).toMatch(
        /17 +GPIO17 +in +- +held by santinela +zone door/,
      );
      await machine.run("systemctl stop holder.service");
      await contactIs("door", "normal");
      expect(await conditions()).toEqual([]);
    },
  );
});

describe("a line that disappears", () => {
  test("from /sys while in use is opened again", async () => {
    await wire(17, 0);
    await restartWith(yamlOf("onoff", "{ gpio: 17, contact: nc }"));
    await contactIs("door", "normal");
    const pid = await machine.run("systemctl show --property=MainPID --value santinela.service");
    const base = await machine.run(
      "for c in /sys/class/gpio/gpiochip*; do grep -q bcm2711 $c/label && cat $c/base; done; true",
    );
    await machine.run(`echo ${Number(base) + 17} > /sys/class/gpio/unexport`);
    await wire(17, 1);
    await contactIs("door", "open");
    expect(await machine.run("systemctl show --property=MainPID --value santinela.service")).toBe(pid);
  });

  test("because another program changed its edge setting is read again", async () => {
    await wire(17, 0);
    await restartWith(yamlOf("onoff", "{ gpio: 17, contact: nc }"));
    await contactIs("door", "normal");
    await machine.run("for e in /sys/class/gpio/gpio*/edge; do echo none > $e; done");
    await wire(17, 1);
    await contactIs("door", "open");
    await eventually(
      "the entry in the event log",
      async () =>
        /another program has changed GPIO line 17/.test(
          await machine.run("journalctl --no-pager --unit=santinela.service"),
        ),
      LIMIT_MS,
    );
  });

  test("with its chip is a condition, and is opened again without a restart when the chip is back", async () => {
    await wire(17, 0);
    await restartWith(yamlOf("cdev", "{ gpio: 17, contact: nc }"));
    await contactIs("door", "normal");
    const pid = await machine.run("systemctl show --property=MainPID --value santinela.service");
    await machine.run("echo 0 > /sys/kernel/config/gpio-sim/pi/live");
    const condition = await eventually(
      "the condition",
      async () => (await conditions()).find(({ code }) => code === "gpio-unavailable"),
      LIMIT_MS,
    );
    expect(condition.text).toContain("without a restart");
    await chipAppears();
    await eventually("no condition", async () => (await conditions()).length === 0, LIMIT_MS);
    await wire(17, 1);
    await contactIs("door", "open");
    expect(await machine.run("systemctl show --property=MainPID --value santinela.service")).toBe(pid);
  });

  test("because the process that reads it is killed is read again at once, with an opening in the meantime", async () => {
    await wire(17, 0);
    await restartWith(yamlOf("cdev", "{ gpio: 17, contact: nc }"));
    await contactIs("door", "normal");
    const pid = await machine.run("systemctl show --property=MainPID --value santinela.service");
    await machine.run(`pkill -KILL --parent ${pid} perl && echo pull-up > ${chip}/sim_gpio17/pull`);
    await eventually("the trip", async () => (await trips()).length === 1, LIMIT_MS);
    expect(await conditions()).toEqual([]);
    expect(await machine.run("journalctl --no-pager --unit=santinela.service")).toContain(
      "gpio-helper-restarted",
    );
  });
});

describe("a pull resistor", () => {
  test("is set with the character device, which auto selects", async () => {
    await restartWith(yamlOf("auto", "{ gpio: 17, contact: nc, bias: pull-up }"));
    // The simulated line follows the bias set by the kernel: an NO contact with a pull-up.
    await contactIs("door", "open");
    expect(await machine.run(`cat ${chip}/sim_gpio17/pull`)).toBe("pull-up");
  });
});

describe("the chips", () => {
  test("are listed with the lines of zones and their levels", async () => {
    await machine.run("systemctl stop santinela.service");
    await wire(17, 1);
    const list = await machine.run("santinela gpio list");
    expect(list).toMatch(/pinctrl-bcm2711 {2}54 lines {2}gpio-sim\S* {2}\(the chip that zones use\)/);
    expect(list).toMatch(/some-expander {2}8 lines {2}gpio-sim\S*$/m);
    expect(list).toMatch(/17 +GPIO17 +in +1 +free +zone door \(nc, open\)/);
  });
});

describe("the service", () => {
  test("may open GPIO chips by class and no other device", async () => {
    await machine.run("systemctl start santinela.service");
    // The unit's own sandbox, in a process of its own that opens each device for reading.
    const node = `/dev/${chip.split("/").at(-1)}`;
    const properties = (
      await machine.run(
        "systemctl show santinela.service --property=User,SupplementaryGroups,DevicePolicy,DeviceAllow",
      )
    ).split("\n");
    expect(properties).toContain("DevicePolicy=closed");
    expect(properties).toContain("DeviceAllow=char-gpiochip rw");
    const options = properties.map((property) => `--property='${property}'`).join(" ");
    const opened = (device: string): Promise<string> =>
      machine.run(
        `systemd-run --quiet --wait --pipe ${options} perl -e 'open(my $d, "<", $ARGV[0]) ? print "opened" : print $!' ${device}`,
      );
    expect(await opened(node)).toBe("opened");
    // The file's mode must not be what denies it.
    await machine.run("chmod 666 /dev/vda /dev/ttyS0");
    expect(await opened("/dev/vda")).toBe("Operation not permitted");
    expect(await opened("/dev/ttyS0")).toBe("Operation not permitted");
  });

  test("has the memory limit of its unit", async () => {
    await machine.run("systemctl start santinela.service");
    const group = await machine.run("systemctl show --property=ControlGroup --value santinela.service");
    expect(await machine.run(`cat /sys/fs/cgroup${group}/memory.max`)).toBe(String(256 * 1_048_576));
  });
});

// The last test: the machine does not restart.
describe("a machine that stops", () => {
  test("by a signal during a command is reported at once, with the signal", async () => {
    const command = machine.run("sleep 600");
    process.kill(machine.pid, "SIGKILL");
    await expect(command).rejects.toThrow("QEMU has ended by SIGKILL before the end of: sleep 600");
    await expect(machine.run("true")).rejects.toThrow("QEMU has ended by SIGKILL");
  });
});
