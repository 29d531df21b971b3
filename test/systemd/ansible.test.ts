import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { Container, LIMIT_MS, SUITES, type Outcome } from "./container.ts";

/* The role for Ansible with the real program, on two sites. Ansible of Debian 12 needs a Python of Debian 12. */

const reason = missing();
if (reason !== undefined) process.stderr.write(`the role for Ansible is not tested: ${reason}\n`);

function missing(): string | undefined {
  if (!SUITES.some(({ suite }) => suite === "bookworm")) return "SUITES has no bookworm";
  try {
    execFileSync("ansible-playbook", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "ansible-playbook is missing: sudo apt-get install ansible-core";
  }
}

const PASSWORD = "hala nord 2026 toamna";
const CENTRE = "http://127.0.0.1:9090";
const REF = "obiective/cladiri/12";

/** The configuration of a site, in the words of the inventory. */
const siteOf = (ref: string, upstream: object = {}) => ({
  dataDir: "/var/lib/santinela",
  site: { name: ref, ref, timezone: "Europe/Bucharest", locale: "ro" },
  http: { host: "127.0.0.1", configuration: "file-only" },
  ...upstream,
  zones: [
    {
      id: "gate",
      name: "Poarta",
      kind: "perimeter",
      objective: { type: "obiective/cladiri", id: 12 },
      input: { simulated: true },
    },
  ],
});
const UPSTREAM = {
  upstream: {
    baseUrl: CENTRE,
    email: "site-1@sites.santinela.local",
    passwordFile: "./enrolled.password",
  },
};

describe.skipIf(reason !== undefined)("the role for Ansible", () => {
  const folder = temporaryFolder(afterAll);
  let first: Container;
  let second: Container;
  let base: string;
  let repository: string | undefined;
  beforeAll(async () => {
    const root = execFileSync("scripts/test-rootfs.sh", ["bookworm", "python3-apt"], { encoding: "utf8" });
    first = await Container.boot(root.trim());
    second = await Container.boot(root.trim());
    base = execFileSync("sh", ["-c", `ls ${process.env["TEST_PACKAGES"]}/santinela_*.deb`], {
      encoding: "utf8",
    }).trim();
    repack(
      "next",
      "99.0.1",
      `grep -rlF 'VERSION = "${VERSION}"' tree/usr/lib/santinela/package/dist | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "99.0.1"/'`,
    );
    repack(
      "published",
      "99.0.2",
      `grep -rlF 'VERSION = "${VERSION}"' tree/usr/lib/santinela/package/dist | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "99.0.2"/'`,
    );
    repack(
      "crashing",
      "99.0.0",
      `sed -i '2i if (process.argv[2] === "serve") throw new Error("broken");' tree/usr/lib/santinela/package/dist/main.js`,
    );
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
    if (repository !== undefined) rmSync(repository, { recursive: true });
  });

  function repack(name: string, wanted: string, change: string): void {
    const script = `cd ${folder} && dpkg-deb -R ${base} tree && ${change} &&
      sed -i 's/^Version: .*/Version: ${wanted}/' tree/DEBIAN/control && dpkg-deb -Zgzip -z1 -b tree ${name}.deb && rm -r tree`;
    execFileSync("sh", ["-c", script], { stdio: "ignore" });
  }

  /** Makes a signed apt repository of the package, as a release does. */
  function publish(name: string): { url: string; keyFile: string } {
    const keys = join(folder, "keys");
    mkdirSync(keys, { mode: 0o700 });
    const env = { ...process.env, GNUPGHOME: keys, SOURCE_DATE_EPOCH: "1700000060" };
    const made = ["--quick-generate-key", "role@example.org", "ed25519", "sign", "0"];
    const old = ["--faked-system-time", "1700000000", "--passphrase", ""];
    execFileSync("gpg", ["--batch", "--quiet", ...old, ...made], { env, stdio: "pipe" });
    // The containers have this folder as /packages.
    repository = mkdtempSync(join(process.env["TEST_PACKAGES"] ?? "", "apt-"));
    chmodSync(repository, 0o755);
    const words = [
      "scripts/release/repository.mjs",
      repository,
      "role@example.org",
      join(folder, `${name}.deb`),
    ];
    execFileSync("node", words, { env });
    execFileSync("gpgconf", ["--kill", "gpg-agent"], { env });
    return {
      url: `file:/packages/${basename(repository)}`,
      keyFile: join(repository, "santinela-archive-keyring.gpg"),
    };
  }

  /** Runs the example's playbook on both sites, one after the other. */
  function play(variables: object, more: object = {}, options: readonly string[] = []): Promise<Outcome> {
    const connection = {
      ansible_connection: "container",
      ansible_python_interpreter: "/usr/bin/python3",
      ansible_become: false,
    };
    const hosts = {
      "site-1": {
        ansible_host: first.leader,
        santinela_configuration: siteOf("site-1", { ...UPSTREAM, ...more }),
        santinela_centre_url: CENTRE,
        santinela_centre_host: "site-1",
        santinela_centre_configuration: "/srv/centre.yaml",
        santinela_enrolment_objectives: [REF],
      },
      "site-2": { ansible_host: second.leader, santinela_configuration: siteOf("site-2") },
    };
    const vars = {
      ...connection,
      santinela_package_file: base,
      santinela_settle_s: 30,
      santinela_accounts: [{ email: "ana@example.ro", role: "administrator", password: PASSWORD }],
      ...variables,
    };
    const inventory = join(folder, "inventory.json");
    writeFileSync(inventory, JSON.stringify({ all: { children: { sites: { hosts, vars } } } }));
    const env = {
      ...process.env,
      ANSIBLE_CONNECTION_PLUGINS: "test/systemd/ansible/connection_plugins",
      ANSIBLE_LOCAL_TEMP: join(folder, "ansible"),
      ANSIBLE_NOCOLOR: "1",
      LC_ALL: "C.UTF-8",
    };
    return new Promise((resolve) => {
      execFile(
        "ansible-playbook",
        ["-vvv", "-i", inventory, "systemd/ansible/site.yml", ...options],
        { env, maxBuffer: 16 * 1_048_576 },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
    });
  }

  const version = (site: Container): Promise<string> => site.ok("santinela version");
  const resultOf = (outcome: Outcome, site: string): string =>
    new RegExp(`^${site} +: .*$`, "m").exec(outcome.stdout)?.[0] ?? outcome.stdout + outcome.stderr;

  async function quickProbation(site: Container): Promise<void> {
    const file = "/etc/systemd/system/santinela-probation.service.d/test.conf";
    await site.write(file, "[Service]\nEnvironment=QUIET_S=5\n");
    await site.ok("systemctl daemon-reload");
  }

  beforeEach(async () => {
    await quickProbation(first);
    await quickProbation(second);
  });

  test("says with --check that a site without the package would be installed, and leaves it so", async () => {
    const outcome = await play({}, {}, ["--check"]);
    for (const site of ["site-1", "site-2"])
      expect(resultOf(outcome, site)).toMatch(/changed=[1-9] .*failed=0/);
    expect(outcome.stdout).toContain("the package would be installed, and the site configured");
    expect((await first.run("dpkg-query --status santinela")).code).toBe(1);
    expect((await first.run("ls /etc/santinela /var/cache/santinela")).stdout).toBe("");
  });

  test("sets up two sites: package, configuration, account at the centre and accounts of users", async () => {
    // A dispatch centre beside the first site, with a package of its own hand.
    await first.ok(
      "dpkg -i /packages/santinela_*.deb && mkdir -p /srv/centre && chown santinela: /srv/centre",
    );
    await first.write(
      "/srv/centre.yaml",
      `dataDir: /srv/centre\nsite: { name: Centre, ref: centre }\nhttp: { port: 9090 }\nobjectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }\n`,
    );
    await first.ok("systemd-run --quiet --unit=centre santinela centre --config /srv/centre.yaml");
    await eventually(
      "the centre answers",
      async () => (await first.run("santinela sites access --config /srv/centre.yaml")).code === 0,
      LIMIT_MS,
    );
    const outcome = await play({});
    expect(resultOf(outcome, "site-1")).toMatch(/failed=0/);
    expect(resultOf(outcome, "site-2")).toMatch(/failed=0/);
    for (const site of [first, second]) {
      expect(await site.ok("santinela user list")).toMatch(/^ana@example.ro {2}administrator$/m);
      expect(await site.ok("santinela user list")).toMatch(/^admin@santinela.local .*disabled$/m);
      expect(await site.ok("santinela zones list")).toContain("gate");
      expect(await site.ok("stat -c '%a %U:%G' /etc/santinela/santinela.yaml")).toBe("660 root:santinela");
      expect(await site.ok("ls /etc/santinela")).not.toContain("next.yaml");
    }
    await eventually(
      "the site at the centre",
      async () => (await first.ok("santinela sites --config /srv/centre.yaml")).includes("site-1"),
      LIMIT_MS,
    );
    expect(await first.ok("stat -c '%a %U:%G' /etc/santinela/enrolled.password")).toBe("640 root:santinela");
    const said = outcome.stdout + outcome.stderr;
    expect(said).not.toContain(PASSWORD);
    expect(said).not.toContain(await first.ok("cat /etc/santinela/enrolled.password"));
  });

  test("changes nothing when it runs again", async () => {
    const outcome = await play({});
    expect(resultOf(outcome, "site-2")).toMatch(/changed=0 .*failed=0/);
    expect(resultOf(outcome, "site-1")).toMatch(/changed=0 .*failed=0/);
  });

  test("says with --check which package and configuration would change, and changes neither", async () => {
    const before = await first.ok("sha256sum /etc/santinela/santinela.yaml");
    const next = { santinela_package_file: join(folder, "next.deb") };
    const outcome = await play(next, { site: { name: "Other", ref: "site-1" } }, ["--check"]);
    expect(resultOf(outcome, "site-1")).toMatch(/changed=2 .*failed=0/);
    expect(resultOf(outcome, "site-2")).toMatch(/changed=1 .*failed=0/);
    expect(await version(first)).toBe(VERSION);
    expect(await first.ok("sha256sum /etc/santinela/santinela.yaml")).toBe(before);
  });

  test("stops at the first site that a release has made red, and does not touch the next wave", async () => {
    const before = await second.property("MainPID");
    const outcome = await play({ santinela_package_file: join(folder, "crashing.deb") });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toContain(`release 99.0.0 is installed, and ${VERSION} runs`);
    expect(await version(first)).toBe(VERSION);
    expect(resultOf(outcome, "site-1")).toMatch(/failed=1/);
    expect(outcome.stdout).not.toMatch(/^site-2 +:/m);
    expect(await second.ok("dpkg-query --show --showformat='${Version}' santinela")).toBe(VERSION);
    expect(await second.property("MainPID")).toBe(before);
  });

  test("installs the next release on one site after the other", async () => {
    const outcome = await play({ santinela_package_file: join(folder, "next.deb") });
    expect(resultOf(outcome, "site-2")).toMatch(/failed=0/);
    for (const site of [first, second]) expect(await version(site)).toBe("99.0.1");
  });

  test("installs the newest release of an apt repository, and changes nothing when it runs again", async () => {
    const { url, keyFile } = publish("published");
    const source = {
      santinela_package_file: "",
      santinela_repository: url,
      santinela_repository_key_file: keyFile,
    };
    const unknown = await play(source, {}, ["--check"]);
    for (const site of ["site-1", "site-2"]) expect(resultOf(unknown, site)).toMatch(/failed=0/);
    for (const site of [first, second]) expect(await version(site)).toBe("99.0.1");
    const outcome = await play(source);
    for (const site of ["site-1", "site-2"]) expect(resultOf(outcome, site)).toMatch(/failed=0/);
    for (const site of [first, second]) expect(await version(site)).toBe("99.0.2");
    for (const options of [["--check"], []]) {
      const again = await play(source, {}, options);
      for (const site of ["site-1", "site-2"]) expect(resultOf(again, site)).toMatch(/changed=0 .*failed=0/);
    }
  });

  test("restarts a site for an option that a reload does not change", async () => {
    const ports = { http: { host: "127.0.0.1", port: 8090, configuration: "file-only" } };
    const outcome = await play({ santinela_package_file: "" }, ports);
    expect(resultOf(outcome, "site-1")).toMatch(/failed=0/);
    expect(await first.ok("santinela status")).not.toContain("needs a restart");
    const { code } = await first.run("bash -c 'exec 3<>/dev/tcp/127.0.0.1/8090'");
    expect(code).toBe(0);
    // The configuration of the other tests.
    expect((await play({ santinela_package_file: "" })).code).toBe(0);
  });

  test("puts a configuration into force that an interrupted run has left without its reload", async () => {
    await first.ok(`cd /etc/santinela && cp santinela.yaml /run/written.yaml
      sed -i 's/gate/door/' santinela.yaml && santinela reload && cat /run/written.yaml >santinela.yaml`);
    expect(await first.ok("santinela zones list")).toContain("door");
    expect(resultOf(await play({ santinela_package_file: "" }), "site-1")).toMatch(/changed=0 .*failed=0/);
    expect(await first.ok("santinela zones list")).toContain("gate");
  });

  test("rejects a configuration with errors, and leaves the one in force", async () => {
    const before = await first.ok("sha256sum /etc/santinela/santinela.yaml");
    const outcome = await play({ santinela_package_file: "" }, { zone: "not a zone" });
    expect(outcome.stdout).toMatch(/unknown option|not an option|zone/);
    expect(resultOf(outcome, "site-1")).toMatch(/failed=1/);
    expect(await first.ok("sha256sum /etc/santinela/santinela.yaml")).toBe(before);
    expect(await first.ok("ls /etc/santinela")).not.toContain("next.yaml");
  });

  test("leaves a site with an alarm alone", async () => {
    await first.ok("santinela trip --zone gate");
    const outcome = await play({ santinela_package_file: base });
    expect(outcome.code).not.toBe(0);
    expect(resultOf(outcome, "site-1")).toMatch(/changed=0 .*failed=1/);
    expect(outcome.stdout).not.toMatch(/^site-2 +:/m);
  });
});
