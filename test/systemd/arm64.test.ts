// The package for the Pi under emulation, standalone and with the systemd of this machine: it shows that every
// binary has the right architecture and works, also within the sandbox of the unit.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { Container, SUITES } from "./container.ts";

const PACKAGE = process.env["TEST_ARM64_PACKAGE"] ?? "";
const YAML = `
dataDir: ./data
site: { name: Hala Nord, ref: hala-nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
`;

describe.skipIf(PACKAGE === "")("the package for arm64", () => {
  let folder: string;
  let daemon: ChildProcess | undefined;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "santinela-arm64-"));
    execFileSync("dpkg-deb", ["--extract", PACKAGE, join(folder, "tree")]);
    writeFileSync(join(folder, "santinela.yaml"), YAML);
  });
  afterAll(async () => {
    if (daemon?.exitCode === null) {
      const gone = new Promise((resolve) => daemon?.once("exit", resolve));
      daemon.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true });
  });

  function emulated(...words: string[]): ChildProcess {
    const home = join(folder, "tree/usr/lib/santinela/package");
    return spawn("qemu-aarch64-static", [
      "-L",
      "/usr/aarch64-linux-gnu",
      join(home, "node/bin/node"),
      join(home, "dist/main.js"),
      ...words,
    ]);
  }

  async function simulate(contact: string): Promise<{ trips: string[] }> {
    const order = { zone: "gate", contact };
    const { value } = await askDaemon(join(folder, "data"), "POST", "/site/simulate", order);
    return value as { trips: string[] };
  }

  test("contains a daemon that starts, records a trip and stops in order", async () => {
    const started = emulated("serve", "--config", join(folder, "santinela.yaml"));
    daemon = started;
    let said = "";
    started.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await new Promise<void>((resolve, reject) => {
      started.once("exit", () => reject(new Error(`it ended: ${said}`)));
      if (started.stdout)
        createInterface({ input: started.stdout }).on("line", (line) => {
          if (line.includes('"event":"ready"')) resolve();
        });
    });
    expect((await simulate("open")).trips).toHaveLength(1);
    const code = new Promise((resolve) => started.once("exit", resolve));
    started.kill("SIGTERM");
    expect(await code).toBe(0);
  });
});

describe.skipIf(PACKAGE === "").each(SUITES.slice(-1))(
  "the package for arm64 on Debian $suite",
  ({ root }) => {
    const EMULATOR = "/usr/bin/qemu-aarch64-static";
    const LIBRARIES = "/usr/aarch64-linux-gnu";
    let debian: Container;
    beforeAll(async () => {
      debian = await Container.boot(root, [EMULATOR, LIBRARIES]);
      const node = "/usr/lib/santinela/package/node/bin/node";
      // The kernel of this machine cannot run its binaries, so Node.js is started through the emulator.
      await debian.ok(`mkdir -p /srv && cd /srv && dpkg-deb -R /packages/arm64/santinela_*_arm64.deb tree &&
      mv tree${node} tree${node}.arm64 &&
      printf '#!/bin/sh\nexec ${EMULATOR} -L ${LIBRARIES} ${node}.arm64 "$@"\n' > tree${node} &&
      chmod 755 tree${node} && dpkg-deb -Zgzip -z1 -b tree arm64.deb`);
    });
    afterAll(() => debian.stop());

    test("is installed, started, monitored and stopped by systemd within its sandbox", async () => {
      await debian.ok("dpkg --force-architecture --force-depends -i /srv/arm64.deb");
      expect(await debian.property("ActiveState")).toBe("active");
      expect(
        await debian.ok(`cat /proc/$(systemctl show -P MainPID santinela.service)/cmdline | tr '\\0' ' '`),
      ).toMatch(/^\S*qemu-aarch64-static .*main\.js serve/);
      expect(await debian.property("WatchdogTimestampMonotonic")).not.toBe("0");
      expect(await debian.ok("santinela version")).toMatch(/^\d+\.\d+\.\d+$/);
      await debian.ok("systemctl stop santinela.service");
      expect(await debian.property("Result")).toBe("success");
    });
  },
);
