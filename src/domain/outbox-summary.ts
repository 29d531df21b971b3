/** What the outbox holds, in numbers that people ask for. */
export interface OutboxSummary {
  /** Records that the centre does not have in their newest form and that will go there by themselves. */
  readonly waiting: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly gone: number;
  /** Records that the centre has not shown when last asked, and of which that is not believed yet. */
  readonly doubtful: number;
  /** Of the refused ones those of high priority. */
  readonly rejectedAlarms: number;
  /** Wall clock of the oldest waiting record's last change, milliseconds since 1970; null when none waits. */
  readonly oldestWaitingMs: number | null;
}
