import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/generated/version.ts";
import type { Outcome } from "./container.ts";

/** Version of the second release. */
export const NEXT = "99.0.0";

/** How the files of a release lie below /usr/lib/santinela. */
export type Layout = "first" | "releases";

/** Changes the unpacked package to what 0.1.0 was: no link, no folder for each release, and scripts that know of neither. */
export const FIRST_LAYOUT = `
  cp -r tree this; mv this/usr/lib/santinela/package/* this/usr/lib/santinela/; rm -r this/usr/lib/santinela/package this/usr/lib/santinela/systemd
  rm -f this/DEBIAN/preinst this/DEBIAN/prerm this/DEBIAN/postrm this/usr/lib/systemd/system/santinela-probation.service this/usr/lib/systemd/system/santinela-restart.service
  sed -i 's#/usr/lib/santinela/current#/usr/lib/santinela#g' this/usr/lib/systemd/system/santinela*.service this/usr/bin/santinela
  { printf '#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\nhome=/usr/lib/santinela\n'; sed -n '/^systemd-sysusers/,$p' this/DEBIAN/postinst | sed 's#home/current#home#'; } >postinst
  mv postinst this/DEBIAN/postinst; chmod 755 this/DEBIAN/postinst`;

const PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * A Debian in which two releases are installed over each other without systemd, in memory and in an own network: one state
 * of its disk for each cut. Each command runs in a PID namespace of its own, which ends with it. Needs root.
 */
export class CutRoot {
  readonly #folder: string;
  readonly #root: string;
  #lower: string;

  private constructor(root: string) {
    this.#root = root;
    this.#folder = mkdtempSync("/dev/shm/santinela-cuts-");
    this.#lower = root;
    mkdirSync(join(this.#folder, "srv"));
  }

  /**
   * Packs both releases and a library that cuts. Their Node.js is in one file beside them, and a script starts it: copying
   * 108 MB twice would be half of the time of a cut. The program of each is also in /srv, under its version.
   * @param root a root file system, which is not changed
   * @param layout of the first of the two: `first` is that of 0.1.0, whose units start the program in its only folder
   */
  static create(root: string, layout: Layout): CutRoot {
    const cut = new CutRoot(root);
    const srv = join(cut.#folder, "srv");
    const compiled = ["-shared", "-fPIC", "-O2", "-o", join(srv, "cut.so"), "test/systemd/cut.c", "-ldl"];
    execFileSync("cc", compiled, { stdio: "inherit" });
    writeFileSync(join(srv, "count"), Buffer.alloc(8));
    writeFileSync(join(srv, "log"), "");
    const packages = process.env["TEST_PACKAGES"] ?? "";
    const file = readdirSync(packages).find((name) => name.endsWith(".deb")) ?? "";
    cpSync(join(packages, file), join(srv, "packed.deb"));
    const program = "tree/usr/lib/santinela/package/dist";
    // Files of other names as well: a release is not only the former one with other contents.
    const script = `sums() { (cd $1 && find usr -type f -print0 | xargs -0 md5sum >DEBIAN/md5sums); }
      cd ${srv} && dpkg-deb -R packed.deb tree
      node=tree/usr/lib/santinela/package/node/bin/node; mv $node node
      printf '#!/bin/sh\nexec /srv/node "$@"\n' >$node; chmod 755 $node
      cp -r tree/usr/lib/santinela/package ${VERSION}
      ${layout === "first" ? FIRST_LAYOUT : "cp -r tree this"}
      sums this; dpkg-deb -Znone -b this this.deb; rm -r this
      grep -rlF 'VERSION = "${VERSION}"' ${program} | xargs sed -i 's/VERSION = "${VERSION}"/VERSION = "${NEXT}"/'
      for file in ${program}/program/listen-*.js; do
        [ -e "$file" ] || continue
        name=$(basename $file); mv $file ${program}/program/other-$name; grep -rlF "$name" ${program} | xargs sed -i "s/$name/other-$name/"
      done
      for unit in tree/usr/lib/systemd/system/*.service tree/usr/lib/santinela/package/systemd/*.service; do echo '# next' >>$unit; done
      sed -i 's/^Version: .*/Version: ${NEXT}/' tree/DEBIAN/control
      sums tree; dpkg-deb -Znone -b tree next.deb; mv tree/usr/lib/santinela/package ${NEXT}; rm -r tree packed.deb`;
    execFileSync("sh", ["-ec", script], { stdio: ["ignore", "ignore", "inherit"] });
    return cut;
  }

  /** Runs a shell script on a state of the disk, which it changes. A state is made at its first use. */
  run(state: string, script: string): Promise<Outcome> {
    const own = join(this.#folder, state);
    for (const folder of ["upper", "work", "root"]) mkdirSync(join(own, folder), { recursive: true });
    const root = join(own, "root");
    const mounted = `
      mount -t overlay overlay -o lowerdir=${this.#lower},upperdir=${own}/upper,workdir=${own}/work ${root}
      mount -t proc proc ${root}/proc
      mount --rbind /dev ${root}/dev
      mount --bind ${join(this.#folder, "srv")} ${root}/srv
      ip link set lo up
      exec chroot ${root} env -i PATH=${PATH} LC_ALL=C.UTF-8 sh -c "$SCRIPT"`;
    const words = ["--mount", "--pid", "--fork", "--kill-child", "--net", "sh", "-ec", mounted];
    return new Promise((resolve) => {
      execFile(
        "unshare",
        words,
        { env: { PATH, SCRIPT: script }, timeout: 300_000, maxBuffer: 16 * 1_048_576 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
          resolve({ code, stdout, stderr });
        },
      );
    });
  }

  /** Runs a script that must succeed. @returns its output without the last line break */
  async ok(state: string, script: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(state, script);
    if (code !== 0) throw new Error(`on ${state}: ended with ${code}\n${stdout}${stderr}\n${script}`);
    return stdout.trimEnd();
  }

  /** Makes a state the one from which all others begin. */
  begin(state: string): void {
    this.#lower = `${join(this.#folder, state, "upper")}:${this.#root}`;
  }

  /** Installs the second release on a state. @param cutAt the change before which all ends; 0 for none */
  install(state: string, cutAt: number): Promise<Outcome> {
    return this.#cut(state, cutAt, "dpkg -i /srv/next.deb");
  }

  /** Removes the package from a state. @param cutAt as of `install` */
  uninstall(state: string, cutAt: number): Promise<Outcome> {
    return this.#cut(state, cutAt, "dpkg -r santinela");
  }

  #cut(state: string, cutAt: number, command: string): Promise<Outcome> {
    writeFileSync(join(this.#folder, "srv/count"), Buffer.alloc(8));
    return this.run(
      state,
      `LD_PRELOAD=/srv/cut.so CUT_COUNT=/srv/count CUT_AT=${cutAt} ${cutAt === 0 ? "CUT_LOG=/srv/log" : ""} ${command}; exit $?`,
    );
  }

  /** The changes of names of a command without a cut, in order: program, call and path of each. */
  get changes(): readonly string[] {
    const lines = readFileSync(join(this.#folder, "srv/log"), "utf8").trimEnd().split("\n");
    return lines.map((line) => line.replace(/^\d+ /, ""));
  }

  forget(state: string): void {
    rmSync(join(this.#folder, state), { recursive: true });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
