/* Until when a dispatch centre knows which of its sites have reported. */

/** A stop of a process for seconds, in which it may have missed reports of sites that are silent after a short time. */
export interface ReceptionStall {
  /** It concerns sites with this time and shorter ones, seconds. */
  readonly silentS: number;
  /** When it ended; wall clock of the reports, milliseconds since 1970. */
  readonly atMs: number;
}

/** What one process knows of the reports that it takes; wall clock of the reports, milliseconds since 1970. */
export interface ProcessReportReception {
  /** Since when it takes reports. */
  readonly beganMs: number;
  /** When it last may have missed some: it was stopped, without its database, or refused one; null for never. */
  readonly missedMs: number | null;
  readonly stalls: readonly ReceptionStall[];
  /** All reports that arrived before are stored, or are missed ones. */
  readonly completeMs: number;
}

/** The same for all processes together. */
export interface ReportReception {
  /** Since when at least one process takes reports, and none has missed one. */
  readonly sinceMs: number;
  readonly stalls: readonly ReceptionStall[];
  readonly completeMs: number;
}

/** Since when reports of sites with one time, in seconds, were received without interruption. */
export function receivedSince(
  { sinceMs, stalls }: Pick<ReportReception, "sinceMs" | "stalls">,
  silentS: number,
): number {
  const own = stalls.filter((stall) => stall.silentS >= silentS);
  return Math.max(sinceMs, ...own.map(({ atMs }) => atMs));
}

/** A time without a sign of another process after which it counts as lost, from the interval of those signs. */
const SIGNS_UNTIL_LOST = 4;

/** For how long a process that was stopped still counts as running. */
export function untilLostMs(signMs: number): number {
  return SIGNS_UNTIL_LOST * signMs;
}

/**
 * Joins the states of all processes that share a database. A process without a sign of life may have reports that are not
 * stored yet: no site counts as silent for that time until the process counts as lost, with missed reports until that moment.
 * @param others their last stored states; those of the future (the clock was set back) and of long ago left out
 * @param signMs interval at which each process stores its state
 */
export function combineReceptions(
  own: ProcessReportReception,
  others: readonly ProcessReportReception[],
  { nowMs, signMs }: { readonly nowMs: number; readonly signMs: number },
): ReportReception {
  const lostMs = untilLostMs(signMs);
  const isLost = (one: ProcessReportReception): boolean => isProcessLost(one, { nowMs, signMs });
  const alive = [own, ...others.filter((one) => !isLost(one))];
  const missed = alive.flatMap(({ missedMs }) => missedMs ?? []);
  const lost = others.filter(isLost).map(({ completeMs }) => completeMs + lostMs);
  const began = Math.min(...alive.map(({ beganMs }) => beganMs));
  return {
    sinceMs: Math.max(began, ...missed, ...lost),
    stalls: alive.flatMap(({ stalls }) => stalls),
    completeMs: Math.min(...alive.map(({ completeMs }) => completeMs)),
  };
}

/** Whether a process has given no sign of life for the time after which it counts as lost. */
export function isProcessLost(
  { completeMs }: Pick<ProcessReportReception, "completeMs">,
  { nowMs, signMs }: { readonly nowMs: number; readonly signMs: number },
): boolean {
  return nowMs - completeMs > untilLostMs(signMs);
}

/** For how long the last sign of a lost process is needed. */
export function signKeptMs({ silentMs, signMs }: { silentMs: number; signMs: number }): number {
  return 2 * untilLostMs(signMs) + silentMs;
}
