import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";

/** Number of renames at which the installation is cut; `every` takes an hour. */
const CUTS = process.env["CUTS"] ?? "8";
const NEXT = "99.0.0";
const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
objectives: { obiective/cladiri: [ { id: 1, name: A }, { id: 2, name: B } ] }
zones:
  - { id: before, name: Before, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - { id: after, name: After, kind: perimeter, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } }
`;
const RENAMES = "rename,renameat,renameat2";

describe.each(SUITES)("dpkg -i cut off on Debian $suite", ({ root }) => {
  const folder = mkdtempSync(join(tmpdir(), "santinela-cuts-"));
  let debian: Container;

  beforeAll(async () => {
    debian = await Container.boot(root);
    await debian.ok("mkdir -p /srv && cp /packages/santinela_*.deb /srv/this.deb");
    await debian.ok(`cd /srv && dpkg-deb -R this.deb tree &&
      grep -rlF 'VERSION = "${VERSION}"' tree/usr/lib/santinela/package/dist | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "${NEXT}"/' &&
      cd tree/usr/lib/santinela/package/dist && for f in program/listen-*.js; do mv $f program/listen-other.js; grep -rlF $(basename $f) . | xargs sed -i "s/$(basename $f)/listen-other.js/"; done &&
      cd /srv && sed -i 's/^Version: .*/Version: ${NEXT}/' tree/DEBIAN/control && dpkg-deb -Zgzip -z1 -b tree next.deb && rm -r tree`);
    await debian.ok("dpkg -i /srv/this.deb");
    await debian.write("/etc/santinela/santinela.yaml", YAML);
    await debian.ok("systemctl restart santinela.service && santinela trip --zone before");
    await eventually("the intervention", async () => (await recorded()).includes("1"), LIMIT_MS);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await debian.stop();
  });

  /** The objectives of all interventions. */
  async function recorded(): Promise<string> {
    const list =
      "santinela interventions list --json | grep -o '\"objectiveId\": *[0-9]*' | grep -o '[0-9]*$'";
    return (await debian.ok(`${list} | sort | tr '\\n' ' '`)).trim();
  }

  /** What a boot does with what is on the disk. @returns the version that runs then */
  async function startedVersion(): Promise<string> {
    await debian.ok("systemctl daemon-reload && systemctl stop santinela.service");
    await debian.ok("systemctl reset-failed santinela.service || true; systemctl start santinela.service");
    await eventually(
      "the service",
      async () => (await debian.property("ActiveState")) === "active",
      LIMIT_MS,
    );
    // Trips from before the cut are there, and one that comes now is recorded.
    expect(await recorded()).toMatch(/^1\b/);
    await debian.ok("santinela trip --zone after");
    await eventually("both", async () => (await recorded()) === "1 2", LIMIT_MS);
    return debian.ok("santinela version");
  }

  /** Completes what the cut has left, and returns to the first package. */
  async function repaired(): Promise<void> {
    await debian.run("dpkg --configure -a");
    await debian.ok("dpkg -i /srv/this.deb");
    expect(await debian.ok("santinela version")).toBe(VERSION);
  }

  test("at a rename leaves a daemon that starts with one of the two releases", async () => {
    const log = join(folder, "renames");
    await debian.traced(["-o", log, "-e", `trace=${RENAMES}`], "dpkg", "-i", "/srv/next.deb");
    const dpkg = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => /^\d+ +rename\(/.test(line));
    const counts = new Map<string, number>();
    for (const line of dpkg) {
      const process = line.split(" ")[0] ?? "";
      counts.set(process, (counts.get(process) ?? 0) + 1);
    }
    const renames = Math.max(...counts.values());
    expect(await debian.ok("santinela version")).toBe(NEXT);
    await repaired();
    expect(renames).toBeGreaterThan(50);
    const cuts = CUTS === "every" ? renames : Number(CUTS);
    const places = Array.from(
      { length: cuts },
      (_, cut) => 1 + Math.floor((cut * (renames - 1)) / (cuts - 1)),
    );
    const versions: string[] = [];
    for (const place of places) {
      const inject = `inject=rename:signal=KILL:when=${place}`;
      await debian.traced(
        ["-o", "/dev/null", "-e", "trace=rename", "-e", inject],
        "dpkg",
        "-i",
        "/srv/next.deb",
      );
      const version = await startedVersion();
      versions.push(version);
      expect([VERSION, NEXT], `cut at rename ${place}`).toContain(version);
      await repaired();
    }
    process.stdout.write(`cut at ${places.join(", ")} of ${renames} renames: ${versions.join(", ")}\n`);
    expect(new Set(versions)).toContain(VERSION);
  });

  test("at the change of the release leaves the old one, and the next installation the new one", async () => {
    // mv of postinst: the release is complete, but not in use.
    const inject = `inject=renameat,renameat2:signal=KILL:when=1`;
    await debian.traced(
      ["-o", "/dev/null", "-e", "trace=renameat,renameat2", "-e", inject],
      "dpkg",
      "-i",
      "/srv/next.deb",
    );
    expect(await startedVersion()).toBe(VERSION);
    await debian.ok("dpkg --configure -a");
    expect(await debian.ok("santinela version")).toBe(NEXT);
    // The new one, the one that ran, and one that has proved itself before.
    expect(Number(await debian.ok("ls /usr/lib/santinela/releases | wc -l"))).toBeLessThanOrEqual(3);
    await repaired();
  });
});
