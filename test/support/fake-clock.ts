import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeUnless } from "./installed.ts";

/** A wall clock of one process that a test sets while it runs; its monotonic clock goes on as it is. */
export class FakeClock {
  readonly #file: string;
  readonly #library: string;

  /** @param folder where the offset is written down */
  constructor(folder: string) {
    const library = findLibrary();
    if (library === undefined) throw new Error(MISSING);
    this.#library = library;
    this.#file = join(folder, "clock-offset");
    this.set("+0s");
  }

  /** @param offset from the machine's own time, such as `-1h`, `+30d`, `-56y` */
  set(offset: string): void {
    // In one step: the process reads it at every look at its clock.
    writeFileSync(`${this.#file}.new`, `${offset}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** What the process must be started with. */
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

/** Tests that set a process's clock: as `describeUnless` has it. */
export function describeWithFakeClock(name: string, tests: () => void): void {
  describeUnless(findLibrary() === undefined ? MISSING : undefined, name, tests);
}

const MISSING = "libfaketime is not installed; on Debian: sudo apt-get install faketime";

/** Debian keeps it in the folder of the machine's architecture. */
function findLibrary(): string | undefined {
  const folders = existsSync("/usr/lib") ? readdirSync("/usr/lib") : [];
  return folders
    .map((folder) => join("/usr/lib", folder, "faketime", "libfaketime.so.1"))
    .find((path) => existsSync(path));
}
