import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeUnless } from "../support/required-programs.ts";
import { NO_MOUNT } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * `santinela-upgrade --watch` returns to the proven release, and is killed before each command that it runs. The script and its
 * commands are real, in a mount namespace with an own /usr/lib and /var/lib. systemd is not: a stand-in for systemctl keeps the
 * state of a site and of a dispatch centre beside it, and starts the program that a unit names. test/systemd runs the same returns
 * with the real one, uncut.
 */

const SCRIPT = new URL("../../systemd/santinela-upgrade", import.meta.url).pathname;
/** About twenty cuts of each kind, on a busy machine. */
const LIMIT_MS = 600_000;
const COMMANDS = [
  "cat",
  "chmod",
  "cp",
  "flock",
  "grep",
  "ln",
  "mkdir",
  "mv",
  "readlink",
  "rm",
  "sed",
  "sync",
];

const UNITS = ["santinela.service", "santinela-centre.service"] as const;
type Unit = (typeof UNITS)[number];

/**
 * Keeps the state of each service in files: NRestarts, ActiveState, Result, MainPID, and the unit that was loaded last. In release
 * 2.0 the service that the file `failing` names does not start, and in release 1.0 no centre whose database it rejects.
 */
const SYSTEMCTL = `
for unit; do :; done
start() {
  own=$state/$1
  /usr/bin/cp $own/loaded $own/used
  program=$(/usr/bin/readlink -f $(/usr/bin/sed -n s/^ExecStart=//p $own/used))
  release=\${program#/usr/lib/santinela/releases/}
  failing=$(/usr/bin/cat $state/failing)
  if [ $release/$1 = 2.0.1/bin/program/$failing ] || [ $release/$1/$(/usr/bin/cat $state/verdict) = 1.0.1/bin/program/${UNITS[1]}/1 ]; then
    echo failed >$own/ActiveState; echo exit-code >$own/Result; echo 0 >$own/MainPID
    return
  fi
  setsid $program 1000 >/dev/null 2>&1 &
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

/** What the installation of the former package does. */
const DPKG = `
ln -sfn releases/1.0.1 /usr/lib/santinela/current
cp /usr/lib/santinela/releases/1.0.1/systemd/*.service /usr/lib/systemd/system/
systemctl daemon-reload
for unit in ${UNITS.join(" ")}; do systemctl restart $unit; done`;

/**
 * $1: the command before which everything is killed, 0 for none. $2: what follows, kill or power. $3: the failing service. $4: the
 * code with which the former release checks whether the centre can start. $5: what runs, `--watch`, or `--settle` first. $6: `full` for
 * file systems without room for a byte.
 */
const DRIVER = `
set -eu
bin=$0.bin; cut=$1; kind=$2; failing=$3; verdict=$4; first=$5; room=$6; state=/run/stand/state; units="${UNITS.join(" ")}"
mount -t tmpfs -o size=8M tmpfs /mnt; mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/usr/lib,upperdir=/mnt/upper,workdir=/mnt/work /usr/lib
mount -t tmpfs -o size=1M tmpfs /var/lib; mount -t tmpfs tmpfs /run
mkdir -p $state /var/lib/santinela-upgrade /usr/lib/systemd/system
for version in 1.0 2.0; do
  release=/usr/lib/santinela/releases/$version.1
  mkdir -p $release/bin $release/systemd
  cp /usr/bin/sleep $release/bin/program
  for unit in $units; do printf '# unit of %s\\nExecStart=/usr/lib/santinela/current/bin/program\\n' $version >$release/systemd/$unit; done
done
ln -s releases/2.0.1 /usr/lib/santinela/current
cp /usr/lib/santinela/releases/2.0.1/systemd/*.service /usr/lib/systemd/system/
echo "releases/1.0.1 releases/2.0.1" >/var/lib/santinela-upgrade/probation
[ $first = --watch ] || echo "1.0 2.0 active proven active" >/var/lib/santinela-upgrade/undecided
echo $failing >$state/failing
echo $verdict >$state/verdict
for unit in $units; do mkdir $state/$unit; echo 0 >$state/$unit/MainPID; echo 0 >$state/$unit/NRestarts; done
$bin/systemctl daemon-reload
$bin/systemctl boot
upgrade() { echo 0 >/run/stand/count; CUT=$1 PROBATION_S=1 PATH=$bin:$PATH setsid --wait sh ${SCRIPT} $2 >/dev/null 2>&1 || true; }
[ $room != full ] || for place in /mnt /var/lib; do /usr/bin/cat /dev/zero >$place/fill 2>/dev/null || true; done
upgrade $cut $first
echo "commands: $(cat /run/stand/count)"
if [ $kind = power ]; then
  for unit in $units; do process=$(cat $state/$unit/MainPID); [ $process = 0 ] || kill -9 $process; done
  $bin/systemctl daemon-reload; $bin/systemctl boot
fi
# Each unit that the boot starts, or Restart=on-abnormal, while its condition is met.
[ ! -e /var/lib/santinela-upgrade/undecided ] || upgrade 0 --settle
[ ! -e /var/lib/santinela-upgrade/probation ] || upgrade 0 --watch
echo "link: $(readlink /usr/lib/santinela/current)"
for unit in $units; do
  echo "$unit: $(readlink /proc/$(cat $state/$unit/MainPID)/exe || echo nothing) with the $(sed -n 's/^# //p' $state/$unit/used)"
done
echo "returned: $(cat /usr/lib/santinela/returned)"
echo "notes: $(cd /var/lib/santinela-upgrade && ls | grep -v lock | tr '\\n' ' ')"`;

const runs = (unit: Unit, release: string): string =>
  `${unit}: /usr/lib/santinela/releases/${release}.1/bin/program with the unit of ${release}`;
/** After a return, with the centre in this release. */
const returned = (centre: string): string[] => [
  "link: releases/1.0.1",
  runs(UNITS[0], "1.0"),
  runs(UNITS[1], centre),
  "returned: 2.0",
  "notes:",
];

describeUnless(NO_MOUNT, "a return to the proven release", () => {
  const folder = temporaryFolder(afterAll);
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
    // What it runs as the user of the services: the check of the former release.
    put("setpriv", "exit $(/usr/bin/cat $state/verdict)");
    put("dpkg-query", 'echo "2.0 installed"');
    put("dpkg", DPKG);
  });

  interface Case {
    readonly failing: Unit;
    /** Whether the former release rejects the database of the centre. */
    readonly isRejected?: boolean;
    readonly first?: "--watch" | "--settle";
    readonly isFull?: boolean;
  }
  function run(
    cut: number,
    kind: "kill" | "power",
    { failing, isRejected = false, first = "--watch", isFull = false }: Case,
  ): { commands: number; outcome: string[] } {
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const given = [String(cut), kind, failing, isRejected ? "1" : "0", first, isFull ? "full" : "room"];
    const output = execFileSync("unshare", [...namespaces, "sh", driver, ...given], { encoding: "utf8" });
    const [commands = "", ...outcome] = output.trim().split("\n");
    return { commands: Number(commands.split(" ")[1]), outcome: outcome.map((line) => line.trim()) };
  }
  function completesEveryCut(kind: "kill" | "power", one: Case, outcome: readonly string[]): void {
    const { commands } = run(0, kind, one);
    expect(commands).toBeGreaterThan(15);
    for (let cut = 1; cut <= commands; cut += 1)
      expect([cut, ...run(cut, kind, one).outcome]).toEqual([cut, ...outcome]);
  }
  const CUTS = [
    ["a kill of the script", "kill"],
    ["a power cut", "power"],
  ] as const;

  describe.each(UNITS)("because %s fails", (failing) => {
    test("that is not interrupted starts it for both services, and leaves only the name of the release that failed", () => {
      expect(run(0, "kill", { failing }).outcome).toEqual(returned("1.0"));
    });

    test("needs no room on the disk, except for the name of the release that failed", () => {
      const [link, site, centre, , notes] = returned("1.0");
      expect(run(0, "kill", { failing, isFull: true }).outcome).toEqual([
        link,
        site,
        centre,
        "returned:",
        notes,
      ]);
    });

    test.each(CUTS)(
      "is completed after %s before any of its commands",
      { timeout: LIMIT_MS },
      (_what, kind) => {
        completesEveryCut(kind, { failing }, returned("1.0"));
      },
    );
  });

  describe("because the site fails, beside a centre whose database the proven release rejects", () => {
    const one = { failing: UNITS[0], isRejected: true };
    test("lets the centre run on, which starts with its own release at the next boot too", () => {
      expect(run(0, "kill", one).outcome).toEqual(returned("2.0"));
      expect(run(0, "power", one).outcome).toEqual(returned("2.0"));
    });

    test("leaves the release that fails on a full disk too, although the next start of the centre then fails", () => {
      expect(run(0, "kill", { ...one, isFull: true }).outcome.slice(0, 2)).toEqual(
        returned("2.0").slice(0, 2),
      );
    });

    test("is completed after a power cut before any of its commands", { timeout: LIMIT_MS }, () => {
      completesEveryCut("power", one, returned("2.0"));
    });

    test("is done by santinela-upgrade too, which does not install the former package", () => {
      expect(run(0, "power", { ...one, first: "--settle" }).outcome).toEqual(returned("2.0"));
    });
  });

  test("by santinela-upgrade installs the former package if the centre can start with it", () => {
    const { outcome } = run(0, "power", { failing: UNITS[0], first: "--settle" });
    expect(outcome.slice(0, 3)).toEqual(returned("1.0").slice(0, 3));
  });
});
