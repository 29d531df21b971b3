import { AppError } from "../domain/errors.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry } from "../domain/outbox.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import type { SyncContext } from "./context.ts";
import { unlink } from "./upstream-restore.ts";
import { INCOMPLETE_LISTS } from "./record-search.ts";
import { DENIED, inheritedInFlightValues, UNCLEAR } from "./attempt-outcome.ts";

/** What a person can do about a record that does not reach the centre by itself. */
export class SyncCommands {
  readonly #parts: SyncContext;

  constructor(parts: SyncContext) {
    this.#parts = parts;
  }

  /**
   * Has a record tried again now. One that the centre has deleted is made there anew.
   * @throws AppError `not-found`
   */
  retry(interventionId: number): void {
    const { store } = this.#parts;
    store.write(() => {
      const entry = this.#entry(interventionId);
      const isUnclear =
        entry.phase === "linked" && entry.lastCode === UNCLEAR && entry.missingSinceMs !== null;
      // The person says that what is there is another's: ours is looked for, and made again if it is nowhere.
      if (isUnclear) return unlink(this.#parts, entry);
      const isUnproved = entry.phase === "unsure" && INCOMPLETE_LISTS.has(entry.lastCode ?? "");
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
   * Brings records to the centre again that a trip has joined after a dispatcher had deleted them or a person given them
   * up: of that trip the centre knows nothing.
   */
  sendJoined(): void {
    const { store, log } = this.#parts;
    if (store.outbox.joinedSince().length === 0) return;
    // Read again in the transaction, which moves every moment along with a clock that was set.
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
        store.recordConflict(interventionId, {
          phase,
          reason: "a trip has joined it since; it is sent again",
        });
        log.warn("record-sent-again", { interventionId, phase });
      }
    });
  }

  /** A record that was given up: its first key may have made one that was deleted, and would bring back that one's answer. */
  #underNewKey(entry: OutboxEntry): Partial<OutboxEntry> {
    const { store } = this.#parts;
    const wasSent = entry.watermark !== null;
    const body = { ...entry, attempt: null, sends: 1 };
    const attempt = wasSent
      ? { ...store.newAttempt(body, store.record(entry.interventionId)), atMs: 0 }
      : entry.attempt;
    return { attempt, watermark: entry.watermark ?? 0, possiblyDuplicated: true, sends: 0 };
  }

  /** A retry never doubles: what may have been at the centre at any time is looked for there before it is sent. */
  #searchFirst(entry: OutboxEntry): Partial<OutboxEntry> {
    const { store } = this.#parts;
    if (entry.phase === "gone") {
      const { timeouts, clock } = this.#parts;
      const body = { ...entry, attempt: null, sends: Math.max(1, entry.sends) };
      const attempt = store.newAttempt(body, store.record(entry.interventionId));
      return {
        // What an earlier attempt may still bring there is ours, and no dispatcher's work.
        ...inheritedInFlightValues(entry, attempt.key, timeouts, clock.wallMs()),
        attempt: { ...attempt, atMs: entry.attempt?.atMs ?? 0 },
        sweepAtMs: null,
        possiblyDuplicated: true,
        sends: 1,
      };
    }
    const wasSent = entry.watermark !== null && entry.upstreamId === null;
    if (!wasSent || (entry.phase !== "rejected" && entry.phase !== "blocked")) return {};
    // Where each send was answered, or can no longer arrive, nothing of it is on its way.
    const attempt =
      entry.attempt && (!entry.possiblyDuplicated || entry.sends === 0)
        ? { ...entry.attempt, atMs: 0 }
        : entry.attempt;
    return { attempt, possiblyDuplicated: true, sends: 0 };
  }

  /**
   * Gives up bringing a record to the centre; it stays here.
   * @throws AppError `not-found`; `conflict` for a record that the centre has or may have
   */
  drop(interventionId: number): void {
    const { store } = this.#parts;
    store.write(() => {
      const entry = this.#entry(interventionId);
      const mayBeThere = entry.phase !== "gone" && (entry.upstreamId !== null || entry.sends > 0);
      if (!DROPPABLE.has(entry.phase) || mayBeThere)
        throw new AppError(
          "conflict",
          `intervention ${interventionId} is ${entry.phase}, and the centre has it or may have it`,
          {
            hint: "Delete the intervention; that deletes it at the centre too.",
          },
        );
      store.apply(entry, "withdrawn", { attempt: null, lastError: null, syncedRev: entry.wantRev });
    });
  }

  /**
   * Makes the values here win over the centre's, field by field: after a centre was restored from a backup, its older
   * values look like a dispatcher's changes.
   * @throws AppError `not-found`; `conflict` when the centre does not have the record or cannot be read now
   */
  async reassert(interventionId: number): Promise<void> {
    const { centre, store, watch } = this.#parts;
    const { upstreamId } = this.#entry(interventionId);
    if (upstreamId === null)
      throw new AppError(
        "conflict",
        `intervention ${interventionId} has no record at the centre to set right`,
      );
    const seen = await centre.read(`/interventii/${upstreamId}`);
    await watch.note(seen);
    const shown = seen.value as UpstreamRecord | undefined;
    if (shown?.["id"] !== upstreamId)
      throw new AppError(
        "conflict",
        `the centre does not show its record ${upstreamId} now: ${seen.reason}`,
        {
          hint: "Try again when the link is up.",
        },
      );
    store.write(() => this.#agreeOn(interventionId, upstreamId, shown));
  }

  #agreeOn(interventionId: number, upstreamId: number, shown: UpstreamRecord): void {
    const { store } = this.#parts;
    const entry = this.#entry(interventionId);
    // It was given up or linked to another one while the answer was on its way.
    if (entry.upstreamId !== upstreamId) return;
    const { uid } = store.record(interventionId);
    const base = JSON.stringify(shown);
    // What the centre shows counts as agreed on, so that every difference is a change made here.
    const agreed = JSON.stringify(store.unmarked(shown, uid));
    const changes = {
      base,
      agreed,
      syncedRev: entry.wantRev - 1,
      attempts: 0,
      nextAtMs: 0,
      verifyAtMs: VERIFY_IMMEDIATELY + 1,
      missingSinceMs: null,
    };
    store.apply(entry, "retry", changes);
  }

  #entry(interventionId: number): OutboxEntry {
    const entry = this.#parts.store.outbox.find(interventionId);
    if (!entry) throw new AppError("not-found", `there is no intervention ${interventionId}`);
    return entry;
  }
}

/** Phases in which nothing of the record is at the centre. */
const DROPPABLE: ReadonlySet<OutboxPhase> = new Set(["new", "blocked", "rejected", "gone"]);
