import { AppError } from "../domain/errors.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry } from "../domain/outbox.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import type { SyncContext } from "./context.ts";
import { unlink } from "./recovery/id-owner.ts";
import { searchedFirst } from "./recovery/gone-records.ts";
import { UNCLEAR } from "./recovery/absent-records.ts";
import { DENIED, UNPROVED } from "./recovery/last-codes.ts";

/** Commands of users for records that do not reach the dispatch centre automatically. */
export class SyncCommands {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /**
   * Retries a record now. One that the centre has deleted is created again.
   * @throws AppError `not-found`
   */
  retry(interventionId: number): void {
    const { store } = this.#context;
    store.write(() => {
      const entry = this.#entry(interventionId);
      const isUnclear =
        entry.phase === "linked" && entry.lastCode === UNCLEAR && entry.missingSinceMs !== null;
      // The user confirms that the linked record is another one: search for ours, and create it if it is not found.
      if (isUnclear) return unlink(this.#context, entry);
      const isUnproved = entry.phase === "unsure" && UNPROVED.has(entry.lastCode ?? "");
      const denied = isUnproved && !entry.deleted ? { lastCode: DENIED } : {};
      store.apply(entry, "retry", {
        ...this.#searchFirst(entry),
        ...denied,
        attempts: 0,
        refusals: 0,
        nextAtMs: 0,
      });
    });
  }

  /**
   * Sends records again that a trip has joined after a dispatcher deleted them or a user dropped them. The centre
   * does not know of that trip.
   */
  sendJoined(): void {
    const { store, log } = this.#context;
    if (store.outbox.joinedSince().length === 0) return;
    // Read again in the transaction, which adjusts all times after a clock step.
    store.write(() => {
      for (const entry of store.outbox.joinedSince()) {
        const { interventionId, phase } = entry;
        const search = phase === "gone" ? this.#searchFirst(entry) : this.#underNewKey(entry);
        store.apply(entry, "joined", {
          ...search,
          sweepAtMs: null,
          attempts: 0,
          refusals: 0,
          nextAtMs: 0,
        });
        store.recordConflict(interventionId, "sent-again", {
          phase,
          reason: "a trip has joined this intervention since; it is sent again",
        });
        log.warn("record-sent-again", { interventionId, phase });
      }
    });
  }

  /**
   * For a dropped record. Its first key may have created a record that was deleted, and would repeat that response.
   */
  #underNewKey(entry: OutboxEntry): Partial<OutboxEntry> {
    const { store } = this.#context;
    const wasSent = entry.watermark !== null;
    const body = { ...entry, attempt: null, sends: 1 };
    const attempt = wasSent
      ? { ...store.newAttempt(body, store.record(entry.interventionId)), atMs: 0 }
      : entry.attempt;
    return { attempt, watermark: entry.watermark ?? 0, possiblyDuplicated: true, sends: 0, lastCode: null };
  }

  /** A retry never creates a duplicate: a record that may exist is searched for before it is sent. */
  #searchFirst(entry: OutboxEntry): Partial<OutboxEntry> {
    if (entry.phase === "gone") return searchedFirst(this.#context, entry);
    const wasSent = entry.watermark !== null && entry.upstreamId === null;
    if (!wasSent || (entry.phase !== "rejected" && entry.phase !== "blocked")) return {};
    // If each send was confirmed or can no longer arrive, nothing is in flight.
    const attempt =
      entry.attempt && (!entry.possiblyDuplicated || entry.sends === 0)
        ? { ...entry.attempt, atMs: 0 }
        : entry.attempt;
    return { attempt, possiblyDuplicated: true, sends: 0 };
  }

  /**
   * Stops sending a record; it stays in the local database.
   * @throws AppError `not-found`; `conflict` for a record that the centre has or may have
   */
  drop(interventionId: number): void {
    const { store } = this.#context;
    store.write(() => {
      const entry = this.#entry(interventionId);
      const mayBeThere = entry.phase !== "gone" && (entry.upstreamId !== null || entry.sends > 0);
      if (!DROPPABLE.has(entry.phase) || mayBeThere)
        throw new AppError(
          "conflict",
          `intervention ${interventionId} is ${entry.phase}; the dispatch centre has it or may have it`,
          {
            hint: "Delete the intervention; this also deletes it at the dispatch centre.",
          },
        );
      store.apply(entry, "withdrawn", { attempt: null, lastError: null, syncedRev: entry.wantRev });
    });
  }

  /**
   * Makes the local values win over the centre's, field by field. After a centre was restored from a backup, its
   * older values look like a dispatcher's changes.
   * @throws AppError `not-found`; `conflict` if the centre does not have the record or cannot be read now
   */
  async reassert(interventionId: number): Promise<void> {
    const { centre, store, linkFaults } = this.#context;
    const { upstreamId } = this.#entry(interventionId);
    if (upstreamId === null)
      throw new AppError(
        "conflict",
        `intervention ${interventionId} has no record at the dispatch centre to correct`,
      );
    const seen = await centre.record(upstreamId);
    await linkFaults.note(seen, interventionId);
    const shown = seen.value as UpstreamRecord | undefined;
    if (shown?.["id"] !== upstreamId)
      throw new AppError(
        "conflict",
        `record ${upstreamId} of the dispatch centre cannot be read now: ${seen.reason}`,
        {
          hint: "Try again when the link is up.",
        },
      );
    store.write(() => this.#agreeOn(interventionId, upstreamId, shown));
  }

  #agreeOn(interventionId: number, upstreamId: number, shown: UpstreamRecord): void {
    const { store } = this.#context;
    const entry = this.#entry(interventionId);
    // The record was dropped or linked to another one during the read.
    if (entry.upstreamId !== upstreamId) return;
    const { uid } = store.record(interventionId);
    const base = JSON.stringify(shown);
    // The centre's values count as agreed, so that every difference is a local change.
    const agreed = JSON.stringify(store.unmarked(shown, uid));
    const changes = {
      base,
      agreed,
      unpulled: [],
      syncedRev: entry.wantRev - 1,
      attempts: 0,
      nextAtMs: 0,
      verifyAtMs: VERIFY_IMMEDIATELY + 1,
      missingSinceMs: null,
    };
    store.apply(entry, "retry", changes);
  }

  #entry(interventionId: number): OutboxEntry {
    const entry = this.#context.store.outbox.find(interventionId);
    if (!entry) throw new AppError("not-found", `there is no intervention ${interventionId}`);
    return entry;
  }
}

/** Phases in which the dispatch centre does not have the record. */
const DROPPABLE: ReadonlySet<OutboxPhase> = new Set(["new", "blocked", "rejected", "gone"]);
