import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless } from "../support/required-programs.ts";
import { NO_MOUNT } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * scripts/install.sh over a release that runs, in a mount namespace with an own /usr, /etc and /var/lib. systemd and the change of
 * the user are stand-ins; test/systemd installs with the real ones.
 */

const SOURCE = process.cwd();
const STAND_INS = {
  systemctl:
    'case "$1 $*" in show*--property=EnvironmentFiles*) ;; show*--property=Environment*) echo NODE_ENV=production ;; show*) echo inactive ;; esac',
  setpriv: 'while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"',
  "dpkg-query": "exit 1",
  // It searches for a relative path in its own folders.
  "systemd-sysusers": 'test -f "$1" && test "${1#/}" != "$1"',
  "systemd-tmpfiles": "",
  udevadm: "",
  chgrp: "",
};

/** $1: the folder of the stand-ins. $2: the configuration. */
const DRIVER = `
set -eu
mount -t tmpfs tmpfs /mnt
for one in usr etc tree modules; do mkdir /mnt/$one.upper /mnt/$one.work; done
mount -t overlay overlay -o lowerdir=/usr,upperdir=/mnt/usr.upper,workdir=/mnt/usr.work /usr
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/etc.upper,workdir=/mnt/etc.work /etc
mkdir /usr/lib/tree
mount -t overlay overlay -o lowerdir=${SOURCE},upperdir=/mnt/tree.upper,workdir=/mnt/tree.work /usr/lib/tree
mount -t tmpfs tmpfs /usr/lib/tree/node_modules
echo '{ "packages": {} }' >/usr/lib/tree/node_modules/.package-lock.json
# Some hundred MB, which the program finds two folders higher without a copy.
mkdir -p /usr/lib/node_modules
mount -t overlay overlay -o lowerdir=${SOURCE}/node_modules,upperdir=/mnt/modules.upper,workdir=/mnt/modules.work /usr/lib/node_modules
mkdir -p /usr/lib/santinela/releases/source.1 /usr/lib/systemd/system /etc/santinela
ln -s releases/source.1 /usr/lib/santinela/current
echo "# of the former release" >/usr/lib/systemd/system/santinela.service
cp "$2" /etc/santinela/santinela.yaml
PATH=$1:$PATH /usr/lib/tree/scripts/install.sh >&2 && code=0 || code=$?
echo "code: $code"
echo "link: $(readlink /usr/lib/santinela/current)"
echo "unit: $(head -1 /usr/lib/systemd/system/santinela.service)"`;

describeUnless(NO_MOUNT, "an installation from a source tree", () => {
  const folder = temporaryFolder(afterAll);
  beforeAll(() => {
    execFileSync("mkdir", [join(folder, "bin")]);
    for (const [name, script] of Object.entries(STAND_INS))
      writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  });

  function install(yaml: string): { outcome: string[]; stderr: string } {
    const file = join(folder, "santinela.yaml");
    writeFileSync(file, yaml);
    const words = ["--mount", "sh", "-c", DRIVER, "driver", join(folder, "bin"), file];
    const { stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8" });
    return { outcome: stdout.trim().split("\n"), stderr };
  }
  const installed = ({ outcome, stderr }: ReturnType<typeof install>): void => {
    expect(outcome[0], stderr).toBe("code: 0");
    expect(outcome[1]).toBe("link: releases/source.2");
    expect(outcome[2]).not.toBe("unit: # of the former release");
  };

  test("goes on with a configuration that the new release accepts", () => {
    installed(install("site: { ref: hala-nord }\nhttp: { port: 8080 }\n"));
  });

  test("stops at one that it rejects, with the errors, and leaves the former program and its units", () => {
    // 0.1.0 accepts an empty file.
    for (const yaml of ["", "site: { ref: hala-nord }\nhttp: { port: none }\n"]) {
      const { outcome, stderr } = install(yaml);
      expect(outcome).toEqual(["code: 1", "link: releases/source.1", "unit: # of the former release"]);
      expect(stderr).toMatch(/santinela\.yaml:\d+:\d+: /);
      expect(stderr).toContain("this release rejects /etc/santinela/santinela.yaml, for the reason above");
    }
  });

  test("goes on without a password that only the running service can read, and names it", () => {
    const result = install(
      "site: { ref: hala-nord }\nupstream: { baseUrl: 'https://centre.example', email: a@example.ro, passwordFile: ./missing }\n",
    );
    installed(result);
    expect(result.stderr).toContain("/etc/santinela/missing");
  });
});
