import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless } from "../support/required-programs.ts";
import { CAN_MOUNT } from "../support/small-disk.ts";

/*
 * `santinela-upgrade --watch` returns to the proven release, and is killed before each command that it runs. The script and its
 * commands are real, in a mount namespace with an own /usr/lib and /var/lib. systemd is not: a stand-in for systemctl keeps the
 * state of one service. test/systemd runs the same return with the real one, uncut.
 */

const SCRIPT = new URL("../../systemd/santinela-upgrade", import.meta.url).pathname;
/** About twenty cuts of each kind, on a busy machine. */
const LIMIT_MS = 600_000;
const COMMANDS = ["cat", "chmod", "cp", "flock", "grep", "ln", "mkdir", "mv", "readlink", "rm", "sync"];

/**
 * Keeps the state of the service in files: NRestarts, ActiveState, Result, MainPID, and the unit that was loaded last. Release 2.0
 * does not start.
 */
const SYSTEMCTL = `
start() {
  /usr/bin/cp $state/loaded $state/used
  if [ $(/usr/bin/readlink /usr/lib/santinela/current) = releases/2.0.1 ]; then
    echo failed >$state/ActiveState; echo exit-code >$state/Result; echo 0 >$state/MainPID
    return
  fi
  setsid /usr/lib/santinela/current/bin/program 1000 >/dev/null 2>&1 &
  until /usr/bin/grep -qsF /bin/program /proc/$!/maps; do :; done
  echo $! >$state/MainPID; echo active >$state/ActiveState; echo success >$state/Result; echo 0 >$state/NRestarts
}
case $1 in
show)
  for word; do case $word in --property=*) names=\${word#*=} ;; --value) value=1 ;; esac; done
  for name in $(echo $names | tr , ' '); do [ -n "\${value:-}" ] || printf '%s=' $name; /usr/bin/cat $state/$name; done ;;
daemon-reload) /usr/bin/cp /usr/lib/systemd/system/santinela.service $state/loaded ;;
reset-failed) echo success >$state/Result; echo 0 >$state/NRestarts; [ $(/usr/bin/cat $state/ActiveState) = active ] || echo inactive >$state/ActiveState ;;
# A kill of process 0 would be one of this group.
restart) process=$(/usr/bin/cat $state/MainPID); [ $process = 0 ] || kill -9 $process; start ;;
boot) start ;;
esac`;

/** $1: the command before which everything is killed, 0 for none. $2: what follows the cut, kill or power. */
const DRIVER = `
set -eu
bin=$0.bin; cut=$1; kind=$2; state=/run/stand/state
mount -t tmpfs tmpfs /mnt; mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/usr/lib,upperdir=/mnt/upper,workdir=/mnt/work /usr/lib
mount -t tmpfs tmpfs /var/lib; mount -t tmpfs tmpfs /run
mkdir -p $state /var/lib/santinela-upgrade /usr/lib/systemd/system
for version in 1.0 2.0; do
  release=/usr/lib/santinela/releases/$version.1
  mkdir -p $release/bin $release/systemd
  cp /usr/bin/sleep $release/bin/program
  echo "unit of $version" >$release/systemd/santinela.service
done
ln -s releases/2.0.1 /usr/lib/santinela/current
cp /usr/lib/santinela/releases/2.0.1/systemd/santinela.service /usr/lib/systemd/system/santinela.service
cp /usr/lib/systemd/system/santinela.service $state/loaded
echo "releases/1.0.1 releases/2.0.1" >/var/lib/santinela-upgrade/probation
echo failed >$state/ActiveState; echo exit-code >$state/Result; echo 0 >$state/NRestarts; echo 0 >$state/MainPID
watch() { echo 0 >/run/stand/count; CUT=$1 PATH=$bin:$PATH setsid --wait sh ${SCRIPT} --watch >/dev/null 2>&1 || true; }
watch $cut
echo "commands: $(cat /run/stand/count)"
if [ $kind = power ]; then
  process=$(cat $state/MainPID); [ $process = 0 ] || kill -9 $process
  $bin/systemctl daemon-reload; $bin/systemctl boot
fi
# Restart=on-abnormal, or the service that the boot has started, while the condition of the unit is met.
[ ! -e /var/lib/santinela-upgrade/probation ] || watch 0
echo "link: $(readlink /usr/lib/santinela/current)"
echo "runs: $(readlink /proc/$(cat $state/MainPID)/exe || echo nothing) with the $(cat $state/used 2>/dev/null)"
echo "returned: $(cat /usr/lib/santinela/returned)"
echo "notes: $(cd /var/lib/santinela-upgrade && ls | grep -v lock | tr '\\n' ' ')"`;

const RETURNED = [
  "link: releases/1.0.1",
  "runs: /usr/lib/santinela/releases/1.0.1/bin/program with the unit of 1.0",
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
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(cut: number, kind: "kill" | "power"): { commands: number; outcome: string[] } {
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const output = execFileSync("unshare", [...namespaces, "sh", driver, String(cut), kind], {
      encoding: "utf8",
    });
    const [commands = "", ...outcome] = output.trim().split("\n");
    return { commands: Number(commands.split(" ")[1]), outcome: outcome.map((line) => line.trim()) };
  }

  test("that is not interrupted starts it, and leaves only the name of the release that failed", () => {
    expect(run(0, "kill").outcome).toEqual(RETURNED);
  });

  test.each([
    ["a kill of the watch", "kill"],
    ["a power cut", "power"],
  ] as const)("is completed after %s before any of its commands", { timeout: LIMIT_MS }, (_what, kind) => {
    const { commands } = run(0, kind);
    expect(commands).toBeGreaterThan(15);
    for (let cut = 1; cut <= commands; cut += 1)
      expect([cut, ...run(cut, kind).outcome]).toEqual([cut, ...RETURNED]);
  });
});
