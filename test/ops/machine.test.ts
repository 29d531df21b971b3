import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { supplyChecks } from "../../src/cli/machine-checks.ts";
import type { TrustedTime } from "../../src/domain/clock.ts";
import { hostOf } from "../../src/ops/host.ts";
import {
  acceptMachine,
  checkMachine,
  endUndecidedSession,
  machineIdentity,
} from "../../src/ops/machine-identity.ts";
import { mqttClientId, prepareDataDir, signingKeys } from "../../src/ops/secrets.ts";
import { SessionsToEnd } from "../../src/ops/sessions-to-end.ts";
import { supplyState } from "../../src/ops/supply.ts";
import {
  askSynchronisation,
  watchSynchronisation,
  type Synchronisation,
} from "../../src/ops/time-service.ts";
import { upperFolderOf, volatileFileSystem } from "../../src/ops/volatile-storage.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const failed = (reason: string): never => expect.fail(reason);

let root: string;
beforeEach(() => (root = temporaryFolder()));

/** Writes files of a machine. */
function has(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
}

describe("the power supply", () => {
  const PI_5 = "/sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled";

  test.each([
    ["a Pi 4", "/sys/devices/platform/soc/soc:firmware/get_throttled"],
    ["a Pi 5", PI_5],
    ["a Pi with another device tree", "/sys/devices/platform/firmware/get_throttled"],
  ])("is found on %s", (_pi, path) => {
    has({ [path]: "50005", "/sys/devices/platform/uevent": "DRIVER=" });
    expect(supplyState(root)).toBe("under-voltage-now");
    has({ [path]: "50000" });
    expect(supplyState(root)).toBe("under-voltage-since-boot");
    has({ [path]: "0" });
    expect(supplyState(root)).toBe("sufficient");
  });

  test("is otherwise read from the kernel's measuring device, which knows only the present", () => {
    has({ "/sys/class/hwmon/hwmon0/name": "cpu_thermal", "/sys/class/hwmon/hwmon2/name": "rpi_volt" });
    has({ "/sys/class/hwmon/hwmon2/in0_lcrit_alarm": "1" });
    expect(supplyState(root)).toBe("under-voltage-now");
    has({ "/sys/class/hwmon/hwmon2/in0_lcrit_alarm": "0" });
    expect(supplyChecks(supplyState(root))).toMatchObject([{ status: "ok", text: "no under-voltage now" }]);
  });

  test("of a Pi that reports nothing is unknown, and of another machine not mentioned", () => {
    expect(supplyChecks(supplyState(root))).toEqual([]);
    has({ "/sys/firmware/devicetree/base/model": "Raspberry Pi 6 Model B Rev 1.0\0" });
    expect(supplyChecks(supplyState(root))).toMatchObject([
      { status: "warning", text: expect.stringContaining("does not report") },
    ]);
  });
});

describe("the boot of the machine", () => {
  const BOOT = "0f3d8a52-6f0e-4b7c-9a41-2c1d5e6f7a8b";
  const bootOf = (variable?: string): string =>
    hostOf(new ManualClock(0), () => "new", root, variable).bootId;

  test("is that of the kernel, also where only systemd can name it", () => {
    expect(bootOf()).toBe("new");
    // As systemd writes it.
    expect(bootOf(BOOT.replaceAll("-", ""))).toBe(BOOT);
    expect(bootOf("%b")).toBe("new");
    has({ "/proc/sys/kernel/random/boot_id": BOOT });
    expect(bootOf()).toBe(BOOT);
  });

  test.each(["santinela", "santinela-centre"])("is passed to %s.service, whose /proc hides it", (unit) => {
    const text = readFileSync(`systemd/${unit}.service`, "utf8");
    expect(text).toMatch(/^ProcSubset=pid$/m);
    expect(text).toMatch(/^Environment=BOOT_ID=%b$/m);
  });
});

describe("the clock of a machine without a real-time clock", () => {
  const clock = new ManualClock(Date.UTC(2026, 5, 1));
  const isTrusted = (): boolean => hostOf(clock, () => "boot", root).time.isTrusted();

  test.each([
    ["chrony", "/etc/systemd/system/multi-user.target.wants/chrony.service"],
    ["a running chrony", "/run/chrony/chronyd.pid"],
    ["ntpsec", "/etc/systemd/system/multi-user.target.wants/ntpsec.service"],
    ["systemd-timesyncd", "/run/systemd/timesync/clock"],
  ])("is not trusted only because the year is right, with %s", (_service, path) => {
    expect(isTrusted()).toBe(true);
    has({ [path]: "" });
    expect(isTrusted()).toBe(false);
  });

  test("is trusted a second after the time service has set it", () => {
    has({ "/run/systemd/timesync/clock": "" });
    const { time } = hostOf(clock, () => "boot", root);
    expect(time.isTrusted()).toBe(false);
    has({ "/run/systemd/timesync/synchronized": "" });
    clock.advance(1_000);
    expect(time.isTrusted()).toBe(true);
  });

  const tracking = (leap: string): string => `Stratum         : 3\nLeap status     : ${leap}\n`;
  test.each<[string, Record<string, string>, Synchronisation]>([
    ["the kernel reports it", { timedatectl: "yes\n" }, "synchronised"],
    ["the kernel does not", { timedatectl: "no\n" }, "not-synchronised"],
    ["chrony does not tell the kernel", { timedatectl: "no\n", chronyc: tracking("Normal") }, "synchronised"],
    [
      "chrony has no server yet",
      { timedatectl: "no\n", chronyc: tracking("Not synchronised") },
      "not-synchronised",
    ],
    ["there is no bus", { chronyc: tracking("Normal") }, "synchronised"],
    ["no program knows", {}, "unknown"],
  ])("is as synchronised as its time service says: %s", async (_what, answers, expected) => {
    expect(await askSynchronisation(async (program) => answers[program])).toBe(expected);
  });

  test("is asked for until it is synchronised", async () => {
    const answers: Synchronisation[] = ["unknown", "not-synchronised", "synchronised"];
    let isSynchronised = false;
    const turn = (): Promise<void> => new Promise(setImmediate);
    const end = watchSynchronisation({
      clock,
      isTrusted: () => false,
      onSynchronised: () => void (isSynchronised = true),
      ask: async () => answers.shift() ?? expect.fail("asked once more"),
    });
    for (const left of [2, 1, 0]) {
      await turn();
      expect(answers).toHaveLength(left);
      clock.advance(10_000);
    }
    await turn();
    expect(isSynchronised).toBe(true);
    end();
  });
});

describe("the clock of a machine with a real-time clock", () => {
  const MINUTE_MS = 60_000;
  const nowMs = Date.UTC(2026, 5, 1);
  let clock: ManualClock;
  beforeEach(() => {
    clock = new ManualClock(nowMs);
    has({ "/run/systemd/timesync/clock": "", "/sys/class/rtc/rtc0/hctosys": "1" });
  });
  const showsMs = (wallMs: number): void =>
    has({ "/sys/class/rtc/rtc0/since_epoch": String(Math.floor(wallMs / 1000)) });
  const timeOf = (): TrustedTime => hostOf(clock, () => "boot", root).time;

  test("is trusted from the start if the battery has kept it", () => {
    showsMs(nowMs - 1_500);
    expect(timeOf().isTrusted()).toBe(true);
  });

  test.each([
    ["of a Pi 5 without a battery, which counts from 1970", 12_000],
    ["with a flat battery, which counts from a date of its maker", Date.UTC(2026, 2, 1)],
    ["that keeps local time", nowMs + 3 * 60 * MINUTE_MS],
  ])("is not trusted after a power cut %s", (_clock, rtcMs) => {
    showsMs(rtcMs);
    expect(timeOf().isTrusted()).toBe(false);
  });

  test("is not trusted if nothing can be read from it, or it did not set the time", () => {
    expect(timeOf().isTrusted()).toBe(false);
    showsMs(nowMs);
    expect(timeOf().isTrusted()).toBe(true);
    has({ "/sys/class/rtc/rtc0/hctosys": "0" });
    expect(timeOf().isTrusted()).toBe(false);
  });

  test("is not trusted while both count from 1970, nor after the time of the last shutdown was restored", () => {
    clock = new ManualClock(12_000);
    showsMs(12_000);
    const time = timeOf();
    expect(time.isTrusted()).toBe(false);
    clock.stepWall(nowMs);
    clock.advance(1_000);
    expect(time.isTrusted()).toBe(false);
  });

  test("is judged again when the clock is set, and a minute later if the real-time clock follows", () => {
    showsMs(nowMs);
    const time = timeOf();
    expect(time.isTrusted()).toBe(true);
    clock.stepWall(60 * MINUTE_MS);
    clock.advance(1_000);
    expect(time.isTrusted()).toBe(false);
    showsMs(clock.wallMs());
    clock.advance(MINUTE_MS);
    expect(time.isTrusted()).toBe(true);
  });

  test("that no time server ever corrects stays trusted", () => {
    showsMs(nowMs);
    const time = timeOf();
    expect(time.isTrusted()).toBe(true);
    clock.advance(90 * 24 * 60 * MINUTE_MS);
    expect(time.isTrusted()).toBe(true);
  });

  test("is asked for again when it is no longer trusted", async () => {
    let isTrusted = true;
    let questions = 0;
    const end = watchSynchronisation({
      clock,
      isTrusted: () => isTrusted,
      onSynchronised: () => {},
      ask: async () => ((questions += 1), "synchronised"),
    });
    clock.advance(10_000);
    expect(questions).toBe(0);
    isTrusted = false;
    clock.advance(10_000);
    expect(questions).toBe(1);
    end();
  });
});

describe("the file system of the data directory", () => {
  test("in memory loses everything at the next boot; one for temporary files was chosen for that", () => {
    expect(volatileFileSystem("/dev/shm")).toBe("tmpfs");
    expect(volatileFileSystem(root)).toBeUndefined();
    expect(volatileFileSystem(join(root, "absent"))).toBeUndefined();
  });

  test("of an overlay is where its changes are written", () => {
    const mounts = [
      "22 1 0:20 / / rw,noatime shared:1 - overlay overlay rw,lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work",
      "30 22 254:1 / /var/lib rw shared:9 - ext4 /dev/mmcblk0p3 rw",
      "31 22 0:31 / /var/library rw - overlay own rw,lowerdir=/a,upperdir=/b,workdir=/c",
    ].join("\n");
    expect(upperFolderOf("/etc/santinela", mounts)).toBe("/upper/data");
    expect(upperFolderOf("/var/lib/santinela", mounts)).toBeUndefined();
    expect(upperFolderOf("/var/library/x", mounts)).toBe("/b");
  });
});

describe("a card", () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(root, "data");
    prepareDataDir(dataDir);
    has({ "/etc/machine-id": "8d6c1b2f", "/proc/device-tree/serial-number": "10000000aaaa\0" });
  });
  const here = (): ReturnType<typeof machineIdentity> => machineIdentity(root);
  const keyOf = (): string =>
    signingKeys(dataDir, () => {})
      .current.export()
      .toString("hex");

  test("copied to another Raspberry Pi gets new keys once, and its MQTT client id back when it is confirmed", () => {
    expect(checkMachine(dataDir, here())).toBe(false);
    const [key, client] = [keyOf(), mqttClientId(dataDir, failed)];
    expect(checkMachine(dataDir, here())).toBe(false);
    expect(keyOf()).toBe(key);

    has({ "/proc/device-tree/serial-number": "10000000bbbb" });
    expect(checkMachine(dataDir, here())).toBe(true);
    const newKey = keyOf();
    expect(newKey).not.toBe(key);
    expect(mqttClientId(dataDir, failed)).not.toBe(client);
    expect(checkMachine(dataDir, here())).toBe(true);
    expect(keyOf()).toBe(newKey);

    acceptMachine(dataDir, here());
    expect(checkMachine(dataDir, here())).toBe(false);
    expect(mqttClientId(dataDir, failed)).toBe(client);
    expect(keyOf()).toBe(newKey);
  });

  test("has the session of its own MQTT client id ended once it is confirmed, or removed before that", () => {
    checkMachine(dataDir, here());
    mqttClientId(dataDir, failed);
    const sessions = new SessionsToEnd(dataDir);
    // Of a known machine the daemon uses it again.
    endUndecidedSession(dataDir);
    has({ "/proc/device-tree/serial-number": "10000000bbbb" });
    checkMachine(dataDir, here());
    const own = mqttClientId(dataDir, failed);
    expect(sessions.list()).toEqual([]);
    endUndecidedSession(dataDir);
    expect(sessions.list()).toEqual([own]);
    acceptMachine(dataDir, here());
    expect(sessions.list()).toEqual([own]);
    sessions.remove(own);
    expect(sessions.list()).toEqual([]);
  });

  test("lists no session of another program, and none that cannot be noted", () => {
    const sessions = new SessionsToEnd(dataDir);
    expect(sessions.add("zigbee2mqtt")).toBe(false);
    mkdirSync(join(dataDir, "mqtt-sessions-to-end.json.part"));
    expect(sessions.add("santinela-0123456789ab")).toBe(false);
    rmSync(join(dataDir, "mqtt-sessions-to-end.json.part"), { recursive: true });
    has({ "data/mqtt-sessions-to-end.json": '["zigbee2mqtt", 7, "santinela-0123456789ab"]' });
    expect(sessions.list()).toEqual(["santinela-0123456789ab"]);
  });

  test.each([
    ["the machine cannot be remembered", "machine.json.part"],
    ["the client id cannot be restored", "secrets/mqtt-client-id"],
    ["the decision cannot be completed", "machine-undecided.json"],
  ])("whose confirmation is cut off when %s has no half identity", (_when, blocked) => {
    checkMachine(dataDir, here());
    const client = mqttClientId(dataDir, failed);
    has({ "/proc/device-tree/serial-number": "10000000bbbb" });
    expect(checkMachine(dataDir, here())).toBe(true);
    const own = mqttClientId(dataDir, failed);
    // A folder in the place of a file ends the confirmation there, as a power cut would.
    const path = join(dataDir, blocked);
    rmSync(path, { force: true });
    mkdirSync(path);
    expect(() => acceptMachine(dataDir, here())).toThrow();
    rmSync(path, { recursive: true });
    if (blocked === "machine-undecided.json") has({ [`data/${blocked}`]: JSON.stringify(here()) });
    if (blocked === "secrets/mqtt-client-id") has({ [`data/${blocked}`]: own });

    // Either still undecided, under a client id of its own, or confirmed as a whole.
    const isUndecided = checkMachine(dataDir, here());
    expect(mqttClientId(dataDir, failed)).toBe(isUndecided ? own : client);
    acceptMachine(dataDir, here());
    expect(checkMachine(dataDir, here())).toBe(false);
    expect(mqttClientId(dataDir, failed)).toBe(client);
  });

  test("whose service can read the serial number only in /sys is distinguished by it", () => {
    rmSync(join(root, "proc"), { recursive: true });
    has({ "/sys/firmware/devicetree/base/serial-number": "10000000aaaa\0" });
    checkMachine(dataDir, here());
    has({ "/sys/firmware/devicetree/base/serial-number": "10000000bbbb\0" });
    expect(checkMachine(dataDir, here())).toBe(true);
  });

  test("with data of a version that could not read the serial number remembers it at the next start", () => {
    rmSync(join(root, "proc"), { recursive: true });
    checkMachine(dataDir, here());
    has({ "/sys/firmware/devicetree/base/serial-number": "10000000aaaa\0" });
    expect(checkMachine(dataDir, here())).toBe(false);
    has({ "/sys/firmware/devicetree/base/serial-number": "10000000bbbb\0" });
    expect(checkMachine(dataDir, here())).toBe(true);
  });

  test("that is back in its own machine is known again", () => {
    checkMachine(dataDir, here());
    has({ "/proc/device-tree/serial-number": "10000000bbbb" });
    expect(checkMachine(dataDir, here())).toBe(true);
    has({ "/proc/device-tree/serial-number": "10000000aaaa" });
    expect(checkMachine(dataDir, here())).toBe(false);
  });

  test("with a new system on the same Raspberry Pi is in its own machine", () => {
    checkMachine(dataDir, here());
    has({ "/etc/machine-id": "00000000" });
    expect(checkMachine(dataDir, here())).toBe(false);
  });

  test("of a machine without a serial number is distinguished by the machine-id", () => {
    rmSync(join(root, "proc"), { recursive: true });
    checkMachine(dataDir, here());
    has({ "/etc/machine-id": "00000000" });
    expect(checkMachine(dataDir, here())).toBe(true);
  });

  test("of a machine whose machine-id is made at each boot is never unknown", () => {
    rmSync(join(root, "proc"), { recursive: true });
    rmSync(join(root, "etc/machine-id"));
    // As with a read-only root: the file is on another file system than its folder.
    symlinkSync("/proc/sys/kernel/random/uuid", join(root, "etc/machine-id"));
    expect(here()).toEqual({ serial: null, machineId: null });
    expect([checkMachine(dataDir, here()), checkMachine(dataDir, here())]).toEqual([false, false]);
  });
});
