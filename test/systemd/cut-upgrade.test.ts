import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";

/*
 * dpkg is killed in the middle of an upgrade while zones trip and the dispatch centre does not answer. Each trip has a zone and
 * an objective of its own, so that it is one intervention. Noted are those whose command has succeeded.
 */

/** Number of renames at which the installation is cut; `every` takes an hour. */
const CUTS = process.env["CUTS"] ?? "8";
const NEXT = "99.0.0";
/** As many zones as a site may have, nearly: each trips once. */
const ZONES = 500;
/** Zones for the cut at the change of the release, the one after it included. */
const AT_THE_LINK = 20;
const NUMBERS = Array.from({ length: ZONES }, (_, index) => index + 1);
const OBJECTIVES = `objectives: { obiective/cladiri: [ ${NUMBERS.map((id) => `{ id: ${id}, name: Hall ${id} }`).join(", ")} ] }`;
const PASSWORD = "correct horse battery staple";
const YAML = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
upstream: { baseUrl: "http://127.0.0.1:9090", email: edge@site.example, passwordFile: ./upstream.password }
${OBJECTIVES}
zones:
${NUMBERS.map((id) => `  - { id: zone-${id}, name: Gate ${id}, kind: perimeter, objective: { type: obiective/cladiri, id: ${id} }, input: { simulated: true } }`).join("\n")}
`;
const CENTRE_YAML = `
dataDir: /srv/centre
site: { name: Centre, ref: centre }
http: { port: 9090 }
${OBJECTIVES}
`;
/** Trips the zones from $1 to $2, one after the other, as long as /run/tripping exists. */
const TRIPS = `
for zone in $(seq "$1" "$2"); do
  [ -e /run/tripping ] || exit 0
  santinela trip --zone "zone-$zone" 2>/dev/null | grep -q ': trip ' && echo "$zone" >>/srv/noted
done
`;
const RENAMES = "rename,renameat,renameat2";

describe.each(SUITES)("dpkg -i cut off on Debian $suite", ({ root }) => {
  const folder = temporaryFolder(afterAll);
  let debian: Container;
  /** The next zone that has not tripped. */
  let next = 1;

  beforeAll(async () => {
    debian = await Container.boot(root);
    await debian.ok("mkdir -p /srv && cp /packages/santinela_*.deb /srv/this.deb");
    await debian.ok(`cd /srv && dpkg-deb -R this.deb tree &&
      grep -rlF 'VERSION = "${VERSION}"' tree/usr/lib/santinela/package/dist | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "${NEXT}"/' &&
      cd tree/usr/lib/santinela/package/dist && for f in program/listen-*.js; do mv $f program/listen-other.js; grep -rlF $(basename $f) . | xargs sed -i "s/$(basename $f)/listen-other.js/"; done &&
      cd /srv && sed -i 's/^Version: .*/Version: ${NEXT}/' tree/DEBIAN/control && dpkg-deb -Zgzip -z1 -b tree next.deb && rm -r tree`);
    await debian.ok("dpkg -i /srv/this.deb");
    await debian.write("/srv/trips", TRIPS);
    await debian.write("/srv/centre.yaml", CENTRE_YAML);
    await debian.ok(
      `install -d -o santinela -g santinela /srv/centre
       santinela user add --email edge@site.example --role operator --password-stdin --config /srv/centre.yaml`,
      PASSWORD,
    );
    await startCentre();
    await debian.write("/etc/santinela/upstream.password", PASSWORD);
    await debian.ok(
      "chmod 640 /etc/santinela/upstream.password && chgrp santinela /etc/santinela/upstream.password",
    );
    await debian.write("/etc/santinela/santinela.yaml", YAML);
    await debian.ok("systemctl restart santinela.service");
    await tripNext();
    await eventually(
      "the first alarm at the centre",
      async () => (await objectivesAt(CENTRE)).length === 1,
      LIMIT_MS,
    );
    await debian.ok("systemctl stop centre.service");
  });
  afterAll(() => debian.stop());

  const startCentre = (): Promise<string> =>
    debian.ok("systemd-run --quiet --collect --unit=centre santinela centre --config /srv/centre.yaml");
  const [SITE, CENTRE] = ["", "--config /srv/centre.yaml"];
  /** The objectives of all interventions, in order; empty while the daemon does not answer. */
  async function objectivesAt(place: string): Promise<number[]> {
    const { stdout } = await debian.run(`santinela interventions list --limit 1000 --json ${place}`);
    const found = [...stdout.matchAll(/"objectiveId": *(\d+)/g)].map(([, id]) => Number(id));
    return found.sort((left, right) => left - right);
  }
  /** The zones whose trip was acknowledged, which are also their objectives. */
  const noted = async (): Promise<number[]> => (await debian.ok("cat /srv/noted")).split("\n").map(Number);

  /** Trips a zone that has not tripped before, and waits for its intervention. */
  async function tripNext(): Promise<void> {
    const zone = next;
    next += 1;
    await debian.ok(`santinela trip --zone zone-${zone} && echo ${zone} >>/srv/noted`);
    await eventually("its intervention", async () => (await objectivesAt(SITE)).includes(zone), LIMIT_MS);
  }

  /** Does something while up to `count` zones trip, one after the other. @returns its result */
  async function whileTripping<T>(count: number, work: () => Promise<T>): Promise<T> {
    const last = next + count - 1;
    await debian.ok(
      `touch /run/tripping && systemd-run --quiet --collect --unit=trips sh /srv/trips ${next} ${last}`,
    );
    next = last + 1;
    const result = await work();
    await debian.ok("rm /run/tripping");
    await eventually(
      "the end of the trips",
      async () => (await debian.property("ActiveState", "trips.service")) === "inactive",
      LIMIT_MS,
    );
    return result;
  }

  /** Starts the centre, compares both sides when they agree, and stops it again. @returns the number of noted alarms */
  async function alarmsAtCentre(): Promise<number> {
    await startCentre();
    const all = await noted();
    await eventually(
      "both sides agree",
      async () => {
        const there = await objectivesAt(CENTRE);
        return there.length > 0 && String(there) === String(await objectivesAt(SITE));
      },
      LIMIT_MS,
    );
    const there = await objectivesAt(CENTRE);
    await debian.ok("systemctl stop centre.service");
    expect(there.filter((id, index) => there[index - 1] === id)).toEqual([]);
    expect(all.filter((id) => !there.includes(id))).toEqual([]);
    return all.length;
  }

  /**
   * What a boot does with what is on the disk. The alarms of the test would let the restart of an installation wait.
   * @returns the version that runs then
   */
  async function startedVersion(): Promise<string> {
    await debian.ok("systemctl daemon-reload && systemctl stop santinela.service");
    await debian.ok("systemctl reset-failed santinela.service || true; systemctl start santinela.service");
    await eventually(
      "the service",
      async () => (await debian.property("ActiveState")) === "active",
      LIMIT_MS,
    );
    // Trips from before the cut are there, and one that comes now is recorded.
    const before = await noted();
    await eventually(
      "all alarms from before",
      async () => {
        const here = await objectivesAt(SITE);
        return before.every((id) => here.includes(id));
      },
      LIMIT_MS,
    );
    await tripNext();
    return debian.ok("santinela version");
  }

  /** Completes what the cut has left, and returns to the first package. */
  async function repaired(): Promise<void> {
    await debian.run("dpkg --configure -a");
    await debian.ok("dpkg -i /srv/this.deb");
    expect(await debian.ok("santinela version")).toBe(VERSION);
  }

  test(
    "at a rename leaves a daemon that starts with one of the two releases, and every alarm",
    async () => {
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
      // One zone trips after each cut, the others during it. With `every` there are none for the time of dpkg.
      const share = Math.floor((ZONES - next - AT_THE_LINK) / cuts) - 1;
      const versions: string[] = [];
      for (const place of places) {
        const inject = `inject=rename:signal=KILL:when=${place}`;
        const options = ["-o", "/dev/null", "-e", "trace=rename", "-e", inject];
        const version = await whileTripping(share, async () => {
          await debian.traced(options, "dpkg", "-i", "/srv/next.deb");
          return startedVersion();
        });
        versions.push(version);
        expect([VERSION, NEXT], `cut at rename ${place}`).toContain(version);
        await repaired();
      }
      process.stdout.write(`cut at ${places.join(", ")} of ${renames} renames: ${versions.join(", ")}\n`);
      expect(new Set(versions)).toContain(VERSION);
      process.stdout.write(`${await alarmsAtCentre()} alarms over ${cuts} cuts, 0 lost\n`);
    },
    LIMIT_MS * 100,
  );

  test(
    "at the change of the release leaves the old one, and the next installation the new one",
    async () => {
      // mv of postinst: the release is complete, but not in use.
      const inject = `inject=renameat,renameat2:signal=KILL:when=1`;
      const options = ["-o", "/dev/null", "-e", "trace=renameat,renameat2", "-e", inject];
      const version = await whileTripping(AT_THE_LINK - 1, async () => {
        await debian.traced(options, "dpkg", "-i", "/srv/next.deb");
        return startedVersion();
      });
      expect(version).toBe(VERSION);
      await debian.ok("dpkg --configure -a");
      expect(await debian.ok("santinela version")).toBe(NEXT);
      // The new one, the one that ran, and one that has proved itself before.
      expect(Number(await debian.ok("ls /usr/lib/santinela/releases | wc -l"))).toBeLessThanOrEqual(3);
      await repaired();
      process.stdout.write(`${await alarmsAtCentre()} alarms over this cut and the ones before, 0 lost\n`);
    },
    LIMIT_MS * 10,
  );
});
