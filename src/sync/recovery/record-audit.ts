import { compareWithCentre, isSameDifference, type ComparedRecord } from "../../domain/comparison.ts";
import type { Difference } from "../../domain/difference.ts";
import { carriesMarker, identifyingPart, type MatchCandidate } from "../../domain/match-candidate.ts";
import { verifyAheadAtMs, type OutboxEntry } from "../../domain/outbox.ts";
import type { ComparedRow } from "../../store/compared-records.ts";
import { ChangedRows } from "./changed-rows.ts";
import { isCopied, isOwnCall, reportCopy } from "./copied-records.ts";
import { formerIdOf, noteAllIds } from "./gone-records.ts";
import { ListedTexts, mayHideReferences } from "./listed-texts.ts";
import { REACHED, ReadBack } from "./read-back.ts";
import { RecordAdoption } from "./record-adoption.ts";
import type { SyncContext } from "../context.ts";
import { removeOldTestRecords } from "../test-records.ts";
import { NO_WATERMARK, recordsAbove } from "./record-search.ts";
import { SharedReference } from "./shared-reference.ts";
import { linkShownAgain } from "./shown-again.ts";

/** The comparison runs hourly, at a random time of each site, so that sites do not all send it at once. */
const INTERVAL_MS = 3_600_000;
/** Maximum delay of the first comparison after a start. */
const FIRST_DELAY_MAX_MS = 300_000;
/** Records changed more recently than this are skipped: the change may be in flight, or missing on a replica. */
const RECENT_MS = 10_000;
/** Deleted records are compared this long: backups that are restored are not older. */
const DELETIONS_COMPARED_MS = 30 * 86_400_000;
const DIFFERENCES_MAX = 100;
/** The code of a comparison that an error of this program has ended. */
const NOT_FINISHED = "NOT-FINISHED";

/** Compares every record of this site with the list of the dispatch centre regularly, and corrects differences. */
export class RecordAudit {
  readonly #context: SyncContext;
  readonly #adoption: RecordAdoption;
  readonly #readBack: ReadBack;
  readonly #texts: ListedTexts;
  readonly #sharedReference: SharedReference;
  readonly #changed: ChangedRows;
  #dueAtMs: number;
  #running: Promise<void> | undefined;

  /** @param nextDue the entry that is to be sent now, an alarm first; undefined without one */
  constructor(context: SyncContext, nextDue: () => OutboxEntry | undefined) {
    this.#context = context;
    this.#adoption = new RecordAdoption(context);
    this.#readBack = new ReadBack(context, this.#adoption, nextDue);
    this.#texts = new ListedTexts(context);
    this.#sharedReference = new SharedReference(context);
    this.#changed = new ChangedRows(context);
    this.#dueAtMs = context.clock.monotonicMs() + context.random() * FIRST_DELAY_MAX_MS;
  }

  /** Makes the next check compare at once. */
  makeDue(): void {
    this.#dueAtMs = 0;
  }

  /**
   * Adopts this site's records before its first request. A list that cannot be read completely delays alarms once.
   * @returns false while the link does not allow it
   */
  readBackRecords(): Promise<boolean> {
    return this.#readBack.run();
  }

  /** Resolves when the records are not being read back. */
  stop(): Promise<void> {
    return this.#readBack.stop();
  }

  /** Compares if it is due; a call during a comparison returns that one. */
  runIfDue(): Promise<void> {
    const { clock, random, linkFaults } = this.#context;
    if (this.#running) return this.#running;
    if (clock.monotonicMs() < this.#dueAtMs || !linkFaults.isOpen) return Promise.resolve();
    this.#dueAtMs = clock.monotonicMs() + INTERVAL_MS * (0.9 + 0.2 * random());
    this.#running = this.#compare()
      .catch((error: unknown) => {
        this.#context.syncConditions.noteComparison(NOT_FINISHED);
        throw error;
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #compare(): Promise<void> {
    const { store, centre, linkFaults, log, syncConditions } = this.#context;
    const before = store.compared.links();
    const found = await recordsAbove(centre, NO_WATERMARK);
    if (found.kind === "undetermined") {
      log.info("record-comparison-failed", { reason: found.outcome.reason });
      syncConditions.noteComparison(found.outcome.code);
      return void (await linkFaults.noteList(found.outcome));
    }
    await linkFaults.note(REACHED);
    const listed = await this.#withTexts(found.rows);
    if (!listed) return log.info("record-comparison-failed", { reason: "the link was lost" });
    const tests = await removeOldTestRecords(this.#context, listed);
    if (tests.length > 0) log.info("test-records-removed", { upstreamIds: tests });
    const rows = new Map(listed.map((row) => [row.id, row]));
    store.write(() => {
      linkShownAgain(this.#context, rows);
      noteAllIds(this.#context, [...rows.keys()]);
    });
    const earlier = store.facts.comparison?.differences ?? [];
    const { records, differences } = this.#compareRows(listed, before);
    this.#changed.recheck(rows);
    for (const difference of differences) {
      if (!linkFaults.isOpen) return;
      const { kind, upstreamIds } = difference;
      const ids = String(upstreamIds);
      const isNew = !earlier.some(
        (other) => isSameDifference(difference, other) && String(other.upstreamIds) === ids,
      );
      if (kind === "alive-there") await this.#deleteAgain(difference, isNew);
      else if (kind === "unknown-here") this.#adoption.adopt(upstreamIds.flatMap((id) => rows.get(id) ?? []));
      else if (kind !== "twice-there") this.#recheck(difference, records);
      else if (isNew && isCopied(this.#context, difference, rows)) reportCopy(this.#context, difference);
      // One that is not new has its next sweep.
      else if (isNew) this.#recheck(difference, records);
    }
    syncConditions.noteComparison(undefined);
  }

  /** The rows with the texts that the list lacks; undefined if the link was lost. Adopts those of a new memory card. */
  async #withTexts(rows: readonly MatchCandidate[]): Promise<readonly MatchCandidate[] | undefined> {
    const own = await this.#texts.ofOwn(rows);
    if (!own) return undefined;
    const { facts, isMarked } = this.#context.store;
    const isSought = !facts.hasReadBack && isMarked && mayHideReferences(rows);
    const all = isSought ? await this.#texts.ofOthers(own) : { rows: own, isWhole: true };
    if (all?.isWhole === true) this.#readBack.adoptOnce(all.rows);
    return all?.rows;
  }

  /** Compares the rows and stores the result. */
  #compareRows(
    rows: readonly MatchCandidate[],
    before: ReadonlyMap<number, number>,
  ): { records: readonly ComparedRow[]; differences: readonly Difference[] } {
    const { store, clock, log, syncConditions } = this.#context;
    return store.write(() => {
      const atMs = clock.wallMs();
      const records = store.compared.all(identifyingPart);
      const highest = Math.max(store.compared.highestLinked(), store.facts.highestRemoved);
      const { here, there, differences } = compareWithCentre(
        records.map((record) => this.#compared(record, before, atMs)),
        rows,
        // Retention removes finished records here; they stay at the centre.
        {
          siteRef: this.#context.siteRef,
          isFinished: (row) => row["status"] === "done" && row.id <= highest,
        },
      );
      const earlier = store.facts.comparison?.differences ?? [];
      const shown = differences.slice(0, DIFFERENCES_MAX);
      store.facts.noteComparison({
        atMs,
        here,
        there,
        differing: differences.length,
        differences: shown,
      });
      const hasStayed = shown.some((one) => earlier.some((other) => isSameDifference(one, other)));
      if (hasStayed)
        this.#context.conditions.raise("upstream-differs", { here, there, differences: differences.length });
      else this.#context.conditions.clear("upstream-differs");
      syncConditions.declareReassignedId();
      this.#sharedReference.look(differences);
      log.info("records-compared", { here, there, differences: differences.length });
      return { records, differences };
    });
  }

  #compared(record: ComparedRow, before: ReadonlyMap<number, number>, atMs: number): ComparedRecord {
    const { interventionId, uid, name, phase, upstreamId, watermark, base } = record;
    return {
      interventionId,
      name,
      upstreamId,
      watermark,
      base,
      marker: this.#context.store.markerOf(uid),
      wanted: wantedOf(record, phase === "linked" && before.get(interventionId) !== upstreamId, atMs),
    };
  }

  /** Makes a record due for verification or a sweep at once. */
  #recheck({ kind, interventionId, upstreamIds }: Difference, records: readonly ComparedRow[]): void {
    const { store, clock } = this.#context;
    if (interventionId === null || !records.some((record) => record.interventionId === interventionId))
      return;
    store.write(() => {
      const entry = store.entry(interventionId);
      if (entry.phase !== "linked") return;
      const nowMs = clock.wallMs();
      if (kind !== "twice-there") {
        store.outbox.save({ ...entry, verifyAtMs: verifyAheadAtMs(entry, nowMs) });
        return;
      }
      const lowest = Math.max(0, Math.min(...upstreamIds) - 1);
      const watermark = Math.min(entry.watermark ?? lowest, lowest);
      store.outbox.save({ ...entry, watermark, watermarkFingerprint: null, sweeps: 0, sweepAtMs: nowMs });
    });
  }

  /**
   * Deletes a record again that a restored centre has brought back, if it is still the one that was deleted.
   * @param isNew whether to report the records of other events with its marker: they stay
   */
  async #deleteAgain(difference: Difference, isNew: boolean): Promise<void> {
    const { store, centre, linkFaults, log } = this.#context;
    const { interventionId, upstreamIds } = difference;
    if (interventionId === null) return;
    const marker = store.markerOf(store.record(interventionId).uid);
    const copies: number[] = [];
    for (const id of upstreamIds) {
      const seen = await centre.record(id);
      const row = seen.value as MatchCandidate | undefined;
      const entry = store.entry(interventionId);
      if (row?.id !== id || !carriesMarker(row, marker) || !entry.deleted || entry.phase !== "closed")
        continue;
      const hasOtherId = ![0, id].includes(formerIdOf(entry));
      if (hasOtherId || !isOwnCall(this.#context, entry, row)) {
        copies.push(id);
        continue;
      }
      const outcome = await centre.remove(id);
      await linkFaults.note(outcome, interventionId);
      if (outcome.event !== "removed") continue;
      log.warn("deleted-record-removed-again", { interventionId, upstreamId: id });
      const reason = `record ${id} was deleted here, and the dispatch centre had it again: it was deleted there again`;
      store.write(() => store.recordConflict(interventionId, "deleted-again", { phase: "closed", reason }));
    }
    if (isNew && copies.length > 0) reportCopy(this.#context, { ...difference, upstreamIds: copies });
  }
}

/** Whether a record should be in the centre's list. */
function wantedOf(
  { phase, isDeleted, changedAtMs }: ComparedRow,
  isNewlyLinked: boolean,
  atMs: number,
): ComparedRecord["wanted"] {
  const ageMs = atMs - changedAtMs;
  if (ageMs >= 0 && ageMs < RECENT_MS) return "moving";
  if (phase === "linked" && !isDeleted && !isNewlyLinked) return "there";
  return phase === "closed" && isDeleted && ageMs < DELETIONS_COMPARED_MS ? "not-there" : "moving";
}
