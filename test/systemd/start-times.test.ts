// How long a start of the installed service takes: printed and not judged, because it depends on the machine and what else it does.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";

const STARTS = 3;
const NODE = "/usr/lib/santinela/current/node/bin/node";
/** A simulated line is normal after each start, whatever it was before. */
const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, input: { gpio: 17, contact: nc } }
`;
/** Prints the time of this machine in ms since 1970 at the zero of its monotonic clock. */
const OFFSET = `${NODE} -p 'Date.now() - Number(process.hrtime.bigint() / 1000n) / 1000'`;
const ZONES = `${NODE} -e 'require("http").get({ socketPath: "/var/lib/santinela/control.sock", path: "/site/zones", headers: { host: "santinela" } }, (r) => r.pipe(process.stdout))'`;

interface Start {
  readonly readyMs: number;
  readonly contactMs: number;
}

describe.each(SUITES)("a start of the service on Debian $suite", ({ suite, root }) => {
  const folder = temporaryFolder(afterAll);
  let debian: Container;
  beforeAll(async () => {
    // The rest of the container is in memory, where nothing is ever cold.
    const folders = ["/usr/lib/santinela", "/var/lib/santinela"].map((inside) => {
      const own = join(folder, inside);
      mkdirSync(own, { recursive: true });
      return `--bind=${own}:${inside}`;
    });
    debian = await Container.boot(root, [], folders);
    await debian.ok("dpkg -i /packages/santinela_*.deb");
    await debian.write("/etc/santinela/santinela.yaml", YAML);
    await debian.ok("systemctl restart santinela.service");
  });
  afterAll(() => debian.stop());

  const contact = async (): Promise<{ contact: string; since: string }> => {
    const [zone] = JSON.parse(await debian.ok(ZONES)) as { contact: string; since: string }[];
    if (zone === undefined) throw new Error("no zone");
    return zone;
  };
  const monotonicMs = async (property: string): Promise<number> =>
    Number(await debian.property(`${property}TimestampMonotonic`)) / 1000;

  /** Starts the service with an open contact that has closed meanwhile. @param prepare before the start */
  async function start(prepare: () => void): Promise<Start> {
    await debian.ok("santinela trip --zone gate");
    expect((await contact()).contact).toBe("open");
    await debian.ok("systemctl stop santinela.service");
    prepare();
    await debian.ok("systemctl start santinela.service");
    await eventually("the contact", async () => (await contact()).contact === "normal", LIMIT_MS);
    const begunMs = await monotonicMs("InactiveExit");
    const seenMs = Date.parse((await contact()).since) - Number(await debian.ok(OFFSET));
    return { readyMs: (await monotonicMs("ActiveEnter")) - begunMs, contactMs: seenMs - begunMs };
  }

  /** Takes the files out of the memory of this machine; those of Debian itself stay. */
  function cool(): void {
    execFileSync("find", [
      folder,
      "-type",
      "f",
      "-exec",
      "dd",
      "if={}",
      "iflag=nocache",
      "count=0",
      "status=none",
      ";",
    ]);
  }

  test.each([
    ["warm", (): void => {}],
    ["cold, with the release and the data read from the disk", cool],
  ])("%s, is ready and monitors its first contact", async (what, prepare) => {
    const starts: Start[] = [];
    for (let number = 0; number < STARTS; number += 1) starts.push(await start(prepare));
    const times = (kind: keyof Start): string => starts.map((one) => Math.round(one[kind])).join(", ");
    process.stdout.write(
      `start on Debian ${suite}, ${what}: ready after ${times("readyMs")} ms, first contact monitored after ${times("contactMs")} ms\n`,
    );
    for (const { readyMs, contactMs } of starts) {
      expect(readyMs).toBeGreaterThan(0);
      expect(contactMs).toBeGreaterThan(0);
    }
  });
});
