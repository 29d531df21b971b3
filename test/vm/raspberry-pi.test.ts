// What distinguishes a Raspberry Pi in service from a PC: a clock without a battery, chrony, the GPIO chips and their link, an overlay
// over the root, a card that is moved to another machine, and a kernel that panics.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/generated/types.ts";
import { eventually } from "../support/eventually.ts";
import { acknowledgedIn, expectEachOnce, sensorsOf, startProgram } from "./acknowledged-trips.ts";
import { CONTROL_REQUEST_PERL } from "./control-request.ts";
import { Machine } from "./machine.ts";
import {
  CENTRE_YAML,
  CHRONY_SOURCE,
  LAST_SHUTDOWN,
  LINK_RULE,
  PASSWORD,
  SITE_YAML,
  TIME_SERVER_PERL,
  ZONES,
} from "./raspberry-pi.ts";

/** Time limit of an outcome without hardware virtualisation. */
const LIMIT_MS = 240_000;
/** Acknowledged before the panic. */
const TRIPS = 8;
const SIM = "/sys/kernel/config/gpio-sim";

let folder: string;
let machine: Machine;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "santinela-pi-"));
  copyFileSync(process.env["TEST_VM_DISK"] ?? "", join(folder, "disk.img"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Boots the card. @param machineId of the machine that it is in */
const boot = (machineId: string, kernel = ""): Promise<Machine> =>
  Machine.bootFrom(join(folder, "disk.img"), {
    kernel: `initcall_blacklist=cmos_init systemd.machine_id=${machineId} ${kernel}`,
    hardware: ["-rtc", `base=${LAST_SHUTDOWN}`],
  });
const FIRST = "1".repeat(32);
const SECOND = "2".repeat(32);

const ask = async <T>(path: string, body?: object): Promise<T> =>
  JSON.parse(await machine.run(`perl /root/ask.pl ${path}${body ? ` '${JSON.stringify(body)}'` : ""}`)) as T;
const conditions = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await ask<{ conditions: { code: string; text: string }[] }>("/site/status")).conditions.map(
      ({ code, text }) => [code, text],
    ),
  );
const records = (): Promise<Intervention[]> => ask("/interventii");
const recordsAtCentre = async (): Promise<Intervention[]> =>
  JSON.parse(
    await machine.run("SOCKET=/var/lib/santinela-centre/control.sock perl /root/ask.pl /interventii"),
  ) as Intervention[];
const objectives = (list: readonly Intervention[]): number[] =>
  list.map(({ objectiveId }) => objectiveId).toSorted((one, other) => one - other);
/** Exits with 1 if there is an error. */
const doctor = (): Promise<string> => machine.run("santinela doctor; true");

describe("a card whose machine has died", () => {
  let acknowledged: string[];
  let formerKey: string;
  const key = (): Promise<string> => machine.run("sha256sum /var/lib/santinela/secrets/token-signing.key");

  beforeAll(async () => {
    machine = await boot(FIRST);
    await machine.write("/root/ask.pl", CONTROL_REQUEST_PERL);
    await machine.write("/root/time.pl", TIME_SERVER_PERL);
    await machine.write("/etc/udev/rules.d/60-gpiochip4.rules", LINK_RULE);
    await machine.write("/etc/chrony/sources.d/test.sources", CHRONY_SOURCE);
    await machine.run("systemctl enable --quiet chrony.service");
    await machine.write("/etc/santinela/centre.yaml", CENTRE_YAML);
    await machine.write("/etc/santinela/upstream.password", `${PASSWORD}\n`);
    await machine.run(
      "chown root:santinela /etc/santinela/upstream.password && chmod 640 /etc/santinela/upstream.password",
    );
    await machine.write("/etc/santinela/santinela.yaml", SITE_YAML);
    await machine.run("systemctl restart santinela.service && sync");
    formerKey = await key();
    await startProgram(machine, sensorsOf(ZONES));
    await eventually("some trips", () => acknowledgedIn(machine).length >= TRIPS, LIMIT_MS);
    await machine.panics();
    await machine.cutPower();
    acknowledged = acknowledgedIn(machine);
    process.stdout.write(`${acknowledged.length} trips acknowledged before the panic\n`);
    machine = await boot(SECOND);
  });
  // Undefined if it did not start.
  afterAll(() => (machine as Machine | undefined)?.cutPower());

  test("by a panic of its kernel has each acknowledged trip in one record", async () => {
    await expectEachOnce(machine, acknowledged);
    expect(objectives(await records())).toEqual([...new Set(objectives(await records()))]);
    expect(await machine.run("systemctl is-active santinela-centre.service; true")).toBe("inactive");
  });

  test("has new keys in another machine, and sends nothing", async () => {
    expect(await conditions()).toHaveProperty(["machine-unknown"]);
    expect(await key()).not.toBe(formerKey);
    await machine.run("systemctl start santinela-centre.service");
    await machine.run(
      `echo '${PASSWORD}' | santinela user add --config /etc/santinela/centre.yaml --email site@example.org --role operator --password-stdin`,
    );
    await machine.run("santinela sync now || true");
    expect(await recordsAtCentre()).toEqual([]);
  });

  test("does not trust its clock until chrony has set it, and then corrects the start of a record", async () => {
    // The time of the last shutdown, or that of the release of systemd if it is later.
    const guestS = Number(await machine.run("test ! -e /dev/rtc0 && date +%s"));
    expect(Date.now() / 1000 - guestS).toBeGreaterThan(86_400);
    expect(await doctor()).toMatch(/Clock.*not synchronised with a time server yet/);
    const openedMs = Date.now();
    await ask("/site/simulate", { zone: "yard", contact: "open" });
    const { id, dateStart } = await eventually(
      "the record",
      async () => (await records()).find(({ name }) => name.includes("yard")),
      LIMIT_MS,
    );
    expect(dateStart).toBeNull();
    const nowS = Math.round(Date.now() / 1000);
    await machine.run(`systemd-run --quiet --unit=time perl /root/time.pl ${nowS}`);
    const start = await eventually(
      "the start of the record",
      async () => (await records()).find((record) => record.id === id)?.dateStart,
      LIMIT_MS,
    );
    // In the time zone of the site.
    expect(Math.abs(Date.parse(`${start}Z`) - openedMs)).toBeLessThan(600_000);
    expect(await doctor()).not.toContain("not synchronised");
  });

  test("has each record at the centre once, when a person has confirmed the machine", async () => {
    expect(await recordsAtCentre()).toEqual([]);
    const wanted = objectives(await records());
    expect(wanted.length).toBeGreaterThan(TRIPS);
    await machine.run("santinela machine confirm --yes");
    await eventually(
      "the records at the centre",
      async () => (await recordsAtCentre()).length >= wanted.length,
      LIMIT_MS,
    );
    const received = await recordsAtCentre();
    expect(objectives(received)).toEqual(wanted);
    expect(received.find(({ name }) => name.includes("yard"))?.dateStart).toBeTruthy();
    expect(await conditions()).not.toHaveProperty(["machine-unknown"]);
    await machine.run("systemctl stop santinela.service santinela-centre.service && sync");
  });
});

describe("a card with an overlay over the root", () => {
  let chip: string;

  beforeAll(async () => {
    machine = await boot(SECOND, "overlayroot=tmpfs");
    await machine.run("mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config");
  });
  // Undefined if it did not start.
  afterAll(() => (machine as Machine | undefined)?.cutPower());

  /** A chip with this label and number of lines. */
  const addChip = (name: string, label: string, lines: number): Promise<string> =>
    machine.run(
      `cd ${SIM} && mkdir -p ${name}/bank && echo ${lines} > ${name}/bank/num_lines && echo ${label} > ${name}/bank/label`,
    );

  /** The header appears, with its contact closed. @returns the number of its device file */
  async function headerAppears(): Promise<number> {
    await machine.run(`echo 1 > ${SIM}/header/live`);
    const device = await machine.run(`cat ${SIM}/header/dev_name`);
    const name = await machine.run(`cat ${SIM}/header/bank/chip_name`);
    chip = `/sys/devices/platform/${device}/${name}`;
    await wire(0);
    return Number(/\d+$/.exec(name)?.[0]);
  }
  const wire = (level: 0 | 1): Promise<string> =>
    machine.run(`echo pull-${level === 1 ? "up" : "down"} > ${chip}/sim_gpio17/pull`);
  const contactIs = (contact: string): Promise<unknown> =>
    eventually(
      `the door is ${contact}`,
      async () =>
        (await ask<{ id: string; contact: string }[]>("/site/zones")).find(({ id }) => id === "door")
          ?.contact === contact,
      LIMIT_MS,
    );
  const chipsOfHeader = async (): Promise<number> =>
    (await machine.run("santinela gpio list")).match(/pinctrl-rp1/g)?.length ?? 0;

  test("is reported as one that keeps nothing", async () => {
    expect(await machine.run("findmnt --noheadings --output FSTYPE /")).toBe("overlay");
    expect(await conditions()).toMatchObject({
      "storage-volatile": expect.stringContaining("is on overlay"),
    });
    expect(await doctor()).toMatch(/Storage.*is on overlay.*lost at the next boot/s);
  });

  test("takes up a chip that appears late, and counts it once with the link of its udev rules and another node", async () => {
    expect(await conditions()).toHaveProperty(["gpio-unavailable"]);
    await addChip("header", "pinctrl-rp1", 54);
    const sinceMs = performance.now();
    expect(await headerAppears()).toBe(0);
    await contactIs("normal");
    const seconds = (performance.now() - sinceMs) / 1000;
    process.stdout.write(`the chip is used after ${seconds.toFixed(1)} s\n`);
    // It ends a wait for a chip that is never found. The few seconds of docs/hardware.md are measured on a clock that no emulation
    // slows down (test/inputs/gpio-chips.test.ts); here the emulator decides.
    expect(seconds).toBeLessThan(120);
    // Each event of a chip makes the link or removes it: there are two when a chip appears, and one more at the boot of a machine.
    const event = "udevadm trigger --settle --action=add /dev/gpiochip0";
    await machine.run(`udevadm settle; test -e /dev/gpiochip4 || ${event}`);
    expect(await machine.run("readlink /dev/gpiochip4")).toBe("gpiochip0");
    await machine.run("touch /dev/gpiochip41 && mount --bind /dev/gpiochip0 /dev/gpiochip41");
    await machine.run("systemctl restart santinela.service");
    await contactIs("normal");
    expect(await chipsOfHeader()).toBe(1);
    expect(await conditions()).not.toHaveProperty(["gpio-unavailable"]);
    await machine.run("umount /dev/gpiochip41 && rm /dev/gpiochip41");
    await machine.run(`${event} && test ! -e /dev/gpiochip4`);
    await wire(1);
    await contactIs("open");
  });

  test("takes it up again with the number of a newer kernel, behind other chips", async () => {
    await machine.run(`echo 0 > ${SIM}/header/live`);
    await eventually(
      "the condition",
      async () => (await conditions())["gpio-unavailable"] !== undefined,
      LIMIT_MS,
    );
    // The numbers below it: those of a Pi 5 are the chips of its main processor.
    for (let number = 0; number < 15; number += 1) {
      await addChip(`other${number}`, `gpio-brcmstb-${number}`, 4);
      await machine.run(`echo 1 > ${SIM}/other${number}/live`);
    }
    expect(await headerAppears()).toBe(15);
    await contactIs("normal");
    await wire(1);
    await contactIs("open");
    expect(await chipsOfHeader()).toBe(1);
    expect(await conditions()).not.toHaveProperty(["gpio-unavailable"]);
  });
});
