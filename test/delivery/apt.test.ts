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
      "apt-get update --error-on=any && apt-get install --yes --no-install-recommends santinela",
    );
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

  test("unattended-upgrades installs the next release by its origin, and not without it", async () => {
    publish(next, EPOCH_S + 60);
    await debian.ok("apt-get update --error-on=any && unattended-upgrade");
    expect(await debian.ok("santinela version")).toContain(VERSION);
    await debian.write(
      "/etc/apt/apt.conf.d/52santinela",
      'Unattended-Upgrade::Origins-Pattern { "origin=Santinela,suite=stable"; };\n',
    );
    await debian.ok("unattended-upgrade");
    await expectTheNext();
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
