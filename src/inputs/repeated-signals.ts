import { isLifeSafety } from "../domain/incident.ts";
import { isOrWillBeRecorded } from "../domain/trip.ts";
import type { ZoneSignal } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";
import type { Repetition } from "./message-deduplication.ts";
import type { ZoneEngine } from "./zone-engine.ts";

interface Recorded {
  readonly monitor: Pick<ZoneEngine, "zones">;
  readonly journal: Pick<Journal, "restores">;
  readonly bootId: string;
}

/** After a restart of the daemon, the time of a first reading is only known by the wall clock. */
const INACCURACY_MS = 1_000;

/**
 * What is to be read of a message that was perhaps read before. Without DUP only an opening is ignored, because it can belong
 * to an incident that is already open. A closing or a return that is lost would hide the next opening, or end no failure.
 * @param signals of the message for the zone
 * @param repetition undefined for a new message
 */
export function unreadSignals(
  recorded: Recorded,
  zoneId: string,
  signals: readonly ZoneSignal[],
  repetition: Repetition | undefined,
): readonly ZoneSignal[] {
  if (repetition === undefined) return signals;
  if (repetition.kind === "flagged") return [];
  const isRecorded = isOpeningRecorded(recorded, zoneId, repetition.firstAtMs);
  return isRecorded ? signals.filter((signal) => !isOpening(signal)) : signals;
}

/**
 * Whether one more opening of the zone would only repeat what a record has. Not if the last one was suppressed, or is older than
 * the first reading of the message, which then was no trip, such as one that closed before it was confirmed; never for a life
 * safety zone, whose trips are counted in the record.
 * @param firstAtMs of the message, monotonic
 */
function isOpeningRecorded(
  { monitor, journal, bootId }: Recorded,
  zoneId: string,
  firstAtMs: number,
): boolean {
  const watched = monitor.zones().find(({ zone }) => zone.id === zoneId);
  if (watched && isLifeSafety(watched.zone.kind)) return false;
  const opening = journal.restores.openingBefore(zoneId);
  if (opening?.moment.bootId !== bootId || !isOrWillBeRecorded(opening)) return false;
  return opening.moment.monotonicMs >= firstAtMs - INACCURACY_MS;
}

function isOpening(signal: ZoneSignal): boolean {
  return signal.kind === "contact" && signal.contact === "open";
}

/** Whether a signal is that of a closed contact. */
export function isClosing(signal: ZoneSignal): boolean {
  return signal.kind === "contact" && signal.contact === "normal";
}
