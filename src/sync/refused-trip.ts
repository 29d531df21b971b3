import { ALARM_RETRY_MS } from "../domain/backoff.ts";
import { addedLines } from "../domain/kept-lines.ts";
import { hasUnsentTrip, priorityOrderOf, type OutboxEntry } from "../domain/outbox.ts";
import type { SyncContext } from "./context.ts";
import { continueRecord } from "./continuation.ts";
import type { PutStep } from "./linked-step.ts";
import { PullChanges } from "./pull-changes.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import { REPEATED_FOR_MS } from "./short-post.ts";

/** Answers that say nothing about the content of an update, as those to a read. */
const OTHER_REFUSALS: ReadonlySet<string> = new Set(["401", "404", "408", "410", "412", "425", "429"]);

/** What a trip changes in a record besides its notes; the rest of an update is a user's. */
const CHANGED_BY_TRIPS = [
  "notes",
  "status",
  "priority",
  "crews",
  "police",
  "ambulance",
  "firetruck",
] as const;

/**
 * Gives the lines of a joined trip a record of their own if the centre refuses the update with them: at the second time if the
 * record is finished there, because a centre may change no finished records; otherwise after the attempts of an alarm. What a trip
 * changes is then in the first record as the centre has it. The changes of users still wait.
 * @param outcome of the update, before and after it was judged by earlier attempts
 * @returns whether it did; otherwise the update is repeated
 */
export function continueRefused(
  context: SyncContext,
  entry: OutboxEntry,
  step: PutStep,
  outcome: { readonly answered: WriteOutcome; readonly judged: WriteOutcome },
): boolean {
  // What has changed meanwhile is sent first.
  if (!hasUnsentTrip(entry) || entry.wantRev > step.local.rev || !isRefused(context, entry, step, outcome))
    return false;
  const { store, clock } = context;
  const { local, shown, body, earlier } = step;
  const there = store.unmarked(shown, local.uid);
  const theirs = there["notes"];
  const lines = addedLines(typeof theirs === "string" ? theirs : null, local.record.notes);
  if (lines.length === 0) return false;
  continueRecord(context, local, lines.join("\n"), true, entry.joinedAtMs);
  const sent = CHANGED_BY_TRIPS.filter((field) => field in body && there[field] !== undefined);
  const fields = Object.fromEntries(sent.map((field) => [field, there[field]]));
  const { record: now, dropped } = new PullChanges(context).work(local, fields, there);
  const settled = Object.fromEntries(CHANGED_BY_TRIPS.map((field) => [field, now.record[field]]));
  const isSettled = Object.keys(body).every((field) => field in settled || field === store.marker);
  const { code, reason } = outcome.answered;
  store.apply(entry, "not-applied", {
    wantRev: now.rev,
    syncedRev: isSettled ? now.rev : Math.min(entry.syncedRev, now.rev - 1),
    joinedRev: 0,
    priorityOrder: priorityOrderOf(now.record.priority),
    base: JSON.stringify(shown),
    agreed: JSON.stringify({ ...store.agreedOf(entry, local.uid), ...settled }),
    unpulled: [...new Set([...entry.unpulled, ...dropped])],
    refusals: isSettled ? 0 : entry.refusals + 1,
    attempts: isSettled ? 0 : entry.attempts + 1,
    nextAtMs: isSettled ? 0 : clock.wallMs() + (ALARM_RETRY_MS[0] ?? 0),
    lastCode: code,
    lastError: isSettled ? null : reason,
    // It was refused, so that only earlier ones may still arrive.
    ...earlier,
  });
  store.recordConflict(entry.interventionId, "change-rejected", { phase: "linked", code, reason });
  return true;
}

function isRefused(
  { clock }: SyncContext,
  { joinedAtMs, lastCode }: OutboxEntry,
  { shown }: PutStep,
  { answered: { code }, judged }: { readonly answered: WriteOutcome; readonly judged: WriteOutcome },
): boolean {
  if (!/^4\d\d$/.test(code) || OTHER_REFUSALS.has(code)) return false;
  if (judged.event === "refused") return true;
  const isLate = joinedAtMs !== null && Math.abs(clock.wallMs() - joinedAtMs) >= REPEATED_FOR_MS;
  return lastCode === code && (isLate || shown["status"] === "done");
}
