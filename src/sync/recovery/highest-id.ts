import { compareFingerprints, recordFingerprint } from "../../domain/record-fingerprint.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Watermark } from "../../domain/list-reading.ts";
import { URGENT_PRIORITY_ORDER, type OutboxEntry } from "../../domain/outbox.ts";
import { isShownOurs } from "../attempt-outcome.ts";
import type { SyncContext } from "../context.ts";
import { REPLICATION_LAG_MAX_MS } from "../pull-changes.ts";
import type { ReadOutcome, WriteOutcome } from "../reply-classification.ts";
import type { SyncStore } from "../sync-store.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { noteShownRow } from "./former-id.ts";
import { isMatchCandidate } from "./pageless-list.ts";
import { readTop, UNKNOWN_WATERMARK, watermarkOf } from "./record-search.ts";

/* A dispatch centre that was restored from a backup has lost its newest records and reuses their ids. */

/** Missing records above the highest id for which all are verified at once; each is verified at its time anyway. */
const MIN_LOST_RECORDS = 2;

/**
 * Has every record verified if the dispatch centre lacks its newest ones. Only where it tells a deletion from a loss: elsewhere
 * it is no proof of a restore, and records that a verification misses would be created again.
 * @param topId the centre's highest id, just read
 * @param linkedId `LinkedIdHistory.id` before that read
 */
export function checkHighestId({ store }: Pick<SyncContext, "store">, topId: number, linkedId: number): void {
  if (store.facts.reportsDeletions && store.outbox.linkedBetween(topId, linkedId) >= MIN_LOST_RECORDS)
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
    const old = this.#samples.findLastIndex(({ atMs }) => nowMs - atMs >= REPLICATION_LAG_MAX_MS);
    return this.#samples.slice(Math.max(0, old));
  }
}

interface Sample {
  readonly atMs: number;
  readonly id: number;
}

/**
 * Finds out if the ids of the centre ascend, when it has answered a POST with a lower one than it had before: after a restore it
 * would no longer have that one.
 * @param sent the entry as it was sent
 */
export async function checkIdOrder(
  context: SyncContext,
  sent: OutboxEntry,
  answer: WriteOutcome,
): Promise<void> {
  const { centre, store, log } = context;
  const { id, rowFingerprint } = watermarkOf(sent);
  const { record, echoesKey } = answer;
  // A repeated key is answered with the record of the first request.
  if (!record || echoesKey === true || record.id > id || rowFingerprint === null) return;
  if (!isShownOurs(context, sent, record.json)) return;
  const { value } = await centre.of(sent).record(id);
  if (!isMatchCandidate(value) || value.id !== id || compareFingerprints(value, rowFingerprint) !== "same")
    return;
  centre.habits.areIdsOrdered = false;
  store.write(() => store.facts.noteUnorderedIds());
  log.warn("id-disorder-detected", { upstreamId: record.id, earlierId: id });
}

/** Records linked within this time share a sample, which limits the number of samples. */
const SAMPLE_INTERVAL_MS = 1_000;

/**
 * How long a highest id stays valid. One that is too low only costs reading, and no centre is restored from a
 * backup in a minute.
 */
const VALID_MS = 60_000;
/** Shorter than an idle connection is kept open. */
const REFRESH_MS = 3_000;

/** Maximum ids a search goes back: some days of a busy dispatch centre, and half of one search's page limit. */
const SEARCH_IDS_MAX = 20_000;

/** The centre's highest id, or the reason why it cannot be read. */
type WatermarkOutcome = Watermark | { readonly outcome: ReadOutcome };

/** Reads the centre's highest id once for all records that are sent within a minute. */
export class WatermarkReader {
  readonly #context: SyncContext;
  #last: { readonly watermark: Watermark; readonly atMs: number } | undefined;
  /** The last one read, however old. */
  #newest: Watermark | undefined;
  #inFlight: Promise<WatermarkOutcome> | undefined;
  /** Number of times that readings were discarded, including those in flight. */
  #resets = 0;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** The highest id before an entry is sent, or why it is not to be sent now. */
  async of(entry: OutboxEntry): Promise<WatermarkOutcome> {
    const { centre, linkFaults } = this.#context;
    const known = this.#ageMs < VALID_MS ? this.#last?.watermark : undefined;
    const read = known ?? (await this.#fresh(centre.of(entry)));
    if (!("outcome" in read)) return centre.habits.areIdsOrdered ? lowered(read, entry) : UNKNOWN_WATERMARK;
    // A record needs a link, not a list: it is sent without a watermark, and searched for from the start if necessary.
    if (await linkFaults.noteList(read.outcome)) return UNKNOWN_WATERMARK;
    return isSentUnread(entry, read.outcome) ? lowered(this.#newestKnown, entry) : read;
  }

  /** The highest id that was last read, or that of our newest record. One that is too low only costs reading. */
  get #newestKnown(): Watermark {
    const { store, centre } = this.#context;
    if (!centre.habits.areIdsOrdered) return UNKNOWN_WATERMARK;
    if (this.#newest) return this.#newest;
    const id = store.compared.highestLinked();
    const base = store.outbox.findByUpstreamId(id)?.base;
    return base
      ? { id, rowFingerprint: recordFingerprint(JSON.parse(base) as UpstreamRecord) }
      : UNKNOWN_WATERMARK;
  }

  /** Reads the id again; concurrent calls share one request. */
  #fresh(centre: UpstreamClient): Promise<WatermarkOutcome> {
    if (this.#inFlight) return this.#inFlight;
    const reading = this.#request(centre).finally(() => {
      if (this.#inFlight === reading) this.#inFlight = undefined;
    });
    this.#inFlight = reading;
    return reading;
  }

  /**
   * Refreshes the id every few seconds, which keeps the connection open and searches short. Link faults are
   * detected by the records themselves.
   */
  async keepFresh(centre: UpstreamClient): Promise<void> {
    if (this.#ageMs >= REFRESH_MS) await this.#fresh(centre);
  }

  get #ageMs(): number {
    return this.#last ? this.#context.clock.monotonicMs() - this.#last.atMs : Number.POSITIVE_INFINITY;
  }

  /** Discards the id: the centre may have been restored from a backup. */
  reset(): void {
    this.#last = undefined;
    this.#inFlight = undefined;
    this.#resets += 1;
  }

  async #request(centre: UpstreamClient): Promise<WatermarkOutcome> {
    const { linkedIds, clock } = this.#context;
    const resets = this.#resets;
    const atMs = clock.monotonicMs();
    const linkedId = linkedIds.id;
    const read = await readTop(centre);
    if (!("watermark" in read)) return read;
    const { watermark, row, isHighest } = read;
    this.#newest = watermark;
    if (isHighest) checkHighestId(this.#context, watermark.id, linkedId);
    if (row) this.#context.store.write(() => noteShownRow(this.#context, row));
    if (resets === this.#resets) this.#last = { watermark, atMs };
    return watermark;
  }
}

/**
 * Whether a record is sent although the list cannot be read: the account may only create records, so that waiting does not help, and
 * a denial leaves no doubt about the POST. Reads may also come from a copy that is down: then an alarm is sent after a second attempt
 * at reading. A centre that was not reached, a rejected sign-in and the page of a public network promise nothing for the POST.
 * @param outcome of the read, which a simple read has confirmed
 */
export function isSentUnread({ priorityOrder, attempts }: OutboxEntry, outcome: ReadOutcome): boolean {
  const { mayBeRecordSpecific, code } = outcome;
  const isOfCentre = mayBeRecordSpecific === true && code !== "429" && !/^[23]/.test(code);
  const isUrgent = priorityOrder === URGENT_PRIORITY_ORDER;
  return isOfCentre && (code === "403" || (isUrgent && attempts > 0));
}

/** After a restore from a backup ids are reused, so a later reading may only lower the watermark. */
function lowered(top: Watermark, entry: OutboxEntry): Watermark {
  if (entry.watermark === null || top.id < entry.watermark) return top;
  const oldest = { id: top.id - SEARCH_IDS_MAX, rowFingerprint: null };
  return entry.watermark < oldest.id ? oldest : watermarkOf(entry);
}
