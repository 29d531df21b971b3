import { mergeConflictKind } from "../domain/conflict.ts";
import { fieldsOf } from "../domain/intervention.ts";
import { merge, withInFlightValues, type UpstreamRecord } from "../domain/merge.ts";
import {
  VERIFY_IMMEDIATELY,
  type OutboxEntry,
  URGENT_PRIORITY_ORDER,
  priorityOrderOf,
} from "../domain/outbox.ts";
import { carriesMarker, identityOf, type MatchCandidate } from "../domain/match-candidate.ts";
import { CHECK_INTERVAL_MS_MAX } from "../domain/backoff.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { PullChanges, REPLICATION_LAG_MAX_MS, StaleReads } from "./pull-changes.ts";
import type { ReadOutcome, WriteOutcome } from "./reply-classification.ts";
import { report, type SyncContext } from "./context.ts";
import { continueRecord } from "./continuation.ts";
import { afterUpdate, type Step } from "./linked-step.ts";
import { VersionGuard } from "./version-guard.ts";
import { AbsentRecords, type Absence } from "./recovery/absent-records.ts";
import { noteRestore } from "./recovery/gone-records.ts";
import { checkUpdateAnswer, unlink } from "./recovery/id-owner.ts";
import { afterFailure, retryRejection, closing, NOTHING_IN_FLIGHT } from "./attempt-outcome.ts";

/** Reconciles a linked record: reads it, merges, and sends the differences. */
export class Reconciler {
  readonly #context: SyncContext;
  readonly #pull: PullChanges;
  readonly #staleReads: StaleReads;
  readonly #absent: AbsentRecords;

  constructor(context: SyncContext) {
    this.#context = context;
    this.#pull = new PullChanges(context);
    this.#staleReads = new StaleReads(context.clock);
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
    const seen = await centre.record(upstreamId);
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
      return undefined;
    }
    const stored = store.record(interventionId);
    const base = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
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
    if (!entry.deleted) return this.#merge(entry, stored, { seen: upstream, tag: seen.tag });
    store.apply(entry, "send", { missingSinceMs: null });
    return { kind: "delete" };
  }

  #merge(
    entry: OutboxEntry,
    stored: StoredIntervention,
    { seen, tag }: { readonly seen: UpstreamRecord; readonly tag: string | undefined },
  ): Step | undefined {
    const { store, clock, timeouts } = this.#context;
    const known = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
    const heldBack = this.#staleReads.heldBack(entry, known, seen);
    const shown = { ...seen, ...heldBack };
    const upstream = store.unmarked(shown, stored.uid);
    const base = store.unmarked(known, stored.uid);
    const wallMs = clock.wallMs();
    const { inFlightUntilMs, inFlightValues } = entry;
    const agreed = store.agreedOf(entry, stored.uid);
    const hasTripJoined = entry.joinedRev > entry.syncedRev;
    const before = fieldsOf(stored.record);
    const merged = merge({ local: before, agreed, base, upstream, inFlightValues, hasTripJoined });
    const local = this.#pull.work(stored, merged.applyLocally, upstream);
    if (merged.omitted !== undefined) continueRecord(this.#context, local, merged.omitted, hasTripJoined);
    const { conflicts: fields } = merged;
    if (fields.length > 0) store.recordConflict(entry.interventionId, mergeConflictKind(fields), { fields });
    const whole = store.outgoing(fieldsOf(local.record), stored.uid);
    const marker = store.markerOf(stored.uid);
    // A centre that has never returned the marker does not keep it, so repeating it is useless. It is only
    // added to another update, unless the centre is known to remove it.
    const isKept = store.facts.lostReference === null && entry.wantRev > entry.syncedRev;
    const isMarkerLost =
      store.isMarked && !carriesMarker(shown, marker) && (isKept || carriesMarker(known, marker));
    const marked = store.marked(merged.push, fieldsOf(local.record), stored.uid);
    const body = isMarkerLost ? store.withMissingMarker(marked, whole) : marked;
    const read: Partial<OutboxEntry> = {
      wantRev: local.rev,
      base: JSON.stringify(shown),
      priorityOrder: priorityOrderOf(local.record.priority),
      verifyAtMs:
        Object.keys(heldBack).length > 0
          ? wallMs + REPLICATION_LAG_MAX_MS
          : this.#nextVerifyAt(local, wallMs),
      missingSinceMs: null,
    };
    if (Object.keys(body).length === 0) {
      const agreedNow = JSON.stringify(fieldsOf(local.record));
      const settled = { syncedRev: local.rev, agreed: agreedNow, attempts: 0, nextAtMs: 0, lastError: null };
      // The record matches and no update can still arrive: from now on every change is a dispatcher's. A
      // duplicate that is still swept for may show in-flight values as well.
      const isOver = inFlightUntilMs !== null && wallMs >= inFlightUntilMs && entry.sweepAtMs === null;
      store.outbox.save({ ...entry, ...read, ...settled, ...(isOver ? NOTHING_IN_FLIGHT : {}) });
      return undefined;
    }
    // Pulled values are agreed. Pushed values count as local changes until they are confirmed: otherwise a
    // failed attempt would leave the centre's value as the agreed one.
    const after = fieldsOf(local.record);
    const pulled = Object.keys(merged.applyLocally).map((field) => [
      field,
      after[field as keyof typeof after],
    ]);
    const pushed = Object.keys(merged.push).map((field) => [field, upstream[field] ?? base[field] ?? null]);
    const agreedSoFar = { ...agreed, ...Object.fromEntries([...pulled, ...pushed]) };
    store.apply(entry, "send", {
      ...read,
      agreed: JSON.stringify(agreedSoFar),
      // A correction found by a verification stays pending until it is sent, like any local change.
      syncedRev: Math.min(entry.syncedRev, local.rev - 1),
      inFlightValues: withInFlightValues(entry.inFlightValues, merged.push),
      inFlightUntilMs: wallMs + (timeouts.sweepDelaysMs[0] ?? 0),
    });
    const earlier = { inFlightValues: entry.inFlightValues, inFlightUntilMs };
    return { kind: "put", body, local, shown, tag, earlier };
  }

  /** Open records are verified regularly; finished ones at growing intervals, for the report and the invoice. */
  #nextVerifyAt({ record, changedAtMs }: StoredIntervention, wallMs: number): number | null {
    const { pullIntervalMs } = this.#context.timeouts;
    if (record.status !== "done") return wallMs + pullIntervalMs;
    const waitMs = Math.max(pullIntervalMs, wallMs - changedAtMs);
    return waitMs > VERIFY_AGE_MS_MAX ? null : wallMs + waitMs;
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
    const { changes, conflicts } = afterUpdate(step, JSON.parse(record.json) as UpstreamRecord, entry);
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

/** What a rejected request is in the event log. */
const REJECTED = { put: "change-rejected", delete: "deletion-rejected" } as const;

/** Records finished for longer than this are no longer verified; retention removes them later. */
const VERIFY_AGE_MS_MAX = CHECK_INTERVAL_MS_MAX;

/** Whether the record may not exist: the list decides, because a gateway has the same codes. */
function isMissing({ code }: ReadOutcome): boolean {
  return code === "404" || code === "410";
}
