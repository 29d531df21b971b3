import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeUnless } from "./required-programs.ts";

/** A wall clock of one process that a test sets at run time; the monotonic clock is not changed. */
export class FakeClock {
  readonly #file: string;
  readonly #library: string;

  /** @param folder directory of the offset file */
  constructor(folder: string) {
    const library = findLibrary();
    if (library === undefined) throw new Error(MISSING);
    this.#library = library;
    this.#file = join(folder, "clock-offset");
    this.set("+0s");
  }

  /** @param offset from the machine's own time, such as `-1h`, `+30d`, `-56y` */
  set(offset: string): void {
    // Atomically: the process reads the file at every clock call.
    writeFileSync(`${this.#file}.new`, `${offset}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** Environment for the process. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }
}

/** Tests that set the clock of a process; skipped like `describeUnless`. */
export function describeWithFakeClock(name: string, tests: () => void): void {
  describeUnless(findLibrary() === undefined ? MISSING : undefined, name, tests);
}

const MISSING = "libfaketime is not installed; on Debian: sudo apt-get install faketime";

/** Debian installs it in the directory of the architecture. */
function findLibrary(): string | undefined {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib") : [];
  return folders
    .map((folder) => join("/usr/lib", folder, "faketime", "libfaketime.so.1"))
    .find((path) => existsSync(path));
}
