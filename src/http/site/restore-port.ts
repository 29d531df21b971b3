import type { Actor } from "../../domain/event.ts";

/** Restore of an uploaded backup. */
export interface RestorePort {
  /**
   * Adds a piece of an upload; offset 0 starts a new upload.
   * @throws AppError `conflict` for a piece that does not follow the last one or for missing disk space, `too-large`
   */
  add(from: number, piece: Uint8Array): UploadView;
  /**
   * Returns what the restore would change.
   * @throws AppError `conflict` if the upload is incomplete or no longer exists, `bad-data` if it is not a valid backup
   */
  plan(copy: number): Promise<RestoreView>;
  /** Restores the backup: the daemon stops, replaces the database and starts again. @throws as `plan` */
  restore(copy: number, by: Actor): Promise<RestoreView>;
}

export interface UploadView {
  /** Number of the upload. */
  readonly copy: number;
  /** Bytes received so far. */
  readonly bytes: number;
}

export interface RestoreView {
  readonly recordsInBackup: number;
  /** Records only in the current database, which is kept. */
  readonly onlyInCurrent: readonly number[];
  readonly onlyInBackup: readonly number[];
}
