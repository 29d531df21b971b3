import type { Clock } from "../domain/clock.ts";
import { carriesMarker, type MatchCandidate } from "../domain/match-candidate.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { LAG_MAX_MS } from "./replication-lag.ts";
import type { SyncStore } from "./sync-store.ts";
import type { SyncContext } from "./context.ts";
import { readHighestId } from "./record-search.ts";
import { inheritedInFlightValues } from "./attempt-outcome.ts";

/* A centre that was restored from a backup has lost its newest records and gives their ids to others. */

/** One record above the centre's highest id can have been deleted there; that many together were not. */
const MIN_LOST_RECORDS = 2;

/**
 * Finds out whether the centre is an older copy of itself, and if so has every record looked up there. Asked when it
 * lacks a record that it had.
 * @returns why it could not be found out; undefined when it was
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

/** The same, for who has just read the centre's highest id. @param linkedId `LinkedIdHistory`'s before the reading */
export function checkHighestId({ store }: Pick<SyncContext, "store">, topId: number, linkedId: number): void {
  if (store.outbox.linkedBetween(topId, linkedId) >= MIN_LOST_RECORDS)
    store.write(() => store.outbox.auditAll());
}

/**
 * Which of the centre's ids its highest one is compared with. Records that were linked since the reading began, or less
 * than a minute before it, may be missing on the copy that a centre reads from.
 */
export class LinkedIdHistory {
  readonly #store: SyncStore;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** Highest linked ids with the monotonic time at which they were seen, the oldest first. */
  #marks: readonly Mark[] = [];

  constructor({ store, clock }: { store: SyncStore; clock: Pick<Clock, "monotonicMs"> }) {
    this.#store = store;
    this.#clock = clock;
    // What was linked before the start was linked long enough ago.
    this.#marks = [{ atMs: Number.NEGATIVE_INFINITY, id: store.compared.highestLinked() }];
  }

  /** Called when a record was linked. */
  note(): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#oldEnough(nowMs);
    const newest = known.at(-1);
    const isNewestOpen = newest !== undefined && nowMs - newest.atMs < MARK_MS;
    const mark = { atMs: isNewestOpen ? newest.atMs : nowMs, id: this.#store.compared.highestLinked() };
    this.#marks = [...(isNewestOpen ? known.slice(0, -1) : known), mark];
  }

  /** The highest id there that was linked a minute ago; 0 without one. */
  get id(): number {
    return this.#oldEnough(this.#clock.monotonicMs())[0]?.id ?? 0;
  }

  /** The newest mark of more than a minute ago, and those since. */
  #oldEnough(nowMs: number): readonly Mark[] {
    const old = this.#marks.findLastIndex(({ atMs }) => nowMs - atMs >= LAG_MAX_MS);
    return this.#marks.slice(Math.max(0, old));
  }
}

interface Mark {
  readonly atMs: number;
  readonly id: number;
}

/** What is linked within this time shares a mark, which bounds those of a minute. */
const MARK_MS = 1_000;

/**
 * Whether a record there is another one's here. One that bears this entry's mark and not the other's is not: the centre
 * has given that id twice.
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

/** Takes a record there for this entry from the one that is linked to it by mistake, and has all the others looked up. */
export function claim(parts: SyncContext, entry: OutboxEntry, row: MatchCandidate): void {
  const owner = ownerOf(parts.store, entry, row);
  if (!owner) return;
  unlink(parts, owner);
  parts.store.outbox.auditAll();
}

/**
 * Takes back that a record is linked: what is there under its id is another one. It is looked for everywhere, and made
 * again when it is nowhere.
 */
export function unlink({ store, clock, timeouts }: SyncContext, entry: OutboxEntry): void {
  const stored = store.record(entry.interventionId);
  const attempt = store.newAttempt({ ...entry, attempt: null }, stored);
  store.apply(entry, "mistaken", {
    // Kept is what both knew: if it is found, it may be what it was, and a change of ours is still to be sent.
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
    reason: `the centre's record ${entry.upstreamId} is no longer this one; it is searched for, and made again if it is nowhere`,
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
