import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { eventually } from "../support/eventually.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";
import { FIRST_LAYOUT } from "./cut-root.ts";
import { copyThis, MAIN, RENUMBER, repack } from "./repacked.ts";

const DATABASE = "/var/lib/santinela/santinela.db";

describe.each(SUITES)("the package on Debian $suite", ({ root }) => {
  let debian: Container;
  beforeAll(async () => {
    debian = await Container.boot(root);
    // The current package, one of the next release, and one whose program cannot start.
    await copyThis(debian);
    const make = (name: string, change: string, version?: string): Promise<void> =>
      repack(debian, name, change, version);
    await make("next", RENUMBER);
    const serving = 'process.argv[2] === "serve"';
    await make("crashing", `sed -i '2i if (${serving}) throw new Error("broken");' ${MAIN}`);
    await make(
      "hanging",
      `sed -i '2i if (${serving}) for (;;) {}' ${MAIN} && sed -i 's/^TimeoutStartSec=.*/TimeoutStartSec=5/' tree/usr/lib/systemd/system/santinela.service`,
    );
    // By its unit: the program itself is good.
    await make(
      "refused",
      `sed -i 's/^Type=notify/&\\nExecStartPre=false/' tree/usr/lib/systemd/system/santinela.service`,
    );
    // Longer than santinela-upgrade waits, as after a memory leak. Of the next release but one: it cannot start either.
    await make("late", `sed -i '2i if (${serving}) setTimeout(() => process.exit(1), 20_000);' ${MAIN}`);
    await make("second", `sed -i '2i if (${serving}) throw new Error("broken");' ${MAIN}`, "99.1.0");
    // Of 0.1.0, and a package of another kind whose installation lasts as long as a test wants.
    await make("first", `${FIRST_LAYOUT} && rm -r tree && mv this tree`, "0.0.9");
    await debian.ok(`cd /srv && mkdir -p other/DEBIAN && cd other/DEBIAN
      printf 'Package: other\\nVersion: 1\\nArchitecture: all\\nMaintainer: x <x@example.org>\\nDescription: x\\n' >control
      printf '#!/bin/sh\\nuntil [ -e /run/may-end ]; do sleep 0.2; done\\n' >postinst && chmod 755 postinst
      cd /srv && dpkg-deb -b other other.deb && rm -r other`);
    await make("stuck", `printf '#!/bin/sh\nexec sleep 600\n' > tree/DEBIAN/postinst`);
    await make(
      "broken",
      `printf 'throw new Error("broken");\\n' > tree/usr/lib/santinela/package/dist/main.js`,
    );
  });
  afterAll(() => debian.stop());

  const install = (name: string): Promise<string> => debian.ok(`dpkg -i /srv/${name}.deb`);
  const isActive = async (): Promise<boolean> => (await debian.property("ActiveState")) === "active";

  test("runs after its installation, with its own configuration, user and program", async () => {
    await install("this");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("systemctl is-enabled santinela.service")).toBe("enabled");
    expect(await debian.ok("stat -c '%a %U:%G' /etc/santinela/santinela.yaml")).toBe("660 root:santinela");
    expect(await debian.ok("grep ' ref:' /etc/santinela/santinela.yaml")).toMatch(
      /^ {2}ref: site-[0-9a-f]{10} #/,
    );
    expect(await debian.ok("stat -c '%a %U:%G' /var/lib/santinela")).toBe("750 santinela:santinela");
    expect(await debian.ok("id -nG santinela")).toContain("gpio");
    expect(await debian.ok("santinela check-config")).toContain("is valid");
  });

  test("upgrades in place: the same database, configuration and secrets, the new program", async () => {
    await install("this");
    await debian.ok("printf '# mine\\n' >> /etc/santinela/santinela.yaml");
    const secret = await debian.ok("sha256sum /var/lib/santinela/secrets/token-signing.key");
    await install("next");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("santinela version")).toBe("99.0.0");
    expect(await debian.ok("tail -1 /etc/santinela/santinela.yaml")).toBe("# mine");
    expect(await debian.ok("sha256sum /var/lib/santinela/secrets/token-signing.key")).toBe(secret);
    expect(
      await debian.ok("journalctl --no-pager -u santinela.service | grep -c database-recovered || true"),
    ).toBe("0");
  });

  test("names an example of Mosquitto's settings that exists on this machine", async () => {
    await install("this");
    await debian.write(
      "/etc/santinela/mqtt.yaml",
      "zones:\n  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: gate, open: [1] } }\n",
    );
    const { stdout } = await debian.run("santinela doctor --config /etc/santinela/mqtt.yaml");
    const [, example = ""] = /Copy (\S+) to \/etc\/mosquitto/.exec(stdout) ?? [];
    expect(await debian.ok(`cat ${example}`)).toContain("max_queued_messages 0");
  });

  test("has manual pages, and completion with which bash offers the commands", async () => {
    // The small Debian of the tests installs no manual pages by default.
    await debian.ok("dpkg --path-include='/usr/share/man/*' -i /srv/this.deb");
    const page = await debian.ok("zcat /usr/share/man/man1/santinela.1.gz");
    expect(page).toMatch(/^\.TH SANTINELA 1 \S+ "santinela \S+"$/m);
    expect(page).toContain(`"santinela ${VERSION}"`);
    expect(page).toContain(".SS santinela zones list");
    expect(await debian.ok("zcat /usr/share/man/man8/santinela-upgrade.8.gz")).toContain("QUIET_S");
    await debian.write(
      "/srv/offered",
      `source /usr/share/bash-completion/completions/santinela
       read -r _ _ function _ < <(complete -p santinela)
       COMP_WORDS=(santinela "$@") COMP_CWORD=$#
       $function
       echo "\${COMPREPLY[@]}"`,
    );
    expect(await debian.ok("bash /srv/offered zo")).toBe("zones");
    expect((await debian.ok("bash /srv/offered zones ''")).split(" ")).toContain("list");
  });

  test("keeps a release of the first layout once more after a downgrade to it, to return to it", async () => {
    await install("this");
    await install("first");
    await install("this");
    expect(await debian.ok("ls /usr/lib/santinela/releases")).toContain("0.0.9.1");
    expect(await isActive()).toBe(true);
    await install("first");
    await install("next");
    expect(await debian.ok("cat /var/lib/santinela-upgrade/probation")).toMatch(/^releases\/0\.0\.9\.1 /);
    await debian.ok("dpkg -r santinela");
  });

  test("that is disabled stays disabled over an upgrade", async () => {
    await install("this");
    await debian.ok("systemctl disable --now santinela.service");
    await install("next");
    expect(await debian.run("systemctl is-enabled santinela.service")).toMatchObject({
      stdout: "disabled\n",
    });
    expect(await isActive()).toBe(false);
    await debian.ok("systemctl enable --now santinela.service");
  });

  test("has a service for a dispatch centre, which runs beside the site only once it is enabled", async () => {
    const unit = "santinela-centre.service";
    const centre = "--config /etc/santinela/centre.yaml";
    const runs = async (): Promise<boolean> => (await debian.property("ActiveState", unit)) === "active";
    await install("this");
    expect(await debian.run(`systemctl is-enabled ${unit}`)).toMatchObject({ stdout: "disabled\n" });
    // Without its file the trial of `santinela centre` would run.
    expect((await debian.run(`systemctl start ${unit}`)).code).not.toBe(0);
    const yaml = "site: { name: Dispatch centre, ref: centre }\nhttp: { port: 8090 }\n";
    await debian.write("/etc/santinela/centre.yaml", yaml);
    expect(await debian.ok("santinela check-config --centre")).toContain(
      "dispatch centre on SQLite, 0 objectives, data in /var/lib/santinela-centre",
    );
    await debian.ok(`systemctl enable --now ${unit}`);
    expect([await runs(), await isActive()]).toEqual([true, true]);
    expect(await debian.ok(`santinela sites ${centre}`)).toMatch(/^SITE +NAME/);
    expect(await debian.ok("stat -c '%a %U:%G' /var/lib/santinela-centre")).toBe("750 santinela:santinela");
    const report = await debian.ok(`systemd-analyze security --no-pager ${unit}`);
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(report)?.[1])).toBeLessThanOrEqual(1.1);
    await debian.write("/etc/santinela/centre.yaml", `${yaml}fleet: { silentS: 300 }\n`);
    await debian.ok(`systemctl reload ${unit}`);
    // Its backups begin with it.
    expect(await debian.property("ActiveState", "santinela-centre-backup.timer")).toBe("active");
    await debian.ok("systemctl start santinela-centre-backup.service");
    expect(await debian.ok("ls /var/lib/santinela-centre/backups")).toMatch(/^santinela-\S+\.db$/);

    const pid = await debian.property("MainPID", unit);
    await install("next");
    await eventually(
      "the centre of the next release",
      async () => (await debian.property("MainPID", unit)) !== pid && (await runs()),
      LIMIT_MS,
    );
    await debian.ok(`systemctl disable --now ${unit} && rm /etc/santinela/centre.yaml`);
    expect(await isActive()).toBe(true);
    expect(await debian.property("ActiveState", "santinela-centre-backup.timer")).toBe("inactive");
    // Its data stay until a purge.
    await debian.ok("test -e /var/lib/santinela-centre/santinela.db");
  });

  test("gives a dispatch centre the password of its database that only root and systemd can read", async () => {
    const dropIn = "/etc/systemd/system/santinela-centre.service.d/test.conf";
    await install("this");
    await debian.write("/etc/santinela/credentials/database-password", "correct horse battery staple\n");
    await debian.write(
      dropIn,
      "[Service]\nLoadCredential=database-password:/etc/santinela/credentials/database-password\n",
    );
    await debian.write(
      "/etc/santinela/centre.yaml",
      "database: postgres://santinela@127.0.0.1:9/santinela\n",
    );
    await debian.ok("chmod -R go= /etc/santinela/credentials && systemctl daemon-reload");
    // There is no PostgreSQL: the centre waits for it.
    await debian.ok("systemctl --no-block start santinela-centre.service");
    const credentials = "/run/credentials/santinela-centre.service";
    await eventually(
      "the credential",
      async () => (await debian.run(`test -e ${credentials}/database-password`)).code === 0,
      LIMIT_MS,
    );
    const { code, stdout } = await debian.run("santinela check-config --centre");
    expect([code, stdout]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
    // The backup waits for the start of a centre, and this one waits for its database.
    await debian.ok("systemctl stop santinela-centre.service");
    // The data of the centre on SQLite before are no backup of this one.
    expect((await debian.run("systemctl start santinela-centre-backup.service")).code).not.toBe(0);
    expect(await debian.ok("journalctl --no-pager --identifier=santinela-centre")).toContain("pgBackRest");
    await debian.ok("rm /var/lib/santinela-centre/santinela.db");
    await debian.ok("systemctl start santinela-centre-backup.service");
    await debian.ok(
      `rm -r ${dropIn} /etc/santinela/credentials /etc/santinela/centre.yaml && systemctl daemon-reload`,
    );
  });

  describe("installed with dpkg over another", () => {
    const PROBATION = "/var/lib/santinela-upgrade/probation";
    const version = (): Promise<string> => debian.ok("santinela version");
    const doctor = async (): Promise<string> => (await debian.run("santinela doctor")).stdout;
    const watch = (): Promise<string> => debian.property("ActiveState", "santinela-probation.service");
    const says = async (): Promise<string> =>
      debian.ok("journalctl --no-pager --identifier=santinela-upgrade");

    /** Ten minutes without the drop-in. */
    async function setQuietTime(seconds: number): Promise<void> {
      const file = "/etc/systemd/system/santinela-probation.service.d/test.conf";
      await debian.write(file, `[Service]\nEnvironment=QUIET_S=${seconds}\n`);
      await debian.ok("systemctl daemon-reload && systemctl try-restart santinela-probation.service");
    }
    const isDecided = async (): Promise<boolean> => (await debian.run(`test -e ${PROBATION}`)).code !== 0;
    const decided = (): Promise<unknown> => eventually("the end of the probation", isDecided, LIMIT_MS);
    const runs = (wanted: string): Promise<unknown> =>
      eventually(
        `release ${wanted} runs`,
        async () => (await isActive()) && (await version()) === wanted && (await isDecided()),
        LIMIT_MS,
      );

    beforeEach(async () => {
      await install("this");
      await setQuietTime(5);
      await decided();
      await runs(VERSION);
    });
    afterAll(() =>
      debian.ok("rm -r /etc/systemd/system/santinela-probation.service.d && systemctl daemon-reload"),
    );

    test.each(["broken", "crashing", "refused"])(
      "is left by itself for the previous release when it is %s, and reports it",
      async (name) => {
        await install(name);
        await runs(VERSION);
        expect(await says()).toContain("99.0.0 does not stay up");
        expect(await doctor()).toContain("release 99.0.0 failed soon after its installation");
        expect(await watch()).toBe("failed");
        // dpkg has no work left, and the next release is installed as usual.
        expect(await debian.ok("dpkg --audit")).toBe("");
        expect(
          await debian.ok("dpkg-query --show --showformat='${Version} ${db:Status-Status}' santinela"),
        ).toBe("99.0.0 installed");
        await install("next");
        await runs("99.0.0");
        expect(await doctor()).not.toContain("failed soon");
        expect(await watch()).not.toBe("failed");
      },
    );

    test("remains after its quiet time, alone on the card", async () => {
      await install("next");
      // Written after the end of the probation, when the former release has been removed.
      const remains = "releases/99.0.0.1 has run for 5 s without a restart and remains";
      await eventually("the end of the watch", async () => (await says()).includes(remains), LIMIT_MS);
      await runs("99.0.0");
      expect(await debian.ok("ls /usr/lib/santinela/releases")).toBe("99.0.0.1");
    });

    test("is watched again after the next start of the service", async () => {
      await setQuietTime(600);
      await install("next");
      await eventually("its watch", async () => (await watch()) === "active", LIMIT_MS);
      await debian.ok("systemctl stop santinela.service");
      await eventually("its end", async () => (await watch()) === "inactive", LIMIT_MS);
      expect(await isDecided()).toBe(false);
      await setQuietTime(5);
      await debian.ok("systemctl start santinela.service");
      await runs("99.0.0");
    });

    test("returns to the last release that has proved itself, over one that has not", async () => {
      await setQuietTime(600);
      await install("next");
      expect(await version()).toBe("99.0.0");
      await install("crashing");
      await runs(VERSION);
      await debian.ok("systemctl stop santinela-probation.service");
    });

    test("and left for the previous one is left again, when santinela-upgrade rolls back to it", async () => {
      await setQuietTime(600);
      await install("late");
      await runs(VERSION);
      const hasStarted = async (): Promise<boolean> =>
        (await debian.run("systemctl start santinela.service")).code === 0;
      await eventually("the end of its restart", hasStarted, LIMIT_MS);
      const { stderr, code } = await debian.run("PROBATION_S=3 santinela-upgrade /srv/second.deb");
      expect(code).toBe(1);
      expect(stderr).toContain("rolled back to 99.0.0, which is running, and is watched");
      expect(await isDecided()).toBe(false);
      await runs(VERSION);
      expect(await doctor()).toContain("release 99.0.0 failed soon after its installation");
    });

    test("and still on probation stays on it, when santinela-upgrade rolls back to it", async () => {
      await setQuietTime(600);
      await install("next");
      const { stderr } = await debian.run("PROBATION_S=3 santinela-upgrade /srv/second.deb");
      expect(stderr).toContain("rolled back to 99.0.0, which is running, and is watched");
      const [proven = "", release = ""] = (await debian.ok(`cat ${PROBATION}`)).split(" ");
      expect([proven, release]).toEqual([
        expect.stringContaining(`releases/${VERSION}.`),
        expect.stringContaining("releases/99.0.0."),
      ]);
      await debian.ok(`test -d /usr/lib/santinela/${proven}`);
      await setQuietTime(5);
      await decided();
      await runs("99.0.0");
    });
  });

  describe("installed with santinela-upgrade", () => {
    // With the umask of a careful administrator.
    const upgrade = (name: string, more = ""): ReturnType<Container["run"]> =>
      debian.run(`umask 077; PROBATION_S=5 ${more} santinela-upgrade /srv/${name}.deb`);
    const version = (): Promise<string> => debian.ok("dpkg-query --show --showformat='${Version}' santinela");

    test("remains when it keeps running", async () => {
      await install("this");
      expect(await upgrade("next")).toMatchObject({ code: 0 });
      expect(await version()).toBe("99.0.0");
      expect(await isActive()).toBe(true);
    });

    test("remains when the script of the new package installs it, as over 0.1.0", async () => {
      await install("this");
      const script = "dpkg-deb --fsys-tarfile /srv/next.deb | tar -xO ./usr/sbin/santinela-upgrade >/root/u";
      await debian.ok(`${script} && PROBATION_S=2 sh /root/u /srv/next.deb && rm /root/u`);
      expect(await version()).toBe("99.0.0");
    });

    test("waits while another installation has the lock of dpkg, and without it changes nothing", async () => {
      await install("this");
      await debian.ok(
        "rm -f /run/may-end && systemd-run --quiet --collect --unit=other dpkg -i /srv/other.deb",
      );
      const isLocked = async (): Promise<boolean> =>
        (await debian.run("dpkg --configure --pending")).stderr.includes("lock was locked by");
      await eventually("the lock", isLocked, LIMIT_MS);
      const before = await version();
      const outcome = await upgrade("next", "LOCK_S=0");
      expect([outcome.code, outcome.stderr]).toEqual([1, expect.stringContaining("no changes made")]);
      await debian.ok("test ! -e /var/lib/santinela-upgrade/undecided");
      expect(await version()).toBe(before);
      const upgraded = upgrade("next");
      await eventually(
        "its attempt",
        async () => (await debian.run("test -e /var/lib/santinela-upgrade/old.deb")).code === 0,
        LIMIT_MS,
      );
      await debian.ok("touch /run/may-end");
      expect(await upgraded).toMatchObject({ code: 0 });
      expect(await version()).toBe("99.0.0");
    });

    test("finds the passwords that only root and systemd can read", async () => {
      await install("this");
      const dropIn = "/etc/systemd/system/santinela.service.d/test.conf";
      await debian.ok("cp -p /etc/santinela/santinela.yaml /run/former.yaml");
      await debian.write("/etc/santinela/credentials/upstream-password", "correct horse battery staple\n");
      const upstream = "upstream: { baseUrl: 'http://127.0.0.1:9', email: edge@site.example }";
      await debian.ok(`chmod -R go= /etc/santinela/credentials
        mkdir -p $(dirname ${dropIn}) && cp /usr/share/doc/santinela/examples/credentials.conf ${dropIn}
        echo "${upstream}" >>/etc/santinela/santinela.yaml
        systemctl daemon-reload && systemctl restart santinela.service`);
      expect(await upgrade("next")).toMatchObject({ code: 0 });
      expect(await isActive()).toBe(true);
      await debian.ok(`cp -p /run/former.yaml /etc/santinela/santinela.yaml
        rm -r ${dropIn} /etc/santinela/credentials && systemctl daemon-reload && systemctl restart santinela.service`);
    });

    test("copies and tests the data that the service has, where a drop-in has moved them", async () => {
      await install("this");
      const dropIn = "/etc/systemd/system/santinela.service.d/test.conf";
      const data = "/srv/other place";
      await debian.write(
        dropIn,
        `[Service]\nEnvironment="SANTINELA_DATA_DIR=${data}"\nReadWritePaths="${data}"\n`,
      );
      await debian.ok(`install -d -o santinela -g santinela "${data}" && rm -f ${DATABASE.replace(/[^/]+$/, "before-upgrade.db")}
        systemctl daemon-reload && systemctl restart santinela.service`);
      expect(await upgrade("next")).toMatchObject({ code: 0 });
      expect(await debian.ok(`stat -c %U "${data}/before-upgrade.db"`)).toBe("santinela");
      expect((await debian.run("test -e /var/lib/santinela/before-upgrade.db")).code).toBe(1);
      await debian.ok(`rm -r ${dropIn} && systemctl daemon-reload && systemctl restart santinela.service`);
    });

    test("is not changed when the new program cannot read the configuration", async () => {
      await install("this");
      const before = await debian.property("MainPID");
      const outcome = await upgrade("broken");
      expect(outcome.stderr).toContain("no changes made");
      expect(outcome.code).toBe(1);
      expect(await version()).not.toBe("99.0.0");
      expect(await debian.property("MainPID")).toBe(before);
    });

    test("changes no other file when a process of the service's user leads the copy of the database to it", async () => {
      await install("this");
      const before = await version();
      await debian.write("/etc/led-to", "untouched\n");
      await debian.ok("chmod 600 /etc/led-to");
      await debian.write(
        "/srv/lead",
        'until ln -s /etc/led-to "$(echo /var/tmp/santinela-upgrade.*/trial)/santinela.db"; do :; done 2>/dev/null\n',
      );
      await debian.ok("systemd-run --quiet --collect --unit=lead --uid=santinela sh /srv/lead");
      const outcome = await upgrade("next");
      expect(await debian.run("systemctl is-active lead.service")).toMatchObject({ stdout: "inactive\n" });
      expect(await debian.ok("cat /etc/led-to")).toBe("untouched");
      expect(outcome).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("no changes made") as string,
      });
      expect(await version()).toBe(before);
      expect(await isActive()).toBe(true);
      await debian.ok("rm /etc/led-to /srv/lead");
    });

    test.each(["crashing", "hanging"])("is rolled back when the new service is %s", async (name) => {
      await install("this");
      const outcome = await upgrade(name);
      expect(outcome.stderr).toContain("rolled back to");
      expect(outcome.code).toBe(1);
      expect(await version()).not.toBe("99.0.0");
      expect(await isActive()).toBe(true);
      await debian.ok("santinela user list");
    });
  });

  describe("installed with santinela-upgrade across a power cut", () => {
    const exists = (version: string): string =>
      `dpkg-query --show --showformat='\${Version} \${db:Status-Status}' santinela | grep -qx '${version}'`;
    const THIS = /^0\S* installed$/;
    const state = (): Promise<string> =>
      debian.ok("dpkg-query --show --showformat='${Version} ${db:Status-Status}' santinela");

    /** Kills an upgrade with its child processes at a given point, and simulates the next boot. */
    async function cutOff(name: string, atMoment: string): Promise<{ code: number; journal: string }> {
      await install("this");
      await debian.write(
        "/etc/systemd/system/santinela-upgrade.service.d/test.conf",
        "[Service]\nEnvironment=PROBATION_S=5\n",
      );
      await debian.ok("systemctl daemon-reload");
      await debian.ok(
        `systemd-run --quiet --collect --unit=cut-${name} --setenv=PROBATION_S=600 santinela-upgrade /srv/${name}.deb`,
      );
      await eventually(
        `the upgrade has come so far: ${atMoment}`,
        async () =>
          (await debian.run(`test -e /var/lib/santinela-upgrade/undecided && ${atMoment}`)).code === 0,
        240_000,
      );
      await debian.ok(`systemctl kill --signal=KILL cut-${name}.service`);
      await eventually(
        "it is gone",
        async () => (await debian.property("ActiveState", `cut-${name}.service`)) !== "active",
        LIMIT_MS,
      );
      const { code } = await debian.run("systemctl start santinela-upgrade.service");
      const journal = await debian.ok("journalctl --no-pager --unit=santinela-upgrade.service");
      await debian.ok("test ! -e /var/lib/santinela-upgrade/undecided");
      return { code, journal };
    }

    test("remains when it keeps running after the next boot", async () => {
      expect(await cutOff("next", exists("99.0.0 installed"))).toMatchObject({ code: 0 });
      expect(await state()).toBe("99.0.0 installed");
      expect(await isActive()).toBe(true);
    });

    test("is rolled back by the next boot when it does not start", async () => {
      const { code, journal } = await cutOff("crashing", exists("99.0.0 installed"));
      expect(journal).toContain("rolled back to");
      expect(code).not.toBe(0);
      expect(await state()).toMatch(THIS);
      expect(await isActive()).toBe(true);
    });

    test("is rolled back by the next boot when it is partly installed", async () => {
      const { journal } = await cutOff("stuck", exists("99.0.0 half-configured"));
      expect(journal).toContain("is only partly installed");
      expect(await state()).toMatch(THIS);
      expect(await isActive()).toBe(true);
    });

    test("leaves another release that was installed since", async () => {
      await install("this");
      await debian.ok(`cp /usr/sbin/santinela-upgrade /var/lib/santinela-upgrade/
        echo "98.0.0 99.0.0 active proven inactive" >/var/lib/santinela-upgrade/undecided
        systemctl start santinela-upgrade.service && test ! -e /var/lib/santinela-upgrade/undecided`);
      expect(await state()).toMatch(THIS);
      expect(await isActive()).toBe(true);
    });

    test("needs no decision when it was complete, or when there was none", async () => {
      await install("this");
      expect(await debian.run("PROBATION_S=2 santinela-upgrade /srv/next.deb")).toMatchObject({ code: 0 });
      await debian.ok("test ! -e /var/lib/santinela-upgrade/undecided");
      await debian.ok("systemctl start santinela-upgrade.service");
      expect(await state()).toBe("99.0.0 installed");
    });
  });

  test("keeps records and configuration when removed, and uses them when installed again", async () => {
    await install("this");
    await debian.ok("dpkg -r santinela");
    expect(await debian.run("systemctl is-active santinela.service")).toMatchObject({ stdout: "inactive\n" });
    await debian.ok(`test -e ${DATABASE} && test -e /etc/santinela/santinela.yaml`);
    await debian.ok("test ! -e /usr/lib/santinela");
    await install("this");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("systemctl is-enabled santinela.service")).toBe("enabled");
  });

  test("starts again what was enabled when it is removed and installed again: also socket and dispatch centre", async () => {
    const more = ["santinela.socket", "santinela-centre.service"];
    await install("this");
    await debian.write(
      "/etc/santinela/centre.yaml",
      "site: { name: Dispatch centre, ref: centre }\nhttp: { port: 8090 }\n",
    );
    const useHost = (host: string): Promise<string> =>
      debian.ok(`sed -i 's/^http: { host: [0-9.]*/http: { host: ${host}/' /etc/santinela/santinela.yaml`);
    // As the socket.
    await useHost("127.0.0.1");
    await debian.ok("systemctl stop santinela.service");
    await debian.ok(`systemctl enable --now ${more.join(" ")} && systemctl start santinela.service`);
    await debian.ok("dpkg -r santinela");
    await install("this");
    expect(await isActive()).toBe(true);
    expect(await debian.property("ActiveState", "santinela.socket")).toBe("active");
    // It is not awaited by the installation.
    expect(await debian.property("ActiveState", "santinela-centre.service")).toMatch(/^activating|^active/);
    await debian.ok(`systemctl disable --now ${more.join(" ")}`);
    await debian.ok("dpkg -r santinela");
    await install("this");
    for (const unit of more) expect(await debian.property("ActiveState", unit), unit).toBe("inactive");
    await useHost("0.0.0.0");
  });

  test("is removed also with a read-only boot partition that has the set-up code", async () => {
    await install("this");
    await debian.ok(`mkdir -p /boot/firmware && mount -t tmpfs tmpfs /boot/firmware
      touch /boot/firmware/santinela-code.txt && mount -o remount,ro /boot/firmware`);
    const { code, stderr } = await debian.run("dpkg -r santinela");
    await debian.ok("umount /boot/firmware && rmdir /boot/firmware");
    expect(code).toBe(0);
    expect(stderr).toContain("remove the set-up code by hand");
  });

  test("runs again when its removal fails", async () => {
    await install("this");
    // The last step of the script removes the program, and then fails once, as at a card with a bad block.
    await debian.write(
      "/run/failing/rm",
      `#!/bin/sh\n/usr/bin/rm "$@" || exit\n[ "$*" != "-rf /usr/lib/santinela/releases" ] || [ -e /run/failing/once ] || { touch /run/failing/once; exit 1; }\n`,
    );
    await debian.ok("chmod +x /run/failing/rm");
    expect((await debian.run("PATH=/run/failing:$PATH dpkg -r santinela")).code).not.toBe(0);
    expect(await debian.ok("dpkg-query --show --showformat='${db:Status-Status}' santinela")).toBe(
      "installed",
    );
    expect(await isActive()).toBe(true);
    expect(await debian.ok("santinela version")).toBe(VERSION);
    await debian.ok("dpkg -r santinela && test ! -e /usr/lib/santinela && rm -r /run/failing");
  });

  test("is purged also with its data on a partition of its own, which stays empty", async () => {
    await install("this");
    await debian.ok("systemctl stop santinela.service && mount -t tmpfs tmpfs /var/lib/santinela");
    await debian.ok("touch /var/lib/santinela/santinela.db");
    const { code, stderr } = await debian.run("dpkg -P santinela");
    const left = await debian.ok("ls -A /var/lib/santinela && umount /var/lib/santinela");
    await debian.ok("rm -rf /var/lib/santinela");
    expect(left).toBe("");
    expect(stderr).toContain("/var/lib/santinela");
    expect(code).toBe(0);
    await debian.ok("test ! -e /etc/santinela && test ! -e /var/lib/santinela-upgrade");
    expect((await debian.run("dpkg-query --status santinela")).code).toBe(1);
  });

  test("removes everything when purged, except the user id", async () => {
    await install("this");
    await debian.ok("systemctl start santinela-backup.timer && dpkg -P santinela");
    await debian.ok("test ! -e /var/lib/santinela-centre");
    await debian.ok(
      "test ! -e /var/lib/santinela && test ! -e /var/lib/santinela-upgrade && test ! -e /etc/santinela && test ! -e /usr/lib/santinela",
    );
    await debian.ok("id santinela && rm -rf /etc/systemd/system/santinela-upgrade.service.d");
    // The tests' own packages are in /srv.
    expect(await debian.ok("find / /run -xdev -path /srv -prune -o -name '*santinela*' -print")).toBe("");
    await install("this");
    expect(await isActive()).toBe(true);
  });
});
