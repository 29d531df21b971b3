// The apt repository of a release over HTTP, in a Debian 13 as the installation guide describes it: npm run test:release.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { Container, LIMIT_MS, SUITES } from "../systemd/container.ts";

const PACKAGE = process.env["TEST_PACKAGE"] ?? "";
/** Mounted as /packages. */
const SHOWN = process.env["TEST_PACKAGES"] ?? "";
const EPOCH_S = Number(process.env["SOURCE_DATE_EPOCH"]);
const KEY = "release-test@example.org";
const NEXT = "99.0.0";
/** Of a site whose zone can be tripped without a contact. */
const ALARMED = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }
zones:
  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
# mine
`;

const SERVER = `require("node:http").createServer((request, response) => {
  require("node:fs").readFile(process.argv[2] + request.url, (error, content) => {
    response.statusCode = error ? 404 : 200;
    response.end(content);
  });
}).listen(8000, "127.0.0.1")`;

describe.each(SUITES)("the apt repository on Debian $suite", ({ root }) => {
  let keys: string;
  let next: string;
  let repository: string;
  let debian: Container;

  beforeAll(() => {
    keys = mkdtempSync(join(tmpdir(), "keys-"));
    const words = [
      "--faked-system-time",
      String(EPOCH_S - 60),
      "--passphrase",
      "",
      "--quick-generate-key",
      KEY,
      "ed25519",
      "sign",
      "0",
    ];
    execFileSync("gpg", ["--homedir", keys, "--batch", "--quiet", ...words], { stdio: "pipe" });
    next = join(keys, "next.deb");
    execFileSync("bash", [
      "-ec",
      `dpkg-deb -R ${PACKAGE} ${keys}/tree
       grep -rlF 'VERSION = "${VERSION}"' ${keys}/tree/usr/lib/santinela/package/dist |
         xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "${NEXT}"/'
       sed -i 's/^Version: .*/Version: ${NEXT}/' ${keys}/tree/DEBIAN/control
       dpkg-deb -Zgzip -z1 -b ${keys}/tree ${next}`,
    ]);
  });
  afterAll(() => {
    execFileSync("gpgconf", ["--homedir", keys, "--kill", "gpg-agent"]);
    rmSync(keys, { recursive: true, force: true });
  });

  function publish(path: string, epochS: number): void {
    execFileSync("node", ["scripts/release/repository.mjs", repository, KEY, path], {
      env: { ...process.env, GNUPGHOME: keys, SOURCE_DATE_EPOCH: String(epochS) },
    });
  }

  beforeEach(async () => {
    repository = mkdtempSync(join(SHOWN, "apt-"));
    execFileSync("chmod", ["755", repository]);
    publish(PACKAGE, EPOCH_S);
    debian = await Container.boot(root);
    await debian.write("/srv/server.cjs", SERVER);
    await debian.ok(`systemd-run --unit=server node /srv/server.cjs /packages/${basename(repository)}`);
    // The lines of docs/installing.md. The container has no other network than the loopback.
    await debian.ok("rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*");
    const ring = "/usr/share/keyrings/santinela-archive-keyring.gpg";
    await eventually(
      "the repository answers",
      async () =>
        (
          await debian.run(
            `/usr/lib/apt/apt-helper download-file http://127.0.0.1:8000/${basename(ring)} ${ring}`,
          )
        ).code === 0,
      LIMIT_MS,
    );
    await debian.write(
      "/etc/apt/sources.list.d/santinela.sources",
      `Types: deb\nURIs: http://127.0.0.1:8000/\nSuites: stable\nComponents: main\nSigned-By: ${ring}\n`,
    );
    await debian.ok(
      "apt-get update --error-on=any && apt-get install --yes --no-install-recommends santinela santinela-archive-keyring",
    );
    // From now on upgrades replace the key.
    expect(await debian.ok(`dpkg-query --search ${ring}`)).toBe(`santinela-archive-keyring: ${ring}`);
    await debian.ok("printf '# mine\\n' >> /etc/santinela/santinela.yaml");
    expect(await debian.ok("santinela version")).toContain(VERSION);
    return () => debian.stop();
  });

  async function expectTheNext(): Promise<void> {
    expect(await debian.ok("santinela version")).toContain(NEXT);
    expect(await debian.ok("dpkg-query --show --showformat='${Version} ${db:Status-Status}' santinela")).toBe(
      `${NEXT} installed`,
    );
    expect(await debian.property("ActiveState")).toBe("active");
    expect(await debian.ok("tail -1 /etc/santinela/santinela.yaml")).toBe("# mine");
    // It is on probation, as after every other upgrade.
    expect(await debian.property("ActiveState", "santinela-probation.service")).toMatch(/active|activating/);
  }

  test("apt installs the release, and upgrades to the next one when it is published", async () => {
    expect(await debian.property("ActiveState")).toBe("active");
    publish(next, EPOCH_S + 60);
    await debian.ok("apt-get update --error-on=any && apt-get upgrade --yes");
    await expectTheNext();
  });

  /** What the installation guide adds for unattended upgrades. */
  const allowOrigin = (): Promise<string> =>
    debian.write(
      "/etc/apt/apt.conf.d/52santinela",
      'Unattended-Upgrade::Origins-Pattern { "origin=Santinela,suite=stable"; };\n',
    );

  test("unattended-upgrades installs the next release by its origin, and not without it", async () => {
    publish(next, EPOCH_S + 60);
    await debian.ok("apt-get update --error-on=any && unattended-upgrade");
    expect(await debian.ok("santinela version")).toContain(VERSION);
    await allowOrigin();
    await debian.ok("unattended-upgrade");
    await expectTheNext();
  });

  describe("during an alarm", () => {
    const waiting = (): Promise<string> => debian.property("ActiveState", "santinela-restart.service");
    /** The releases whose files the daemon runs. */
    const running = async (): Promise<string> =>
      debian.ok(`grep -o '/releases/[^/]*' /proc/${await debian.property("MainPID")}/maps | sort -u`);
    const isAlarm = async (): Promise<boolean> =>
      (await debian.ok("santinela status")).includes("ALARM: 1 unfinished alarm");

    beforeEach(async () => {
      await debian.write("/etc/santinela/santinela.yaml", ALARMED);
      await debian.ok("systemctl restart santinela.service && santinela trip --zone gate");
      await eventually("the alarm", isAlarm, LIMIT_MS);
      publish(next, EPOCH_S + 60);
      await debian.ok("apt-get update --error-on=any");
      await allowOrigin();
    });

    test("unattended-upgrades leaves the daemon running, and the next release starts when the alarm is over", async () => {
      const before = await debian.property("MainPID");
      await debian.ok("unattended-upgrade");
      expect(await debian.property("MainPID")).toBe(before);
      expect(await running()).toContain(VERSION);
      expect(await waiting()).toBe("active");
      expect(await debian.ok("dpkg --audit")).toBe("");
      expect(await debian.ok("journalctl --no-pager --unit=santinela-restart.service")).toContain(
        "starts when the alarm is over",
      );
      expect(await isAlarm()).toBe(true);
      await debian.ok("santinela trip --zone gate --restore && santinela interventions set 1 --status done");
      await eventually("the restart", async () => (await waiting()) === "inactive", LIMIT_MS);
      expect(await running()).toContain(NEXT);
      await expectTheNext();
    });

    test("the next release starts at its limit when the alarm does not end", async () => {
      const file = "/etc/systemd/system/santinela-restart.service.d/test.conf";
      await debian.write(file, "[Service]\nEnvironment=WAIT_S=5\n");
      await debian.ok("systemctl daemon-reload && unattended-upgrade");
      await eventually("the restart", async () => (await waiting()) === "inactive", LIMIT_MS);
      expect(await running()).toContain(NEXT);
      await expectTheNext();
      await eventually("the alarm is still there", isAlarm, LIMIT_MS);
    });

    test("the former release may crash, and that does not count against the next one", async () => {
      const file = "/etc/systemd/system/santinela-probation.service.d/test.conf";
      await debian.write(file, "[Service]\nEnvironment=QUIET_S=5\n");
      await debian.ok("systemctl daemon-reload && unattended-upgrade");
      await debian.ok("systemctl kill --signal=KILL --kill-whom=main santinela.service");
      await eventually("the end of the wait", async () => (await waiting()) === "inactive", LIMIT_MS);
      const isDecided = async (): Promise<boolean> =>
        (await debian.run("test -e /var/lib/santinela-upgrade/probation")).code !== 0;
      await eventually("the end of the probation", isDecided, LIMIT_MS);
      expect(await running()).toContain(NEXT);
      await debian.ok("test ! -e /usr/lib/santinela/returned");
      expect(await isAlarm()).toBe(true);
    });

    test("a person who upgrades with santinela-upgrade does not wait for its end", async () => {
      const before = await debian.property("MainPID");
      await debian.ok(
        `cp /packages/${basename(repository)}/pool/main/s/santinela/*_${NEXT}_*.deb /srv/next.deb`,
      );
      await debian.ok("PROBATION_S=5 santinela-upgrade /srv/next.deb");
      expect(await debian.property("MainPID")).not.toBe(before);
      expect(await running()).toContain(NEXT);
      expect(await waiting()).toBe("inactive");
    });
  });

  test("apt installs nothing from an index that was changed after its signature", async () => {
    const index = join(repository, "dists/stable/InRelease");
    execFileSync("sed", ["-i", "s/^Label: .*/Label: Other/", index]);
    rmSync(join(repository, "dists/stable/Release.gpg"));
    expect((await debian.run("rm -rf /var/lib/apt/lists/* && apt-get update --error-on=any")).code).not.toBe(
      0,
    );
    expect(await debian.ok("apt-cache policy santinela")).not.toContain("http://127.0.0.1:8000");
  });
});
