import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { freeBytes } from "./reserve-file.ts";
import type { BackupTasks } from "./backup-tasks.ts";
import type { RestorePlan } from "./restore.ts";

/**
 * A site with ten thousand records and a full event log has some fifty megabytes. While a copy is put in place the
 * daemon does not run, so that must not last.
 */
const BYTES_MAX = 256 * 1024 * 1024;
/** What must be left for alarms while the copy lies there, and again beside the database that it becomes. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024;
/** A copy that nobody has put back by then is forgotten. */
const UPLOAD_LIFETIME_MS = 30 * 60_000;

/** A copy of the database that is handed in piece by piece, to be put back. There is one at a time. */
export class UploadedBackup {
  readonly path: string;
  readonly #dataDir: string;
  readonly #clock: Clock;
  readonly #work: BackupTasks;
  /** The look under way, at the copy as it was then. */
  #look: { readonly copy: number; readonly bytes: number; readonly plan: Promise<RestorePlan> } | undefined;
  #number = 0;
  #bytes = 0;
  #cancelForgetting: CancelTimer = () => {};

  constructor({ dataDir, clock, work }: { dataDir: string; clock: Clock; work: BackupTasks }) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#work = work;
    this.path = join(dataDir, "backups", "handed-in.db");
  }

  /**
   * Adds a piece; the one from 0 begins a new copy.
   * @param from how many bytes were handed in before it
   * @returns the copy's number, and its bytes so far
   * @throws AppError `conflict` for a piece that does not follow the last one, `too-large`, `cannot-create`
   */
  add(from: number, piece: Uint8Array): { copy: number; bytes: number } {
    if (from === 0) this.#begin();
    else if (from !== this.#bytes)
      throw new AppError(
        "conflict",
        `${this.#bytes} bytes are here, so the next piece cannot be from ${from}`,
        {
          hint: "Begin again.",
        },
      );
    const bytes = from + piece.byteLength;
    if (bytes > BYTES_MAX) throw new AppError("too-large", `a copy has at most ${BYTES_MAX} bytes`);
    if (freeBytes(this.#dataDir) < LEFT_FREE_BYTES + bytes)
      throw new AppError("conflict", "the disk of the data folder has too little room for this copy");
    appendFileSync(this.path, piece);
    this.#bytes = bytes;
    this.#cancelForgetting();
    this.#cancelForgetting = this.#clock.after(UPLOAD_LIFETIME_MS, () => this.forget());
    return { copy: this.#number, bytes };
  }

  /**
   * What putting it back would change. One look at a time: who asks during one about the same copy gets its answer.
   * @throws AppError `conflict` when it is not the copy that is here, or no longer is at the end of the look; `bad-data`
   *   when it is no good one
   */
  async plan(copy: number): Promise<RestorePlan> {
    this.#assertHere(copy);
    const bytes = this.#bytes;
    if (this.#look && (this.#look.copy !== copy || this.#look.bytes !== bytes))
      throw new AppError(
        "conflict",
        "the copy before this one is still being looked at; try again in a moment",
      );
    this.#look ??= {
      copy,
      bytes,
      plan: this.#work.planRestore(this.#dataDir, this.path).finally(() => (this.#look = undefined)),
    };
    const plan = await this.#look.plan;
    this.#assertHere(copy);
    if (this.#bytes !== bytes)
      throw new AppError("conflict", "a piece was added to the copy while it was looked at; ask again");
    return plan;
  }

  /** Keeps it until it is put back, however long the daemon takes to end. */
  retain(): void {
    this.#cancelForgetting();
  }

  /** Removes it. */
  forget(): void {
    this.#cancelForgetting();
    rmSync(this.path, { force: true });
    this.#bytes = 0;
  }

  #assertHere(copy: number): void {
    const isHere = statSync(this.path, { throwIfNoEntry: false }) !== undefined;
    if (copy !== this.#number || !isHere)
      throw new AppError("conflict", "this copy is not here any more; hand it in again");
  }

  #begin(): void {
    this.forget();
    this.#number += 1;
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o750 });
    writeFileSync(this.path, "", { mode: 0o600 });
  }
}
