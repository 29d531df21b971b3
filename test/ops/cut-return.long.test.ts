import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeUnless } from "../support/required-programs.ts";
import { CAN_MOUNT } from "../support/small-disk.ts";

/*
 * `santinela-upgrade --watch` returns to the proven release, and is killed before each command that it runs. The script and its
 * commands are real, in a mount namespace with an own /usr/lib and /var/lib. systemd is not: a stand-in for systemctl keeps the
 * state of a site and of a dispatch centre beside it. test/systemd runs the same returns with the real one, uncut.
 */

const SCRIPT = new URL("../../systemd/santinela-upgrade", import.meta.url).pathname;
/** About twenty cuts of each kind, on a busy machine. */
const LIMIT_MS = 600_000;
const COMMANDS = ["cat", "chmod", "cp", "flock", "grep", "ln", "mkdir", "mv", "readlink", "rm", "sync"];

const UNITS = ["santinela.service", "santinela-centre.service"] as const;
type Unit = (typeof UNITS)[number];

/**
 * Keeps the state of each service in files: NRestarts, ActiveState, Result, MainPID, and the unit that was loaded last. In release
 * 2.0 the service that the file `failing` names does not start.
 */
const SYSTEMCTL = `
for unit; do :; done
start() {
  own=$state/$1
  /usr/bin/cp $own/loaded $own/used
  if [ $(/usr/bin/readlink /usr/lib/santinela/current)/$1 = releases/2.0.1/$(/usr/bin/cat $state/failing) ]; then
    echo failed >$own/ActiveState; echo exit-code >$own/Result; echo 0 >$own/MainPID
    return
  fi
  setsid /usr/lib/santinela/current/bin/program 1000 >/dev/null 2>&1 &
  until /usr/bin/grep -qsF /bin/program /proc/$!/maps; do :; done
  echo $! >$own/MainPID; echo active >$own/ActiveState; echo success >$own/Result; echo 0 >$own/NRestarts
}
own=$state/$unit
case $1 in
show)
  for word; do case $word in --property=*) names=\${word#*=} ;; --value) value=1 ;; esac; done
  for name in $(echo $names | tr , ' '); do [ -n "\${value:-}" ] || printf '%s=' $name; /usr/bin/cat $own/$name 2>/dev/null || echo; done ;;
daemon-reload) for unit in ${UNITS.join(" ")}; do /usr/bin/cp /usr/lib/systemd/system/$unit $state/$unit/loaded; done ;;
reset-failed) echo success >$own/Result; echo 0 >$own/NRestarts; [ $(/usr/bin/cat $own/ActiveState) = active ] || echo inactive >$own/ActiveState ;;
# A kill of process 0 would be one of this group.
restart) process=$(/usr/bin/cat $own/MainPID); [ $process = 0 ] || kill -9 $process; start $unit ;;
boot) for unit in ${UNITS.join(" ")}; do start $unit; done ;;
esac`;

/** $1: the command before which everything is killed, 0 for none. $2: what follows the cut, kill or power. $3: the failing service. */
const DRIVER = `
set -eu
bin=$0.bin; cut=$1; kind=$2; failing=$3; state=/run/stand/state; units="${UNITS.join(" ")}"
mount -t tmpfs tmpfs /mnt; mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/usr/lib,upperdir=/mnt/upper,workdir=/mnt/work /usr/lib
mount -t tmpfs tmpfs /var/lib; mount -t tmpfs tmpfs /run
mkdir -p $state /var/lib/santinela-upgrade /usr/lib/systemd/system
for version in 1.0 2.0; do
  release=/usr/lib/santinela/releases/$version.1
  mkdir -p $release/bin $release/systemd
  cp /usr/bin/sleep $release/bin/program
  for unit in $units; do echo "unit of $version" >$release/systemd/$unit; done
done
ln -s releases/2.0.1 /usr/lib/santinela/current
cp /usr/lib/santinela/releases/2.0.1/systemd/*.service /usr/lib/systemd/system/
echo "releases/1.0.1 releases/2.0.1" >/var/lib/santinela-upgrade/probation
echo $failing >$state/failing
for unit in $units; do mkdir $state/$unit; echo 0 >$state/$unit/MainPID; echo 0 >$state/$unit/NRestarts; done
$bin/systemctl daemon-reload
$bin/systemctl boot
watch() { echo 0 >/run/stand/count; CUT=$1 PATH=$bin:$PATH setsid --wait sh ${SCRIPT} --watch >/dev/null 2>&1 || true; }
watch $cut
echo "commands: $(cat /run/stand/count)"
if [ $kind = power ]; then
  for unit in $units; do process=$(cat $state/$unit/MainPID); [ $process = 0 ] || kill -9 $process; done
  $bin/systemctl daemon-reload; $bin/systemctl boot
fi
# Restart=on-abnormal, or the service that the boot has started, while the condition of the unit is met.
[ ! -e /var/lib/santinela-upgrade/probation ] || watch 0
echo "link: $(readlink /usr/lib/santinela/current)"
for unit in $units; do
  echo "$unit: $(readlink /proc/$(cat $state/$unit/MainPID)/exe || echo nothing) with the $(cat $state/$unit/used 2>/dev/null)"
done
echo "returned: $(cat /usr/lib/santinela/returned)"
echo "notes: $(cd /var/lib/santinela-upgrade && ls | grep -v lock | tr '\\n' ' ')"`;

const RETURNED = [
  "link: releases/1.0.1",
  ...UNITS.map((unit) => `${unit}: /usr/lib/santinela/releases/1.0.1/bin/program with the unit of 1.0`),
  "returned: 2.0",
  "notes:",
];

describeUnless(CAN_MOUNT ? undefined : "mounting needs root", "a return to the proven release", () => {
  const folder = mkdtempSync(join(tmpdir(), "santinela-cut-return-"));
  const driver = join(folder, "driver");
  beforeAll(() => {
    writeFileSync(driver, DRIVER);
    const bin = `${driver}.bin`;
    execFileSync("mkdir", [bin]);
    const put = (name: string, text: string): void =>
      writeFileSync(join(bin, name), `#!/bin/sh\nstate=/run/stand/state\n${text}\n`, { mode: 0o755 });
    // The group is that of the script with all its commands. The daemon has one of its own.
    const counted = `[ -z "\${CUT:-}" ] || { count=$(($(/usr/bin/cat /run/stand/count) + 1)); echo $count >/run/stand/count; [ $count != $CUT ] || kill -9 0; }`;
    for (const name of COMMANDS) put(name, `${counted}\nexec /usr/bin/${name} "$@"`);
    put("systemctl", `${counted}\n${SYSTEMCTL}`);
    // The script waits five seconds between its looks.
    put("sleep", "exit 0");
    // What it runs as the user of the services: the former release finds that the centre can start.
    put("setpriv", "exit 0");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(cut: number, kind: "kill" | "power", failing: Unit): { commands: number; outcome: string[] } {
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const output = execFileSync("unshare", [...namespaces, "sh", driver, String(cut), kind, failing], {
      encoding: "utf8",
    });
    const [commands = "", ...outcome] = output.trim().split("\n");
    return { commands: Number(commands.split(" ")[1]), outcome: outcome.map((line) => line.trim()) };
  }

  describe.each(UNITS)("because %s fails", (failing) => {
    test("that is not interrupted starts it for both services, and leaves only the name of the release that failed", () => {
      expect(run(0, "kill", failing).outcome).toEqual(RETURNED);
    });

    test.each([
      ["a kill of the watch", "kill"],
      ["a power cut", "power"],
    ] as const)("is completed after %s before any of its commands", { timeout: LIMIT_MS }, (_what, kind) => {
      const { commands } = run(0, kind, failing);
      expect(commands).toBeGreaterThan(15);
      for (let cut = 1; cut <= commands; cut += 1)
        expect([cut, ...run(cut, kind, failing).outcome]).toEqual([cut, ...RETURNED]);
    });
  });
});
