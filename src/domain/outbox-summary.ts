/** Counts of outbox entries for status displays. */
export interface OutboxSummary {
  /** Records whose latest revision is not at the centre and is sent automatically. */
  readonly waiting: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly gone: number;
  /** Records that were not found in the last check, which is not certain yet. */
  readonly doubtful: number;
  /** Rejected records of high priority. */
  readonly rejectedAlarms: number;
  /** Wall clock of the oldest waiting record's last change, milliseconds since 1970; null when none waits. */
  readonly oldestWaitingMs: number | null;
}
