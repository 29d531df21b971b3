import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";
import { copyThis, MAIN, NEXT, RENUMBER, repack } from "./repacked.ts";

const SITE = "santinela.service";
const CENTRE = "santinela-centre.service";
const CONFIGURATION = "/etc/santinela/centre.yaml";
const YAML = "site: { name: Dispatch centre, ref: centre }\nhttp: { port: 8090 }\n";
const PROBATION = "/var/lib/santinela-upgrade/probation";

/** The change of a release whose program does something else when it runs this command. */
const when = (command: string, action: string): string =>
  `sed -i '2i if (process.argv[2] === "${command}") ${action}' ${MAIN}`;

describe.each(SUITES)("a release on a machine with a dispatch centre, on Debian $suite", ({ root }) => {
  let debian: Container;
  beforeAll(async () => {
    debian = await Container.boot(root);
    await copyThis(debian);
    await repack(debian, "next", RENUMBER);
    await repack(debian, "crashing", when("centre", 'throw new Error("broken");'));
    await repack(debian, "late", when("centre", "setTimeout(() => process.exit(1), 20_000);"));
    // Exit code of an invalid configuration, after which systemd does not start it again.
    await repack(debian, "refusing", when("centre", "process.exit(78);"));
    await repack(debian, "hanging", when("centre", "for (;;) {}"));
    await repack(
      debian,
      "rejecting",
      when("check-config", 'if (process.argv.includes("--centre")) process.exit(78);'),
    );
    await repack(debian, "crashing-site", when("serve", 'throw new Error("broken");'));
  });
  afterAll(() => debian.stop());

  const install = (name: string): Promise<string> => debian.ok(`dpkg -i /srv/${name}.deb`);
  const stateOf = (unit: string): Promise<string> => debian.property("ActiveState", unit);
  const isDecided = async (): Promise<boolean> => (await debian.run(`test -e ${PROBATION}`)).code !== 0;
  const says = (): Promise<string> => debian.ok("journalctl --no-pager --identifier=santinela-upgrade");
  const doctor = async (): Promise<string> => (await debian.run("santinela doctor")).stdout;

  /** Version of the release whose files a service runs; undefined while it does not run. */
  async function runningVersion(unit: string): Promise<string | undefined> {
    if ((await stateOf(unit)) !== "active") return undefined;
    const pid = await debian.property("MainPID", unit);
    const { stdout } = await debian.run(`grep -o '/santinela/releases/[^/]*' /proc/${pid}/maps | sort -u`);
    return /releases\/(\S+)\.\d+$/m.exec(stdout)?.[1];
  }

  /** The end of the probation, with these services in this release. */
  const endsWith = (version: string, ...units: string[]): Promise<unknown> =>
    eventually(
      `${units.join(" and ")} in release ${version}, for good`,
      async () => {
        const versions = await Promise.all(units.map(runningVersion));
        return versions.every((one) => one === version) && (await isDecided());
      },
      LIMIT_MS,
    );

  async function setTimes(quietS: number, readyS: number): Promise<void> {
    const file = "/etc/systemd/system/santinela-probation.service.d/test.conf";
    await debian.write(file, `[Service]\nEnvironment=QUIET_S=${quietS} READY_S=${readyS}\n`);
    await debian.ok("systemctl daemon-reload && systemctl try-restart santinela-probation.service");
  }

  beforeEach(async () => {
    await debian.write(CONFIGURATION, YAML);
    await install("this");
    await debian.ok(`systemctl enable --quiet ${SITE} ${CENTRE} && systemctl start ${SITE} ${CENTRE}`);
    await setTimes(5, 180);
    await endsWith(VERSION, SITE, CENTRE);
    await debian.ok("test ! -e /usr/lib/santinela/returned");
  });

  test.each([
    ["crashes", "crashing", "it ended by itself and was started again"],
    ["ends after a while", "late", "it ended by itself and was started again"],
    ["ends with an invalid configuration", "refusing", "it ended and was not started again"],
    ["does not become ready", "hanging", "it is not ready after 10 s"],
  ])("is left for the previous one if the centre %s, also by the site", async (_what, name, reason) => {
    await setTimes(600, 10);
    await install(name);
    await endsWith(VERSION, SITE, CENTRE);
    expect(await says()).toContain(`${NEXT} does not stay up (${CENTRE}: ${reason})`);
    expect(await doctor()).toContain(`release ${NEXT} failed soon after its installation`);
  });

  test("is left for the previous one by the centre too if the site crashes", async () => {
    await install("crashing-site");
    await endsWith(VERSION, SITE, CENTRE);
    expect(await doctor()).toContain(`release ${NEXT} failed soon after its installation`);
  });

  test("is left for the previous one if the centre is alone, and the site stays stopped", async () => {
    await debian.ok(`systemctl disable --now ${SITE}`);
    await install("crashing");
    await endsWith(VERSION, CENTRE);
    await debian.ok("test -e /usr/lib/santinela/returned");
    expect(await stateOf(SITE)).toBe("inactive");
  });

  test.each([
    ["beside a site", [SITE, CENTRE]],
    ["alone", [CENTRE]],
  ])("remains if the centre runs through its quiet time, %s", async (_where, units) => {
    if (!units.includes(SITE)) await debian.ok(`systemctl disable --now ${SITE}`);
    await install("next");
    await endsWith(NEXT, ...units);
    await eventually(
      "the removal of the former release",
      async () => (await debian.ok("ls /usr/lib/santinela/releases")) === `${NEXT}.1`,
      LIMIT_MS,
    );
  });

  test("is not blamed for a centre that had failed before it came", async () => {
    await debian.write(CONFIGURATION, "htp: 1\n");
    await debian.run(`systemctl restart ${CENTRE}`);
    expect(await stateOf(CENTRE)).toBe("failed");
    await install("next");
    await endsWith(NEXT, SITE);
    expect(await stateOf(CENTRE)).toBe("failed");
    await debian.ok("test ! -e /usr/lib/santinela/returned");
  });

  test("is not blamed for a site that had failed before it came, and that its installation starts again", async () => {
    const file = "/etc/santinela/santinela.yaml";
    const configuration = await debian.ok(`cat ${file}`);
    await debian.ok("rm -f /var/lib/santinela/last-good.yaml");
    await debian.write(file, "htp: 1\n");
    try {
      await debian.run(`systemctl restart ${SITE}`);
      expect(await stateOf(SITE)).toBe("failed");
      await install("next");
      await endsWith(NEXT, CENTRE);
      expect(await stateOf(SITE)).toBe("failed");
      await debian.ok("test ! -e /usr/lib/santinela/returned");
    } finally {
      await debian.write(file, `${configuration}\n`);
    }
  });

  test("is not blamed for a database that is absent, and stays on probation until the centre is ready", async () => {
    await debian.write(CONFIGURATION, "database: postgres://santinela@127.0.0.1:9/santinela\n");
    await debian.ok(`systemctl --no-block restart ${CENTRE}`);
    await eventually("the wait", async () => (await stateOf(CENTRE)) === "activating", LIMIT_MS);
    await setTimes(5, 5);
    await install("next");
    await eventually(
      "the question to the former release",
      async () => (await says()).includes("ECONNREFUSED"),
      LIMIT_MS,
    );
    expect([await isDecided(), await stateOf(CENTRE)]).toEqual([false, "activating"]);
    await debian.write(CONFIGURATION, YAML);
    await debian.ok(`systemctl restart ${CENTRE}`);
    await endsWith(NEXT, SITE, CENTRE);
    await debian.ok("test ! -e /usr/lib/santinela/returned");
  });

  describe("installed with santinela-upgrade", () => {
    const upgrade = (name: string): ReturnType<Container["run"]> =>
      debian.run(`PROBATION_S=5 READY_S=10 santinela-upgrade /srv/${name}.deb`);

    test("remains when site and centre keep running, and both databases were tried before", async () => {
      await debian.ok("rm -f /var/lib/santinela*/before-upgrade.db");
      expect(await upgrade("next")).toMatchObject({ code: 0 });
      expect(await Promise.all([SITE, CENTRE].map(runningVersion))).toEqual([NEXT, NEXT]);
      await debian.ok("test -e /var/lib/santinela/before-upgrade.db");
      await debian.ok("test -e /var/lib/santinela-centre/before-upgrade.db");
    });

    test.each(["crashing", "hanging"])("is rolled back when its centre is %s", async (name) => {
      const { code, stderr } = await upgrade(name);
      expect(stderr).toContain(`${NEXT} does not stay up (${CENTRE}); rolling back`);
      expect(stderr).toContain(`rolled back to ${VERSION}`);
      expect(code).toBe(1);
      expect(await Promise.all([SITE, CENTRE].map(runningVersion))).toEqual([VERSION, VERSION]);
    });

    test("is not installed when it rejects the configuration of the centre", async () => {
      const processes = (): Promise<string[]> =>
        Promise.all([SITE, CENTRE].map((unit) => debian.property("MainPID", unit)));
      const before = await processes();
      const { code, stderr } = await upgrade("rejecting");
      expect(stderr).toContain(
        `${NEXT} cannot start as the dispatch centre of this machine; no changes made`,
      );
      expect(code).toBe(1);
      expect(await processes()).toEqual(before);
    });
  });
});
