import { CHECK_INTERVAL_MS_MAX } from "../domain/backoff.ts";
import { mergeConflictKind } from "../domain/conflict.ts";
import { fieldsOf, type InterventionFields } from "../domain/intervention.ts";
import { addedLines, missingLines } from "../domain/kept-lines.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import { isNewThere, merge, withInFlightValues, type UpstreamRecord } from "../domain/merge.ts";
import { isSentWhole } from "../domain/merged-lines.ts";
import { hasUnsentTrip, priorityOrderOf, type OutboxEntry } from "../domain/outbox.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { NOTHING_IN_FLIGHT } from "./attempt-outcome.ts";
import type { SyncContext } from "./context.ts";
import { continueCut, continueRecord } from "./continuation.ts";
import type { Step } from "./linked-step.ts";
import { asUnreadNotes, unreadLinesOf, zoneLinesThere, type CutNotes } from "./unread-notes.ts";
import { invalidFields, PullChanges, REPLICATION_LAG_MAX_MS, type StaleReads } from "./pull-changes.ts";

/** A record as just read at the centre. */
interface SeenRecord {
  readonly seen: UpstreamRecord;
  /** Its entity tag. */
  readonly tag: string | undefined;
  /** What it shows of notes that the centre has cut; undefined if it does not. */
  readonly cut: CutNotes | undefined;
}

type Merged = ReturnType<typeof merge>;

/** A merge with both sides as they were compared, and the record after it. */
interface Compared {
  readonly merged: Merged;
  readonly agreed: InterventionFields;
  readonly local: StoredIntervention;
  readonly base: UpstreamRecord;
  readonly upstream: UpstreamRecord;
  /** Fields whose value there stays there. */
  readonly unpulled: readonly string[];
}

/** Merges a linked record with what the centre shows of it, and decides what is sent. */
export class MergeStep {
  readonly #context: SyncContext;
  readonly #pull: PullChanges;
  readonly #staleReads: StaleReads;

  constructor(context: SyncContext, staleReads: StaleReads) {
    this.#context = context;
    this.#pull = new PullChanges(context);
    this.#staleReads = staleReads;
  }

  /** Stores what is taken over, in a transaction. @returns the update to send; undefined if there is none */
  decide(entry: OutboxEntry, stored: StoredIntervention, { seen, tag, cut }: SeenRecord): Step | undefined {
    const { store, clock, timeouts } = this.#context;
    const earlier = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
    const heldBack = this.#staleReads.heldBack(entry, earlier, seen);
    const isNotesRead = !("notes" in heldBack);
    const shown = { ...seen, ...heldBack };
    // What the centre has cut off is its way of writing the notes.
    const isCut = cut !== undefined && isNotesRead;
    const known = isCut ? { ...earlier, notes: seen["notes"] } : earlier;
    const compared = this.#compare(entry, stored, { known, shown, sent: isCut ? cut.sent : undefined });
    if (isCut) this.#noteCut(entry, compared.local, cut, seen);
    const unread = isNotesRead ? undefined : unreadLinesOf(entry.base);
    const { merged, local, agreed } = compared;
    const body = this.#bodyOf(entry, compared, { known, shown });
    const wallMs = clock.wallMs();
    const read: Partial<OutboxEntry> = {
      wantRev: local.rev,
      base: JSON.stringify(unread ? asUnreadNotes(shown, unread) : shown),
      unpulled: compared.unpulled,
      priorityOrder: priorityOrderOf(local.record.priority),
      verifyAtMs:
        Object.keys(heldBack).length > 0
          ? wallMs + REPLICATION_LAG_MAX_MS
          : this.#nextVerifyAt(local, wallMs),
      missingSinceMs: null,
    };
    const after = fieldsOf(local.record);
    if (Object.keys(body).length === 0) {
      this.#settle(entry, read, after);
      return undefined;
    }
    store.apply(entry, "send", {
      ...read,
      agreed: JSON.stringify(agreedWhileSent(compared, after)),
      // A correction found by a verification stays pending until it is sent, like any local change.
      syncedRev: Math.min(entry.syncedRev, local.rev - 1),
      inFlightValues: withInFlightValues(entry.inFlightValues, merged.push),
      inFlightUntilMs: wallMs + (timeouts.sweepDelaysMs[0] ?? 0),
    });
    const { inFlightValues, inFlightUntilMs } = entry;
    return {
      kind: "put",
      body,
      local,
      shown,
      tag,
      lines: {
        added: addedLines(agreed.notes, after.notes),
        earlier: unread?.earlier ?? zoneLinesThere(agreed.notes, compared.upstream["notes"]),
      },
      earlier: { inFlightValues, inFlightUntilMs },
    };
  }

  /** Merges both sides, and takes the dispatcher's changes over. */
  #compare(
    entry: OutboxEntry,
    stored: StoredIntervention,
    {
      known,
      shown,
      sent,
    }: { readonly known: UpstreamRecord; readonly shown: UpstreamRecord; readonly sent: string | undefined },
  ): Compared {
    const { store } = this.#context;
    const { inFlightValues, interventionId, unpulled: earlier } = entry;
    const upstream = store.unmarked(shown, stored.uid);
    const base = store.unmarked(known, stored.uid);
    const agreedSoFar = store.agreedOf(entry, stored.uid);
    const agreed = sent === undefined ? agreedSoFar : { ...agreedSoFar, notes: sent };
    const hasTripJoined = hasUnsentTrip(entry);
    const before = fieldsOf(stored.record);
    const sides = { local: before, agreed, base, upstream, inFlightValues, hasTripJoined };
    const merged = merge({ ...sides, invalid: invalidFields(upstream), unpulled: earlier });
    const { record: local, dropped } = this.#pull.work(stored, merged.applyLocally, upstream);
    if (merged.omitted !== undefined) continueRecord(this.#context, local, merged.omitted, hasTripJoined);
    const { conflicts: fields } = merged;
    if (fields.length > 0) store.recordConflict(interventionId, mergeConflictKind(fields), { fields });
    const unpulled = [...(merged.foreign ?? []), ...dropped];
    const news = unpulled
      .map((field) => ({ field, here: before[field as keyof typeof before], there: upstream[field] }))
      .filter(
        ({ field, here }) =>
          isNewThere(sides, field) ||
          (here !== agreed[field as keyof typeof agreed] && !(field in merged.push)),
      )
      .map((one) => ({ ...one, kept: "there" }));
    if (news.length > 0) store.recordConflict(interventionId, "not-valid-here", { fields: news });
    return { merged, agreed, local, base, upstream, unpulled };
  }

  /** Gives the lines of trips that the centre has cut off a record of their own. */
  #noteCut(
    entry: OutboxEntry,
    local: StoredIntervention,
    { sent, lines }: CutNotes,
    seen: UpstreamRecord,
  ): void {
    const { store, syncConditions } = this.#context;
    const { notes } = store.unmarked(seen, local.uid);
    const lost = syncConditions.noteNotes(entry.interventionId, sent, notes);
    const outgoing = store.outgoing({ ...fieldsOf(local.record), notes: sent }, local.uid);
    if (store.marker === "notes") syncConditions.noteMarker(entry, { ...outgoing }, seen);
    continueCut(this.#context, local, { sent, stored: notes, lost }, lines);
  }

  /** The fields to send, with the marker if the centre has lost it. */
  #bodyOf(
    entry: OutboxEntry,
    { merged, local, upstream, unpulled }: Compared,
    { known, shown }: { readonly known: UpstreamRecord; readonly shown: UpstreamRecord },
  ): Partial<InterventionFields> {
    const { store } = this.#context;
    // What stays at the centre is sent back as it is there.
    const kept = Object.fromEntries(unpulled.map((field) => [field, upstream[field]]));
    const fields = { ...fieldsOf(local.record), ...kept, ...merged.push } as InterventionFields;
    const marker = store.markerOf(local.uid);
    // A centre that has never returned the marker does not keep it, so repeating it is useless. It is only
    // added to another update, unless the centre is known to remove it.
    const isKept = store.facts.lostReference === null && entry.wantRev > entry.syncedRev;
    const isMarkerLost =
      store.isMarked && !carriesMarker(shown, marker) && (isKept || carriesMarker(known, marker));
    const field = store.marker;
    const hasPlace = field === "off" || !unpulled.includes(field) || isSentWhole(fields[field]);
    const body = store.marked(merged.push, fields, local.uid);
    return isMarkerLost && hasPlace ? store.withMissingMarker(body, store.outgoing(fields, local.uid)) : body;
  }

  /** The record matches. */
  #settle(entry: OutboxEntry, read: Partial<OutboxEntry>, after: InterventionFields): void {
    const { store, clock } = this.#context;
    const { inFlightUntilMs, sweepAtMs } = entry;
    // No update can still arrive: from now on every change is a dispatcher's. A duplicate that is still swept for
    // may show in-flight values as well.
    const isOver = inFlightUntilMs !== null && clock.wallMs() >= inFlightUntilMs && sweepAtMs === null;
    store.outbox.save({
      ...entry,
      ...read,
      syncedRev: read.wantRev ?? entry.wantRev,
      agreed: JSON.stringify(after),
      attempts: 0,
      nextAtMs: 0,
      lastError: null,
      ...(isOver ? NOTHING_IN_FLIGHT : {}),
    });
  }

  /** Open records are verified regularly; finished ones at growing intervals, for the report and the invoice. */
  #nextVerifyAt({ record, changedAtMs }: StoredIntervention, wallMs: number): number | null {
    const { pullIntervalMs } = this.#context.timeouts;
    if (record.status !== "done") return wallMs + pullIntervalMs;
    const waitMs = Math.max(pullIntervalMs, wallMs - changedAtMs);
    return waitMs > VERIFY_AGE_MS_MAX ? null : wallMs + waitMs;
  }
}

/**
 * What both sides agree on while an update is sent. Pulled values are agreed. Pushed values count as local changes until they are
 * confirmed: otherwise a failed attempt would leave the centre's value as the agreed one.
 * @param after the record after the merge
 */
function agreedWhileSent(compared: Compared, after: InterventionFields): UpstreamRecord {
  const { merged, agreed, upstream, base } = compared;
  const { foreign = [] } = merged;
  const here: UpstreamRecord = { ...after };
  const pulled = Object.keys(merged.applyLocally).map((field) => [field, here[field]]);
  const isCutThere = (field: string): boolean =>
    field === "notes" &&
    after.notes !== agreed.notes &&
    !isNewThere(compared, field) &&
    missingLines(agreed.notes, upstream["notes"]).length > 0;
  const pushed = Object.keys(merged.push)
    // What both sides have of a text that stays there does not change.
    .filter((field) => !foreign.includes(field))
    .map((field) => [field, isCutThere(field) ? agreed.notes : (upstream[field] ?? base[field] ?? null)]);
  // Nothing is sent over the others, or their lines have got their own record.
  const kept = foreign.filter((field) => !(field in merged.push)).map((field) => [field, here[field]]);
  return { ...agreed, ...Object.fromEntries([...pulled, ...pushed, ...kept]) };
}

/** Records finished for longer than this are no longer verified; retention removes them later. */
const VERIFY_AGE_MS_MAX = CHECK_INTERVAL_MS_MAX;
