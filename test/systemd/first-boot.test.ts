import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { scanned } from "../support/first-boot.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";

/* A Raspberry Pi without screen and keyboard: its boot partition, which a PC reads, and its login prompts, on which a screen or a
   serial cable shows something. */

const FILE = "/boot/firmware/santinela-code.txt";
const ADDRESS = "192.0.2.9";
const LINK = new RegExp(`https://${ADDRESS}:8080/#code=[a-z0-9-]{23}`);
const PASSWORD = "hala nord 2026 toamna";
const NODE = "/usr/lib/santinela/current/node/bin/node";

describe.each(SUITES)("the first start of the package on a Raspberry Pi with Debian $suite", ({ root }) => {
  let debian: Container;
  beforeAll(async () => {
    debian = await Container.boot(root);
    await debian.addAddress(ADDRESS);
    await debian.ok("mkdir -p /boot/firmware && dpkg -i /packages/santinela_*.deb");
  });
  afterAll(() => debian.stop());

  const fileText = async (): Promise<string> => (await debian.run(`cat ${FILE}`)).stdout;
  /** What the login prompts show above their question. */
  const promptText = async (): Promise<string> =>
    (await debian.run("script -qc 'agetty --show-issue' /dev/null </dev/null | tr -d '\\r'")).stdout;
  const journal = (): Promise<string> => debian.ok("journalctl --no-pager --output=cat");
  const linkIn = (text: string): string => LINK.exec(text)?.[0] ?? "";
  const isAnnounced = async (): Promise<boolean> =>
    LINK.test(await fileText()) && LINK.test(await promptText());
  const isWithdrawn = async (): Promise<boolean> =>
    (await debian.run(`ls ${FILE}`)).code !== 0 && !(await promptText()).includes("code=");
  const announced = (): Promise<unknown> => eventually("the code is announced", isAnnounced, LIMIT_MS);
  const withdrawn = (): Promise<unknown> => eventually("the code is withdrawn", isWithdrawn, LIMIT_MS);

  /** Ends the daemon and what announces its code at once, with all that is only in memory, and starts them as a boot does. */
  async function cutPower(whileOff = "true"): Promise<void> {
    await debian.ok(`systemctl kill --signal=KILL santinela-first-boot.service || true
      systemctl stop santinela-first-boot.service && systemctl mask --runtime santinela.service
      systemctl kill --signal=KILL santinela.service && systemctl stop santinela.service
      rm -rf /run/santinela-first-boot && ${whileOff} && systemctl unmask --runtime santinela.service`);
    await debian.ok("systemctl start santinela.service");
  }

  /** Sets the installation up, as the page behind a link does. */
  const setUp = (link: string): ReturnType<Container["run"]> =>
    debian.run(
      `NODE_TLS_REJECT_UNAUTHORIZED=0 ${NODE} -e '
        const link = new URL(process.argv[1]);
        const body = { code: link.hash.slice("#code=".length), email: "ana@example.ro", password: process.argv[2] };
        fetch(new URL("/site/setup", link), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
          .then((answer) => process.exit(answer.ok ? 0 : 3))' '${link}' '${PASSWORD}'`,
    );

  test("shows link and QR code in a file of the boot partition and above the login prompts", async () => {
    await announced();
    const link = linkIn(await fileText());
    expect(linkIn(await promptText())).toBe(link);
    expect((await promptText()).match(/One-time set-up code/g)).toHaveLength(1);
    expect(scanned(await fileText(), { isDarkText: true })).toBe(link);
    expect(scanned(await promptText())).toBe(link);
    expect(await debian.ok(`stat -c '%a %U' ${FILE} /run/santinela-first-boot/issue`)).toBe(
      "600 root\n600 root",
    );
    expect(await debian.ok("stat -c '%a %U' /var/lib/santinela/set-up-code")).toBe("600 santinela");
  });

  test("says in the journal where the code is, and not the code", async () => {
    const said = await debian.ok("journalctl --no-pager --output=cat --unit=santinela-first-boot.service");
    expect(said).toContain(FILE);
    expect(said).not.toContain(linkIn(await fileText()).split("=")[1]);
  });

  test("gives neither the daemon a write to the boot partition, nor the unit one elsewhere", async () => {
    const inside = async (unit: string): Promise<string> =>
      `nsenter -t ${await debian.property("MainPID", unit)} -m --`;
    const daemon = await inside("santinela.service");
    expect((await debian.run(`${daemon} touch /boot/firmware/x`)).code).not.toBe(0);
    const unit = await inside("santinela-first-boot.service");
    for (const path of ["/etc/x", "/usr/x", "/run/x", "/var/lib/santinela/x"])
      expect((await debian.run(`${unit} touch ${path}`)).code, path).not.toBe(0);
    const exposed = await debian.ok("systemd-analyze security --no-pager santinela-first-boot.service");
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(exposed)?.[1])).toBeLessThanOrEqual(3);
  });

  test("shows another address as soon as the machine has it", async () => {
    await debian.addAddress("192.0.2.10");
    await eventually(
      "the second address",
      async () => (await fileText()).includes("https://192.0.2.10:8080/#code="),
      LIMIT_MS,
    );
  });

  test("shows another port after the restart that uses it", async () => {
    const usePort = async (port: number): Promise<void> => {
      await debian.ok(`sed -i 's/^http: {.*host:/http: { port: ${port}, host:/' /etc/santinela/santinela.yaml
        systemctl restart santinela.service`);
      await eventually(
        "the port",
        async () => (await fileText()).includes(`https://${ADDRESS}:${port}/#code=`),
        LIMIT_MS,
      );
    };
    await usePort(8081);
    await usePort(8080);
  });

  test("shows the same code again after a power cut", async () => {
    const before = linkIn(await fileText());
    await cutPower(`rm ${FILE}`);
    await announced();
    expect(linkIn(await fileText())).toBe(before);
  });

  test("takes everything back once the code is used, also over a restart", async () => {
    const link = linkIn(await fileText());
    expect((await setUp(link)).code).toBe(0);
    await withdrawn();
    await debian.ok("systemctl restart santinela.service");
    await debian.ok("systemctl start santinela-first-boot.service");
    await eventually(
      "the unit has ended",
      async () => (await debian.property("ActiveState", "santinela-first-boot.service")) === "inactive",
      LIMIT_MS,
    );
    expect(await isWithdrawn()).toBe(true);
    expect((await debian.run("santinela address --set-up")).stderr).toContain("no unused set-up code");
    expect((await setUp(link)).code).toBe(3);
  });

  test("takes everything back after a power cut between the use and the removal", async () => {
    await cutPower(
      `echo used > /var/lib/santinela/set-up-code && chown santinela: /var/lib/santinela/set-up-code && echo 'code=used' > ${FILE} && touch ${FILE}.part`,
    );
    await withdrawn();
    expect(await debian.ok("ls -A /boot/firmware")).toBe("");
  });

  test("has a code that works after a power cut between its creation and its announcement", async () => {
    await debian.ok("systemctl stop santinela.service && santinela factory-reset --yes");
    const dropIn = "/etc/systemd/system/santinela.service.d/test.conf";
    await debian.write(dropIn, "[Service]\nEnvironment=SANTINELA_FAILPOINT=administrator-added\n");
    await debian.ok("systemctl daemon-reload && systemctl start santinela.service || true");
    const isActive = async (): Promise<boolean> => (await debian.property("ActiveState")) === "active";
    await eventually("systemd has started it again", isActive, LIMIT_MS);
    await announced();
    expect(await journal()).toContain("code=killed, status=9/KILL");
    expect((await setUp(linkIn(await fileText()))).code).toBe(0);
    await withdrawn();
    await debian.ok(`rm ${dropIn} && systemctl daemon-reload`);
  });

  test("takes everything back when the password is set on the command line, and when it is removed", async () => {
    const again = (): Promise<string> =>
      debian.ok(
        "systemctl stop santinela.service && santinela factory-reset --yes && systemctl start santinela.service",
      );
    await again();
    await announced();
    await debian.ok("santinela user passwd --email admin@santinela.local --password-stdin", PASSWORD);
    await withdrawn();
    await again();
    await announced();
    await debian.ok("dpkg -P santinela");
    await withdrawn();
    expect(await debian.ok("ls -A /boot/firmware /etc/issue.d")).not.toContain("santinela");
    expect((await debian.run("ls /run/santinela-first-boot")).code).not.toBe(0);
  });
});

describe.each(SUITES)("the first start of the package on a PC with Debian $suite", ({ root }) => {
  test("announces nothing outside the journal, and keeps no code", async () => {
    const debian = await Container.boot(root);
    try {
      await debian.ok("dpkg -i /packages/santinela_*.deb");
      expect(await debian.property("ConditionResult", "santinela-first-boot.service")).toBe("no");
      expect((await debian.run("ls /var/lib/santinela/set-up-code")).code).not.toBe(0);
      expect((await debian.run("ls /etc/issue.d/santinela.issue /boot/firmware")).stdout).toBe("");
    } finally {
      await debian.stop();
    }
  });
});

describe.skipIf(!SUITES.some(({ suite }) => suite === "trixie"))(
  "a card with the example for cloud-init",
  () => {
    let debian: Container;
    beforeAll(async () => {
      const packages = "avahi-daemon,avahi-utils,cloud-init";
      const root = execFileSync("scripts/test-rootfs.sh", ["trixie", packages], { encoding: "utf8" }).trim();
      debian = await Container.boot(root);
    });
    afterAll(() => debian.stop());

    test("sets the package up also after a power cut during the first boot, and then answers for santinela.local", async () => {
      await debian.addAddress(ADDRESS);
      // Avahi runs under another name since its start.
      await debian.ok("mkdir -p /boot/firmware && cp /packages/santinela_*.deb /boot/firmware/");
      const seed = "/var/lib/cloud/seed/nocloud";
      await debian.write(`${seed}/meta-data`, "instance-id: card-1\n");
      await debian.write(`${seed}/user-data`, readFileSync("systemd/user-data", "utf8"));
      await debian.ok("cloud-init schema --config-file /var/lib/cloud/seed/nocloud/user-data");
      // The stages of a boot. There is no network to fetch packages from; they are there.
      const boot = (path: string): Promise<string> =>
        debian.ok(`cloud-init init --local && cloud-init init && cloud-init modules --mode=config;
          PATH=${path}$PATH cloud-init modules --mode=final || true`);
      // The first one does not get to the end of the installation.
      await debian.write("/run/cut/apt-get", "#!/bin/sh\nexit 1\n");
      await debian.ok("chmod +x /run/cut/apt-get");
      await boot("/run/cut:");
      expect((await debian.run("dpkg-query --status santinela")).code).toBe(1);
      await boot("");
      await eventually("the link", async () => LINK.test((await debian.run(`cat ${FILE}`)).stdout), LIMIT_MS);
      const resolved = async (): Promise<string> =>
        (await debian.run("avahi-resolve --name -4 santinela.local")).stdout;
      await eventually("its name", async () => (await resolved()).includes(ADDRESS), LIMIT_MS);
      const browse = "avahi-browse --terminate --resolve --parsable _https._tcp";
      const isListed = async (port: number): Promise<boolean> =>
        (await debian.run(browse)).stdout.includes(`;${port};`);
      await eventually("the panel in a browser of services", () => isListed(8080), LIMIT_MS);
      await debian.ok(`sed -i 's/^http: {/http: { port: 8081,/' /etc/santinela/santinela.yaml
        systemctl restart santinela.service`);
      await eventually(
        "its other port",
        async () => (await isListed(8081)) && !(await isListed(8080)),
        LIMIT_MS,
      );
      // With the host name of the card, Avahi answers by itself.
      expect(await debian.ok("hostname")).toBe("santinela");
      await debian.ok("systemctl restart avahi-daemon.service santinela-name.service");
      await eventually("the name of the host", async () => (await resolved()).includes(ADDRESS), LIMIT_MS);
    });
  },
);
