import { fieldsOf, type Intervention } from "../../domain/intervention.ts";
import {
  asWritten,
  chooseSurvivor,
  findMatches,
  isMarkedAs,
  type MatchCandidate,
} from "../../domain/match-candidate.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import { type OutboxEntry, URGENT_PRIORITY_ORDER } from "../../domain/outbox.ts";
import { afterFailure, closing, linkedTo } from "../attempt-outcome.ts";
import type { SyncContext } from "../context.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import { ownCallsAmong } from "./copied-records.ts";
import { noteRestore } from "./gone-records.ts";
import { belongsToOther, claim } from "./id-owner.ts";
import { REPLICATION_LAG_MAX_MS } from "../pull-changes.ts";
import {
  ANSWERED,
  codeAfterSearch,
  DENIED,
  INCOMPLETE_LISTS,
  isAnswered,
  isUnprovedAgain,
  NOT_SHOWN,
  READS_DENIED,
} from "./last-codes.ts";
import { REACHED } from "./read-back.ts";
import { continueStuck } from "../stuck-trip.ts";
import { asUnreadNotes, joinedLinesOf } from "../unread-notes.ts";
import { withTexts } from "./shortened-rows.ts";
import { asUnread, recordsAbove, watermarkOf } from "./record-search.ts";

/** Decides on a POST that may have been applied: adopt the record, wait for it, or send it again. */
export class UnconfirmedPost {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** @returns the entry to send again now; undefined if not */
  async resolve(asked: OutboxEntry): Promise<OutboxEntry | undefined> {
    const { store, centre, linkFaults } = this.#context;
    const list = await recordsAbove(centre.of(asked), watermarkOf(asked));
    const found = await withTexts(this.#context, centre.of(asked), list, [asked]);
    const isWhole = found.kind === "complete";
    const isLinkOpen = await linkFaults.noteList(isWhole ? REACHED : found.outcome);
    return store.write(() => {
      if (isWhole && found.isRestored) noteRestore(this.#context, asked.watermark ?? 0);
      const entry = store.entry(asked.interventionId);
      if (entry.phase !== "unsure") return undefined;
      if (!isWhole) {
        // If it is not the link, a user has to know of it.
        const outcome = isLinkOpen ? asUnread(found.outcome) : found.outcome;
        return this.#decideOnPart(entry, found.seen, outcome);
      }
      // A restore of the dispatch centre was detected: the record may be below this search.
      if ((entry.watermark ?? 0) < (asked.watermark ?? 0)) return undefined;
      return this.#decide(entry, found.rows);
    });
  }

  /** @param rows every record that may be ours */
  #decide(entry: OutboxEntry, rows: readonly MatchCandidate[]): OutboxEntry | undefined {
    const { store } = this.#context;
    const hits = this.#candidates(entry, rows);
    if (hits.length > 0) return this.#adopt(entry, hits);
    const { arrivesByMs, cannotArrive } = this.#arrivalOf(entry);
    if (cannotArrive && entry.deleted)
      return void store.apply(entry, "absent", closing(this.#context, entry));
    if (cannotArrive && isAnswered(entry.lastCode) && this.#isSentEnough(entry))
      return this.#decideOnPart(entry, rows, HIDDEN);
    // No earlier send has arrived; the sweeps remove one that still does. One that was answered with a success may be there.
    const isLost = cannotArrive && !isAnswered(entry.lastCode);
    // A repeated idempotency key creates no second record, so there is no need to wait.
    if (cannotArrive || (this.#areKeysTrusted(entry) && !entry.deleted)) return this.#resend(entry, isLost);
    store.outbox.save({ ...entry, nextAtMs: arrivesByMs });
    return undefined;
  }

  /** @param seen the rows of an incomplete list: a record with our marker counts all the same */
  #decideOnPart(
    entry: OutboxEntry,
    seen: readonly MatchCandidate[],
    outcome: ReadOutcome,
  ): OutboxEntry | undefined {
    const hits = this.#candidates({ ...entry, watermarkFingerprint: null }, seen);
    if (hits.length > 0) return this.#adopt(entry, hits);
    if (this.#isSentUnsearched(entry, outcome)) return this.#resend(entry, false);
    const failure = afterFailure(this.#context, entry, outcome);
    const lastCode = codeAfterSearch(entry, outcome.code);
    const stuck = continueStuck(this.#context, entry, isUnprovedAgain(entry, outcome.code), outcome);
    this.#context.store.outbox.save({ ...entry, ...failure, lastCode, ...stuck });
    return undefined;
  }

  /**
   * Whether a record is sent again although the search has not shown if it is there: after a user's order, because the
   * account may not read, or for an alarm at a centre that honours idempotency keys, whose list is incomplete. A gateway may deny
   * everything for a moment, so that two answers in a row must be denials.
   */
  #isSentUnsearched(entry: OutboxEntry, { code }: ReadOutcome): boolean {
    const { lastCode, deleted, priorityOrder } = entry;
    const { cannotArrive } = this.#arrivalOf(entry);
    if (deleted) return false;
    if (lastCode === DENIED && cannotArrive) return true;
    const areKeysTrusted = this.#areKeysTrusted(entry);
    const isUrgent = priorityOrder === URGENT_PRIORITY_ORDER;
    const isAnsweredBefore = lastCode === ANSWERED && areKeysTrusted;
    // A repeated idempotency key creates no second record, and no list that is read later is needed.
    if (isUrgent && areKeysTrusted && INCOMPLETE_LISTS.has(code))
      return (!isAnswered(lastCode) || isAnsweredBefore) && !this.#isSentEnough(entry);
    const isDeniedAgain = lastCode === READS_DENIED || isAnsweredBefore;
    if (code !== READS_DENIED || !isDeniedAgain) return false;
    return (cannotArrive || areKeysTrusted) && !this.#isSentEnough(entry);
  }

  /** Whether keys allow repetitions. A record that was answered with a success is most likely there: only proved keys do then. */
  #areKeysTrusted({ lastCode }: OutboxEntry): boolean {
    const { honoursKeys, hasProvedKeys } = this.#context.store.facts;
    return hasProvedKeys || (honoursKeys && !isAnswered(lastCode));
  }

  /** Whether each further send may create a duplicate, so that the next one is not due. */
  #isSentEnough({ sends, attempt }: OutboxEntry): boolean {
    const { clock, store } = this.#context;
    const sinceMs = clock.wallMs() - (attempt?.atMs ?? 0);
    return !store.facts.hasProvedKeys && sends > RESENDS_MAX && sinceMs < HIDDEN_RESEND_MS;
  }

  /** When the unconfirmed attempt can no longer arrive, milliseconds since 1970, and whether that time is over. */
  #arrivalOf(entry: OutboxEntry): { arrivesByMs: number; cannotArrive: boolean } {
    const { clock, timeouts } = this.#context;
    const { alarm, other } = timeouts.resendAfterMs;
    const waitMs = entry.priorityOrder === URGENT_PRIORITY_ORDER ? alarm : other;
    // The centre has most likely created it, and its list may lag.
    const leastMs = isAnswered(entry.lastCode) ? REPLICATION_LAG_MAX_MS : 0;
    const arrivesByMs = (entry.attempt?.atMs ?? 0) + Math.max(waitMs, leastMs);
    return { arrivesByMs, cannotArrive: clock.wallMs() >= arrivesByMs };
  }

  #candidates(entry: OutboxEntry, rows: readonly MatchCandidate[]): MatchCandidate[] {
    const { store } = this.#context;
    const marker = store.markerSent(entry);
    const isMarked = store.isMarked && store.facts.lostReference === null;
    const madeAfter = entry.watermarkFingerprint === null ? null : entry.watermark;
    const target = { marker, sent: store.sentOf(entry), isMarked, madeAfter };
    const found = findMatches(rows, target, (row) => belongsToOther(this.#context, entry, row));
    // It is to be deleted there: a dispatcher's record into which its notes were pasted is not.
    return entry.deleted ? ownCallsAmong(this.#context, entry, found) : found;
  }

  #adopt(entry: OutboxEntry, hits: readonly MatchCandidate[]): undefined {
    const { store, linkedIds, clock, log } = this.#context;
    const kept = chooseSurvivor(hits, [store.sentOf(entry)], entry.inFlightValues);
    for (const hit of hits) claim(this.#context, entry, hit);
    if (!kept || !entry.attempt) throw new Error(`intervention ${entry.interventionId}: nothing to adopt`);
    const linked = foundAs(this.#context, entry, kept);
    store.apply(entry, "found", {
      ...linked,
      base: store.baseOf(entry, linked.base ?? "{}", kept),
      // Sweep at once: there are duplicates.
      ...(hits.length > 1 && linked.sweepAtMs !== null ? { sweepAtMs: clock.wallMs() } : {}),
    });
    this.#reportUnmarked(entry, kept);
    linkedIds.note();
    log.info("record-adopted", { interventionId: entry.interventionId, upstreamId: kept.id });
    return undefined;
  }

  /** The record may be a dispatcher's own of the same event: a person can see that it was linked, and why. */
  #reportUnmarked(entry: OutboxEntry, kept: MatchCandidate): void {
    const { store } = this.#context;
    const isMarkerKept = store.isMarked && store.facts.lostReference === null;
    if (!isMarkerKept || isMarkedAs(kept, store.markerSent(entry))) return;
    store.recordConflict(entry.interventionId, "linked", {
      phase: "linked",
      reason: `record ${kept.id} of the dispatch centre is linked without a reference: its objective, name and start are those of this intervention`,
    });
  }

  /** @param isLost whether the search has shown that no earlier send has arrived */
  #resend(entry: OutboxEntry, isLost: boolean): OutboxEntry {
    const { store, clock } = this.#context;
    const attempt = entry.attempt && { ...entry.attempt, atMs: clock.wallMs() };
    // A user's order is one more send, not several.
    const sends = entry.lastCode === DENIED ? RESENDS_MAX + 1 : isLost ? 1 : entry.sends + 1;
    // Without an earlier record of the centre, this is about lines that have got their own record.
    const agreed = entry.base === null ? entry.agreed : null;
    return store.apply(entry, "send", { attempt, sends, base: null, agreed });
  }
}

/**
 * Sends after the first one of a record that the centre accepts and does not show, or that the account may not search for, or of an
 * alarm whose list is incomplete and whose key was only returned. Then one every half hour: each may create a duplicate, and none at
 * all could lose an alarm that a proxy has answered in place of the centre, or that has not arrived.
 */
const RESENDS_MAX = 3;
const HIDDEN_RESEND_MS = 1_800_000;
const HIDDEN: ReadOutcome = {
  link: "ok",
  code: NOT_SHOWN,
  reason: "the dispatch centre has answered each request without the record, and its list does not show it",
};

/**
 * The changes of an entry when a search has found its record. The attempt has been applied. If the record was
 * known before and not sent since, the earlier base is kept.
 */
export function foundAs(context: SyncContext, entry: OutboxEntry, row: MatchCandidate): Partial<OutboxEntry> {
  const { base, agreed, syncedRev } = entry;
  const linked = linkedTo(context, entry, row.id, base ?? sentAsWritten(context, entry, row));
  // Verify at once: a dispatcher may already have changed the record.
  const found = { ...linked, verifyAtMs: context.clock.wallMs() };
  return base === null ? found : { ...found, agreed: agreed ?? base, syncedRev };
}

/** The changes of an entry that is linked to a duplicate: both have the first request in common, and the merge pushes what came later. */
export function asFirstSent(
  context: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  row: MatchCandidate,
): Partial<OutboxEntry> {
  const { attempt, base, wantRev } = entry;
  const body = attempt?.body ?? base ?? "{}";
  return {
    base: sentAsWritten(context, entry, row, body),
    agreed: JSON.stringify(fieldsOf(JSON.parse(body) as Intervention)),
    syncedRev: Math.min(attempt?.rev ?? wantRev, wantRev - 1),
  };
}

/**
 * A request as the centre writes it, so that its way of writing a date does not count as a dispatcher's change. A list may show less
 * of the notes than a read.
 */
function sentAsWritten(
  context: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  row: MatchCandidate,
  body = entry.attempt?.body ?? "{}",
): string {
  const written = asWritten(JSON.parse(body) as UpstreamRecord, row);
  const { reportsDeletions: isSantinela } = context.store.facts;
  if (isSantinela) return JSON.stringify(written);
  return JSON.stringify(asUnreadNotes(written, { joined: joinedLinesOf(context, entry), earlier: [] }));
}
