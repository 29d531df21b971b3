import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Container, SUITES } from "./container.ts";

// The newest Debian is sufficient: the difference is systemd, which the package tests cover.
describe.each(SUITES.slice(-1))("a source tree on Debian $suite", ({ suite, root }) => {
  let debian: Container;
  let nodeRuns: boolean;
  beforeAll(async () => {
    debian = await Container.boot(root);
    nodeRuns = (await debian.run("/usr/local/bin/node --version")).code === 0;
  });
  // A Node.js linked with libraries of this machine, like that of Debian, does not find them there.
  beforeEach(({ skip }) => skip(!nodeRuns, `the Node.js of this machine does not run on Debian ${suite}`));
  afterAll(() => debian.stop());

  const isActive = async (): Promise<boolean> => (await debian.property("ActiveState")) === "active";

  test("is installed like the package, with the Node.js of the machine", async () => {
    // With the umask of a careful administrator.
    expect(await debian.ok("umask 077; /source/scripts/install.sh")).toMatch(/^Santinela \S+ runs\./m);
    expect(await isActive()).toBe(true);
    expect(await debian.ok("systemctl is-enabled santinela.service")).toBe("enabled");
    expect(await debian.run("systemctl is-enabled santinela-centre.service")).toMatchObject({
      stdout: "disabled\n",
    });
    expect(await debian.ok("readlink /usr/lib/santinela/current/node/bin/node")).toBe("/usr/local/bin/node");
    expect(await debian.ok("stat -c '%a %U:%G' /etc/santinela/santinela.yaml")).toBe("660 root:santinela");
    expect(await debian.ok("grep ' ref:' /etc/santinela/santinela.yaml")).toMatch(
      /^ {2}ref: site-[0-9a-f]{10} #/,
    );
    await debian.ok("test ! -e /usr/lib/santinela/current/node_modules/vitest");
    expect(await debian.ok("santinela check-config")).toContain("is valid");
  });

  test("is installed again over itself, and keeps changes of the installer", async () => {
    await debian.ok("printf '# mine\\n' >> /etc/santinela/santinela.yaml");
    await debian.ok("/source/scripts/install.sh");
    expect(await debian.ok("tail -1 /etc/santinela/santinela.yaml")).toBe("# mine");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("ls /usr/lib/santinela /usr/lib/santinela/releases")).toBe(
      "/usr/lib/santinela:\ncurrent\nreleases\n\n/usr/lib/santinela/releases:\nsource.2",
    );
  });

  test("keeps running in its former program while an installation is interrupted, and the next one completes it", async () => {
    // The last step before the change of the link.
    await debian.write("/run/failing/sync", "#!/bin/sh\nexit 1\n");
    await debian.ok("chmod +x /run/failing/sync");
    expect((await debian.run("PATH=/run/failing:$PATH /source/scripts/install.sh")).code).not.toBe(0);
    await debian.ok("systemctl daemon-reload && systemctl restart santinela.service");
    expect(await debian.ok("readlink /usr/lib/santinela/current")).toBe("releases/source.2");
    await debian.ok("rm -r /run/failing && /source/scripts/install.sh");
    expect(await debian.ok("ls /usr/lib/santinela/releases")).toBe("source.1");
    expect(await isActive()).toBe(true);
  });

  test("is not replaced by the package before it is removed", async () => {
    const { code, stderr } = await debian.run("dpkg -i /packages/santinela_*.deb");
    expect([code, stderr]).not.toEqual([0, ""]);
    expect(stderr).toContain("run its scripts/uninstall.sh first");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("santinela check-config")).toContain("is valid");
  });

  test("is removed without its configuration and data", async () => {
    await debian.ok("/source/scripts/uninstall.sh");
    expect(await debian.run("systemctl is-active santinela.service")).toMatchObject({ stdout: "inactive\n" });
    await debian.ok("test -e /var/lib/santinela/santinela.db && test -e /etc/santinela/santinela.yaml");
    expect(await debian.ok("find /usr -name '*santinela*'")).toBe("");
    expect(await debian.ok("find /etc/systemd -name '*santinela*'")).toBe("");
  });

  test("is not installed over the package, and uses its configuration and data once that is removed", async () => {
    await debian.ok("dpkg -i /packages/santinela_*.deb");
    for (const script of ["install.sh", "uninstall.sh"]) {
      const { code, stderr } = await debian.run(`/source/scripts/${script}`);
      expect(code, script).not.toBe(0);
      expect(stderr).toContain("the package santinela is installed");
    }
    expect(await isActive()).toBe(true);
    await debian.ok("echo '# mine' >>/etc/santinela/santinela.yaml && dpkg -r santinela");
    await debian.ok("/source/scripts/install.sh");
    expect(await isActive()).toBe(true);
    expect(await debian.ok("tail -1 /etc/santinela/santinela.yaml")).toBe("# mine");
    // The package has left its configuration behind, in the folders that the source tree uses now.
    expect((await debian.run("dpkg -P santinela")).stderr).toContain("configuration and data stay");
    await debian.ok("systemctl restart santinela.service && test -e /var/lib/santinela/santinela.db");
    expect(await debian.ok("systemctl is-enabled santinela.service")).toBe("enabled");
    expect(await debian.ok("tail -1 /etc/santinela/santinela.yaml")).toBe("# mine");
    await debian.ok(`mkdir -p /boot/firmware && mount -t tmpfs tmpfs /boot/firmware
      touch /boot/firmware/santinela-code.txt && mount -o remount,ro /boot/firmware`);
    expect((await debian.run("/source/scripts/uninstall.sh")).stderr).toContain(
      "remove the set-up code by hand",
    );
    await debian.ok("umount /boot/firmware && rmdir /boot/firmware");
  });

  test("is not installed with a Node.js in a home directory, which the service could not read", async () => {
    await debian.ok("mkdir -p /root/bin && cp /usr/local/bin/node /root/bin/node");
    const { code, stderr } = await debian.run("PATH=/root/bin:$PATH /source/scripts/install.sh");
    expect(code).not.toBe(0);
    expect(stderr).toContain("in a home directory");
  });
});
