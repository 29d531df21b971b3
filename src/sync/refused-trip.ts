import { ALARM_RETRY_MS } from "../domain/backoff.ts";
import { fieldsOf } from "../domain/intervention.ts";
import { addedLines } from "../domain/kept-lines.ts";
import { hasUnsentTrip, priorityOrderOf, type OutboxEntry } from "../domain/outbox.ts";
import type { SyncContext } from "./context.ts";
import { continueRecord } from "./continuation.ts";
import type { PutStep } from "./linked-step.ts";
import { PullChanges } from "./pull-changes.ts";
import type { WriteOutcome } from "./reply-classification.ts";

/** Answers that say nothing about the content of an update, as those to a read. */
const OTHER_REFUSALS: ReadonlySet<string> = new Set(["401", "404", "408", "410", "412", "425", "429"]);
/** As long as a rejected alarm is repeated. */
const REPEATED_FOR_MS = ALARM_RETRY_MS.reduce((sum, ms) => sum + ms, 0);

/**
 * Gives a joined trip a record of its own if the centre refuses the update with it: at once if its record is finished there, as a
 * centre changes no finished records; otherwise after the attempts of an alarm. The first record is then as the centre has it.
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
  const { store } = context;
  const { local, shown, body, earlier } = step;
  const { record, uid } = local;
  const there = store.unmarked(shown, uid);
  const theirs = there["notes"];
  const lines = addedLines(typeof theirs === "string" ? theirs : null, record.notes).join("\n");
  // A trip that has only raised the services adds no line.
  continueRecord(context, local, lines === "" ? (record.notes ?? record.name) : lines, true);
  const fields = Object.fromEntries(
    Object.keys(body).flatMap((field) => (there[field] === undefined ? [] : [[field, there[field]]])),
  );
  const { record: now, dropped } = new PullChanges(context).work(local, fields, there);
  const { code, reason } = outcome.answered;
  store.apply(entry, "not-applied", {
    wantRev: now.rev,
    syncedRev: now.rev,
    priorityOrder: priorityOrderOf(now.record.priority),
    base: JSON.stringify(shown),
    agreed: JSON.stringify(fieldsOf(now.record)),
    unpulled: [...new Set([...entry.unpulled, ...dropped])],
    refusals: 0,
    attempts: 0,
    nextAtMs: 0,
    lastCode: code,
    lastError: null,
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
  if (shown["status"] === "done" || judged.event === "refused") return true;
  const isLate = joinedAtMs !== null && Math.abs(clock.wallMs() - joinedAtMs) >= REPEATED_FOR_MS;
  return isLate && lastCode === code;
}
