import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
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
  const folder = mkdtempSync(join(tmpdir(), "santinela-ansible-"));
  let first: Container;
  let second: Container;
  let base: string;
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
      "crashing",
      "99.0.0",
      `sed -i '2i if (process.argv[2] === "serve") throw new Error("broken");' tree/usr/lib/santinela/package/dist/main.js`,
    );
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
    rmSync(folder, { recursive: true });
  });

  function repack(name: string, wanted: string, change: string): void {
    const script = `cd ${folder} && dpkg-deb -R ${base} tree && ${change} &&
      sed -i 's/^Version: .*/Version: ${wanted}/' tree/DEBIAN/control && dpkg-deb -Zgzip -z1 -b tree ${name}.deb && rm -r tree`;
    execFileSync("sh", ["-c", script], { stdio: "ignore" });
  }

  /** Runs the example's playbook on both sites, one after the other. */
  function play(variables: object, more: object = {}): Promise<Outcome> {
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
        ["-vvv", "-i", inventory, "systemd/ansible/site.yml"],
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
