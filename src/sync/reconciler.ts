import { mergeConflictKind } from "../domain/conflict.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry, URGENT_PRIORITY_ORDER } from "../domain/outbox.ts";
import { FINGERPRINT, identityOf, type MatchCandidate } from "../domain/match-candidate.ts";
import { StaleReads } from "./pull-changes.ts";
import type { ReadOutcome, WriteOutcome } from "./reply-classification.ts";
import { report, type SyncContext } from "./context.ts";
import { continueCutLines } from "./continuation.ts";
import { afterUpdate, type Step } from "./linked-step.ts";
import { MergeStep } from "./merge-step.ts";
import { continueRefused } from "./refused-trip.ts";
import { continueStuck } from "./stuck-trip.ts";
import { cutNotesOf, unreadAfterPut } from "./unread-notes.ts";
import { VersionGuard } from "./version-guard.ts";
import { AbsentRecords, UNREADABLE, type Absence } from "./recovery/absent-records.ts";
import { noteRestore } from "./recovery/gone-records.ts";
import { checkUpdateAnswer, unlink } from "./recovery/id-owner.ts";
import { afterFailure, retryRejection, closing, NOTHING_IN_FLIGHT } from "./attempt-outcome.ts";

/** Reconciles a linked record: reads it, merges, and sends the differences. */
export class Reconciler {
  readonly #context: SyncContext;
  readonly #mergeStep: MergeStep;
  readonly #staleReads: StaleReads;
  readonly #absent: AbsentRecords;

  constructor(context: SyncContext) {
    this.#context = context;
    this.#staleReads = new StaleReads(context.clock);
    this.#mergeStep = new MergeStep(context, this.#staleReads);
    this.#absent = new AbsentRecords(context);
  }

  async work(asked: OutboxEntry): Promise<void> {
    const guard = new VersionGuard(this.#context.store.facts.honoursKeys);
    let isOutdated = true;
    while (isOutdated) isOutdated = await this.#reconcile(asked, guard);
  }

  /** @returns whether a dispatcher has changed the record between its read and the update, which was not applied */
  async #reconcile(asked: OutboxEntry, guard: VersionGuard): Promise<boolean> {
    const { interventionId, upstreamId } = asked;
    const { store, linkFaults, failpoint } = this.#context;
    const centre = this.#context.centre.of(asked);
    const seen = await centre.record(upstreamId, this.#absent.referenceOf(asked));
    // A missing record is only judged after the other records have been read.
    const absence = isMissing(seen) ? await this.#absent.lookUpInList(asked, seen) : {};
    const { failure } = absence;
    const step = await store.share(() => this.#decide(asked, failure ?? seen, absence));
    if (failure) await linkFaults.noteList(failure);
    else await linkFaults.note(seen, interventionId);
    if (!step) return false;
    failpoint("sync-writing-committed");
    // A record that was deleted here is deleted there, whatever a dispatcher has written since the read.
    const version = step.kind === "put" ? guard.versionOf(step.tag) : undefined;
    const outcome = await (step.kind === "delete"
      ? centre.remove(upstreamId)
      : centre
          .update(upstreamId, step.body, version)
          .then((answer) => checkUpdateAnswer(answer, upstreamId, [step.shown, step.body])));
    failpoint("sync-answered");
    const isOutdated = guard.isOutdated(outcome, version);
    await store.share(() => {
      const entry = store.entry(interventionId);
      // The other queue may have found that this id now belongs to another record.
      if (entry.phase !== "writing" || entry.upstreamId !== upstreamId) return;
      if (isOutdated && step.kind === "put")
        store.apply(entry, "not-applied", { ...step.earlier, nextAtMs: 0 });
      else this.#recordOutcome(interventionId, outcome, step);
    });
    if (!isOutdated) await report(this.#context, interventionId, outcome);
    return isOutdated;
  }

  /** Decides on the current entry after the read, and stores what will be sent. */
  #decide(
    { interventionId, upstreamId: askedId }: OutboxEntry,
    seen: ReadOutcome,
    absence: Absence,
  ): Step | undefined {
    const { store, clock, timeouts } = this.#context;
    const entry = store.entry(interventionId);
    // The entry was linked to another record during the read.
    if (entry.phase !== "linked" || entry.upstreamId !== askedId) return undefined;
    if (isMissing(seen)) {
      this.#absent.missing(entry, seen, absence);
      // The list contradicts the answer, or cannot be read. A record that was deleted is sent again as a whole.
      const isDoubtful = absence.list !== undefined || absence.failure !== undefined;
      this.#continueStuck(interventionId, isDoubtful, seen);
      return undefined;
    }
    const upstream = seen.value as UpstreamRecord | undefined;
    if (!upstream || upstream["id"] !== askedId) {
      const isAudited = entry.verifyAtMs === VERIFY_IMMEDIATELY;
      const failure = afterFailure(this.#context, entry, seen);
      store.outbox.save({
        ...entry,
        ...(isAudited || entry.wantRev > entry.syncedRev ? failure : {}),
        ...this.#absent.unreadable(entry, seen),
        verifyAtMs: isAudited ? VERIFY_IMMEDIATELY : clock.wallMs() + timeouts.pullIntervalMs,
      });
      this.#continueStuck(interventionId, isSameFailure(entry, seen), seen);
      return undefined;
    }
    const stored = store.record(interventionId);
    const cut = cutNotesOf(this.#context, entry, stored.uid, upstream);
    const base = {
      ...sentTraits(store.agreedOf(entry, stored.uid), upstream),
      ...(JSON.parse(entry.base ?? "{}") as UpstreamRecord),
      ...(cut ? { notes: upstream["notes"] } : {}),
    };
    const known = { marker: store.markerOf(stored.uid), base, watermark: entry.watermark };
    const identity = identityOf(upstream as MatchCandidate, known);
    // For an alarm a duplicate is better than no crew.
    if (identity === "unclear" && entry.priorityOrder !== URGENT_PRIORITY_ORDER) {
      this.#absent.unclear(entry);
      return undefined;
    }
    if (identity !== "ours") {
      this.#context.syncConditions.noteReassignedId(entry);
      unlink(this.#context, entry);
      if (identity === "anothers") noteRestore(this.#context, askedId ?? 0);
      else store.outbox.auditAll();
      return undefined;
    }
    if (!entry.deleted) return this.#mergeStep.decide(entry, stored, { seen: upstream, tag: seen.tag, cut });
    store.apply(entry, "send", { missingSinceMs: null });
    return { kind: "delete" };
  }

  /** After a read without the record: trips that have joined it must not wait for the next good one. */
  #continueStuck(interventionId: number, isRepeated: boolean, seen: ReadOutcome): void {
    const { outbox } = this.#context.store;
    const entry = this.#context.store.entry(interventionId);
    if (entry.phase === "linked")
      outbox.save({ ...entry, ...continueStuck(this.#context, entry, isRepeated, seen) });
  }

  #recordOutcome(interventionId: number, outcome: WriteOutcome, step: Step): void {
    const { store } = this.#context;
    const entry = store.entry(interventionId);
    const { event, code, reason, record } = outcome;
    if (event === "removed") return void store.apply(entry, "removed", closing(this.#context, entry));
    if (event !== "applied" || !record || step.kind === "delete") {
      // The record was just read, so a 404 is more likely about the objective; the next read decides.
      const failure = event === "missing" ? { ...outcome, event: "not-applied" as const } : outcome;
      const sentRev = step.kind === "put" ? step.local.rev : entry.wantRev;
      const retried = retryRejection(this.#context, entry, failure, sentRev);
      const judgement = { answered: outcome, judged: retried.outcome };
      if (step.kind === "put" && continueRefused(this.#context, entry, step, judgement)) return;
      const changes = afterFailure(this.#context, entry, retried.outcome);
      store.apply(entry, retried.outcome.event, { ...changes, ...retried.changes });
      if (retried.outcome.event === "refused")
        store.recordConflict(interventionId, REJECTED[step.kind], { phase: "rejected", code, reason });
      return;
    }
    const hadInFlight = Object.keys(step.earlier.inFlightValues).length > 0;
    // A dispatcher who sets the status to done twice means it.
    const { status: _, ...others } = step.body;
    this.#staleReads.note(entry, step.shown["status"] === "done" ? others : step.body, step.shown);
    const answered = JSON.parse(record.json) as UpstreamRecord;
    continueCutLines(this.#context, entry, step, answered);
    const unread = unreadAfterPut(this.#context, entry, step, answered);
    const { changes, conflicts } = afterUpdate(step, answered, entry, unread);
    if (conflicts.length > 0)
      store.recordConflict(interventionId, mergeConflictKind(conflicts), { fields: conflicts });
    store.apply(entry, "applied", {
      refusals: 0,
      ...changes,
      attempts: 0,
      nextAtMs: 0,
      lastCode: code,
      lastError: null,
      // A confirmed update cannot arrive late, unless an earlier one was unconfirmed.
      ...(hadInFlight ? { verifyAtMs: entry.verifyAtMs ?? entry.inFlightUntilMs } : NOTHING_IN_FLIGHT),
    });
  }
}

/** What was sent of the traits that a read shows: the answer to the POST may have had the id alone. */
function sentTraits(agreed: object, shown: UpstreamRecord): UpstreamRecord {
  const traits = Object.entries(agreed).filter(([field]) => TRAITS.has(field) && shown[field] !== undefined);
  return Object.fromEntries(traits);
}

const TRAITS: ReadonlySet<string> = new Set(FINGERPRINT);

/**
 * Whether the read of a record has failed as the attempt before. A read that got no answer counts if the record may have caused that;
 * a good answer in between has cleared the error.
 */
function isSameFailure(
  { lastCode, lastError }: OutboxEntry,
  { code, mayBeRecordSpecific }: ReadOutcome,
): boolean {
  const isSame = lastCode === code || (code === "200" && lastCode === UNREADABLE);
  return isSame && lastError !== null && (/^\d/.test(code) || mayBeRecordSpecific === true);
}

/** What a rejected request is in the event log. */
const REJECTED = { put: "change-rejected", delete: "deletion-rejected" } as const;

/** Whether the record may not exist: the list decides, because a gateway has the same codes. */
function isMissing({ code }: ReadOutcome): boolean {
  return code === "404" || code === "410";
}
