import type { Clock } from "../../domain/clock.ts";
import { carriesMarker, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { LAG_MAX_MS } from "../replication-lag.ts";
import type { SyncStore } from "../sync-store.ts";
import type { SyncContext } from "../context.ts";
import { readHighestId } from "./record-search.ts";
import { inheritedInFlightValues } from "../attempt-outcome.ts";

/* A dispatch centre that was restored from a backup has lost its newest records and reuses their ids. */

/** Missing records above the highest id that prove a restore; a single one may have been deleted. */
const MIN_LOST_RECORDS = 2;

/**
 * Checks whether the dispatch centre was restored from a backup, and if so has every record verified. Called when
 * it lacks a record that it had.
 * @returns the reason if this cannot be checked; undefined if it was
 */
export async function detectRestore(
  parts: Pick<SyncContext, "store" | "linkedIds">,
  centre: UpstreamClient,
): Promise<ReadOutcome | undefined> {
  const linkedId = parts.linkedIds.id;
  const top = await readHighestId(centre);
  if ("outcome" in top) return top.outcome;
  checkHighestId(parts, top.topId, linkedId);
  return undefined;
}

/**
 * The same check with a highest id that was just read.
 * @param linkedId `LinkedIdHistory.id` before that read
 */
export function checkHighestId({ store }: Pick<SyncContext, "store">, topId: number, linkedId: number): void {
  if (store.outbox.linkedBetween(topId, linkedId) >= MIN_LOST_RECORDS)
    store.write(() => store.outbox.auditAll());
}

/**
 * The linked id with which the centre's highest id is compared. Records linked less than a minute before a read may
 * be missing on a replica.
 */
export class LinkedIdHistory {
  readonly #store: SyncStore;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** Highest linked ids with their monotonic time, oldest first. */
  #samples: readonly Sample[] = [];

  constructor({ store, clock }: { store: SyncStore; clock: Pick<Clock, "monotonicMs"> }) {
    this.#store = store;
    this.#clock = clock;
    // Records linked before the start are old enough.
    this.#samples = [{ atMs: Number.NEGATIVE_INFINITY, id: store.compared.highestLinked() }];
  }

  /** Called when a record was linked. */
  note(): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#oldEnough(nowMs);
    const newest = known.at(-1);
    const isNewestOpen = newest !== undefined && nowMs - newest.atMs < SAMPLE_INTERVAL_MS;
    const sample = { atMs: isNewestOpen ? newest.atMs : nowMs, id: this.#store.compared.highestLinked() };
    this.#samples = [...(isNewestOpen ? known.slice(0, -1) : known), sample];
  }

  /** The highest id linked at least a minute ago; 0 for none. */
  get id(): number {
    return this.#oldEnough(this.#clock.monotonicMs())[0]?.id ?? 0;
  }

  /** The newest sample older than a minute, and those since. */
  #oldEnough(nowMs: number): readonly Sample[] {
    const old = this.#samples.findLastIndex(({ atMs }) => nowMs - atMs >= LAG_MAX_MS);
    return this.#samples.slice(Math.max(0, old));
  }
}

interface Sample {
  readonly atMs: number;
  readonly id: number;
}

/** Records linked within this time share a sample, which limits the number of samples. */
const SAMPLE_INTERVAL_MS = 1_000;

/**
 * Whether an upstream record belongs to another entry. It does not if it carries only this entry's marker: then the
 * id was reused.
 */
export function belongsToOther(
  { store }: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  row: MatchCandidate,
): boolean {
  const owner = ownerOf(store, entry, row);
  if (!owner) return false;
  const [ours, theirs] = [entry, owner].map(({ interventionId }) =>
    store.markerOf(store.record(interventionId).uid),
  ) as [string, string];
  return !store.isMarked || !carriesMarker(row, ours) || carriesMarker(row, theirs);
}

/**
 * Takes an upstream record for this entry. The entry that was linked to it is unlinked and all others are verified.
 */
export function claim(parts: SyncContext, entry: OutboxEntry, row: MatchCandidate): void {
  const owner = ownerOf(parts.store, entry, row);
  if (!owner) return;
  unlink(parts, owner);
  parts.store.outbox.auditAll();
}

/** Unlinks a record whose id belongs to another one. It is searched for, and created again if not found. */
export function unlink({ store, clock, timeouts }: SyncContext, entry: OutboxEntry): void {
  const stored = store.record(entry.interventionId);
  const attempt = store.newAttempt({ ...entry, attempt: null }, stored);
  store.apply(entry, "mistaken", {
    // The base is kept: a found record may be unchanged, and a local change is still to be sent.
    upstreamId: null,
    attempt: { ...attempt, atMs: clock.wallMs() },
    ...inheritedInFlightValues(entry, attempt.key, timeouts, clock.wallMs()),
    watermark: 0,
    watermarkFingerprint: null,
    possiblyDuplicated: true,
    sends: 1,
    nextAtMs: 0,
    verifyAtMs: null,
    sweepAtMs: null,
    missingSinceMs: null,
  });
  store.recordConflict(entry.interventionId, {
    phase: "unsure",
    reason: `record ${entry.upstreamId} of the dispatch centre is no longer this intervention; it is searched for and created again if not found`,
  });
}

function ownerOf(
  { outbox }: SyncContext["store"],
  { interventionId }: OutboxEntry,
  { id }: MatchCandidate,
): OutboxEntry | undefined {
  const owner = outbox.findByUpstreamId(id);
  return owner?.interventionId === interventionId ? undefined : owner;
}
