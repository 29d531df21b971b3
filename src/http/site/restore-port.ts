import type { Actor } from "../../domain/event.ts";

/** Putting a copy of the database back that somebody hands in. */
export interface RestorePort {
  /**
   * Takes a piece of a copy; the one from 0 begins a new copy.
   * @throws AppError `conflict` for a piece that does not follow the last one or has no room, `too-large`
   */
  add(from: number, piece: Uint8Array): UploadView;
  /**
   * What putting it back would change.
   * @throws AppError `conflict` when it is not here any more or still being handed in, `bad-data` when it is no good copy
   */
  plan(copy: number): Promise<RestoreView>;
  /** The same, and does it: the daemon ends its run, puts the copy in place and runs again. @throws as `plan` */
  restore(copy: number, by: Actor): Promise<RestoreView>;
}

export interface UploadView {
  /** Which of the copies handed in it is. */
  readonly copy: number;
  /** How much of it is here. */
  readonly bytes: number;
}

export interface RestoreView {
  readonly recordsInBackup: number;
  /** Records that only the present database has; it is kept. */
  readonly onlyInCurrent: readonly number[];
  readonly onlyInBackup: readonly number[];
}
