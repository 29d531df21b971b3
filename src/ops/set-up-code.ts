import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../domain/log.ts";
import { writePrivate } from "../store/durable-files.ts";
import { oneTimePassword } from "./secrets.ts";

/** Boot partition of a Raspberry Pi, which a PC can read: its users may have no screen and no terminal. */
const BOOT_PARTITION = "/boot/firmware";

/** Name in the data directory. The unit of the package that announces the code looks for it there. */
const FILE = "set-up-code";

/**
 * The one-time set-up code. On a machine with a boot partition it is kept until it is used, so that a power cut before the
 * set-up does not make the device unreachable; on all others only the first start shows it.
 */
export class SetUpCode {
  readonly #path: string;
  readonly #isKept: boolean;

  /** @param bootPartition its presence decides whether the code is kept */
  constructor(dataDir: string, bootPartition: string = BOOT_PARTITION) {
    this.#path = join(dataDir, FILE);
    this.#isKept = existsSync(bootPartition);
  }

  /** The kept code; undefined if there is none. @throws Error of the file system, except for a missing file */
  read(): string | undefined {
    try {
      const code = readFileSync(this.#path, "utf8").trim();
      return code === "" ? undefined : code;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /**
   * Returns the code for a new initial administrator. Kept before the account exists: a start that is cut off in between uses the
   * same code again. If it cannot be kept, the journal still has it.
   */
  create(log: Pick<Log, "warn">): string {
    const code = oneTimePassword();
    if (!this.#isKept) return code;
    try {
      const kept = this.read();
      if (kept !== undefined) return kept;
      writePrivate(this.#path, `${code}\n`);
    } catch (error) {
      log.warn("set-up-code-write-failed", { error });
    }
    return code;
  }

  /** Removes the code once it is invalid. A file that cannot be removed has no more value, and must not stop a request. */
  forget(log: Pick<Log, "warn">): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      log.warn("set-up-code-removal-failed", { error });
    }
  }
}
