import { ALARM_RETRY_MS } from "../domain/backoff.ts";
import { fieldsOf } from "../domain/intervention.ts";
import { linesOf } from "../domain/kept-lines.ts";
import {
  hasUnsentTrip,
  URGENT_PRIORITY_ORDER,
  type OutboxAttempt,
  type OutboxEntry,
} from "../domain/outbox.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import type { SyncContext } from "./context.ts";
import type { WriteOutcome } from "./reply-classification.ts";

/*
 * A centre may refuse an alarm because its notes are too long for it, as after an outage in which many zones have tripped. Once it
 * has refused it for as long as an alarm is repeated, the alarm is sent with the first line of its notes. The others follow as an
 * update; if that is refused too, they get a record of their own.
 */

/** As long as a rejected alarm is repeated. */
export const REPEATED_FOR_MS = ALARM_RETRY_MS.reduce((sum, ms) => sum + ms, 0);

/** The number of refusals with which a short attempt is due. */
const REFUSALS_OF_SHORT = ALARM_RETRY_MS.length + 1;
const SHORT = ".short";

/** The answer to a POST, after it was judged by earlier attempts. */
interface Judgement {
  readonly outcome: WriteOutcome;
  readonly changes: Partial<OutboxEntry>;
}

/**
 * Has an alarm sent with short notes instead of giving it up.
 * @param answered the answer to its POST
 * @returns the judgement, unless a short attempt follows
 */
export function shortenRefused(
  { clock, store }: Pick<SyncContext, "clock" | "store">,
  entry: OutboxEntry,
  answered: WriteOutcome,
  judged: Judgement,
): Judgement {
  const { priorityOrder, attempt, joinedAtMs, lastCode } = entry;
  if (answered.event !== "refused" || priorityOrder !== URGENT_PRIORITY_ORDER || !attempt) return judged;
  const { notes } = store.record(entry.interventionId).record;
  if (isShort(attempt) || linesOf(notes ?? "").length < 2) return judged;
  // Each further trip begins the repetitions again.
  const isLate = joinedAtMs !== null && Math.abs(clock.wallMs() - joinedAtMs) >= REPEATED_FOR_MS;
  const isRepeated = hasUnsentTrip(entry) && lastCode === answered.code && isLate;
  if (judged.outcome.event !== "refused" && !isRepeated) return judged;
  return {
    outcome: { ...answered, event: "not-applied" },
    changes: { refusals: REFUSALS_OF_SHORT, attempts: 0, nextAtMs: 0 },
  };
}

/** A new attempt to create a record: with short notes if the whole ones were refused for long. */
export function attemptOf(
  { store }: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  stored: StoredIntervention,
): OutboxAttempt {
  const attempt = store.newAttempt(entry, stored);
  if (entry.refusals !== REFUSALS_OF_SHORT || isShort(attempt)) return attempt;
  const { record, uid, rev } = stored;
  const [first = ""] = linesOf(record.notes ?? "");
  const body = JSON.stringify(store.outgoing({ ...fieldsOf(record), notes: first }, uid));
  return { ...attempt, key: `${uid}.${rev}${SHORT}`, body };
}

/** What is still to be sent of a record that was created with short notes: lines that must not get lost. */
export function lacksLines(
  { attempt, joinedRev, joinedAtMs }: OutboxEntry,
  nowMs: number,
): Partial<OutboxEntry> {
  if (!attempt || !isShort(attempt)) return {};
  const { rev } = attempt;
  return { syncedRev: rev - 1, joinedRev: Math.max(joinedRev, rev), joinedAtMs: joinedAtMs ?? nowMs };
}

function isShort({ key }: OutboxAttempt): boolean {
  return key.endsWith(SHORT);
}
