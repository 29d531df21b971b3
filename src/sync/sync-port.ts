import type { TraitFinding } from "../domain/centre-trait.ts";
import { isoTime, type Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { STANDALONE, type LinkStatus } from "../domain/link-status.ts";
import type { ObjectiveType } from "../domain/objective.ts";
import { objectiveOf } from "../domain/test-record.ts";
import type { Zone } from "../domain/zone.ts";
import type { ListOutcome, PullProgress } from "./objectives/objective-mirror.ts";
import type { CurrentSync } from "./current-sync.ts";
import type { CurrentTransmitter } from "./transmitter/current-transmitter.ts";
import type { Sync, SyncOptions } from "./sync.ts";

/** The mirror of the centre's objectives. */
export interface MirrorState {
  readonly progress: PullProgress | undefined;
  /** The outcome of the last read of each list since the start. */
  readonly outcomes: Readonly<Partial<Record<ObjectiveType, ListOutcome>>>;
}

/** What other threads read of the sync and ask of it. Arguments and results are plain data. */
export class SyncPort {
  readonly #current: CurrentSync;
  readonly #transmitter: CurrentTransmitter;
  readonly #clock: Clock;

  constructor(current: CurrentSync, transmitter: CurrentTransmitter, clock: Clock) {
    this.#current = current;
    this.#transmitter = transmitter;
    this.#clock = clock;
  }

  link(): LinkStatus {
    const sync = this.#current.sync;
    if (!sync) return STANDALONE;
    const { state, reason, waitMs, answeredAgoMs } = sync.link;
    const nowMs = this.#clock.wallMs();
    // Rounded, so that repeated requests return the same times.
    const nextAttemptMs = Math.round((nowMs + waitMs) / 1000) * 1000;
    const answeredMs =
      answeredAgoMs === null
        ? null
        : Math.floor((nowMs - answeredAgoMs) / ANSWERED_STEP_MS) * ANSWERED_STEP_MS;
    return {
      state,
      reason,
      nextAttemptAt: waitMs > 0 ? isoTime(nextAttemptMs) : null,
      answeredAt: answeredMs === null ? null : isoTime(answeredMs),
    };
  }

  /** Undefined for a standalone daemon. */
  mirror(): MirrorState | undefined {
    const mirror = this.#current.sync?.mirror;
    return mirror && { progress: mirror.progress, outcomes: mirror.outcomes };
  }

  start(): void {
    this.#current.start();
    this.#transmitter.start();
  }

  /** As `CurrentSync.exchange`. */
  exchange(upstream: SyncOptions["upstream"] | null): Promise<void> {
    return this.#current.exchange(upstream);
  }

  /** As `CurrentTransmitter.exchange`. */
  exchangeTransmitter(...next: Parameters<CurrentTransmitter["exchange"]>): Promise<void> {
    return this.#transmitter.exchange(...next);
  }

  /** Retries everything now; does nothing for a standalone daemon. */
  async now(): Promise<void> {
    await this.#current.sync?.now();
  }

  /**
   * Tests the dispatch centre with records that are removed again.
   * @param zones name the objective of the test records
   * @throws AppError `conflict` for a standalone daemon
   */
  async tryCentre(zones: readonly Zone[]): Promise<readonly TraitFinding[]> {
    const { findings } = await this.#required("Set upstream in the configuration.").trials.run(
      objectiveOf(zones),
    );
    return findings;
  }

  /**
   * Runs an action on one record that needs attention.
   * @throws AppError `not-found`; `conflict` if the action does not apply or the dispatch centre cannot be read now
   */
  async act(interventionId: number, action: "retry" | "drop" | "reassert"): Promise<void> {
    await this.#required()[action](interventionId);
  }

  /**
   * Pulls the objective lists now.
   * @param options isLossAccepted: accepts a list even if most of its objectives were removed
   * @throws AppError `conflict` for a standalone daemon
   */
  async pullObjectives(options: { readonly isLossAccepted: boolean }): Promise<void> {
    await this.#required().pullObjectives(options);
  }

  #required(hint?: string): Sync {
    const sync = this.#current.sync;
    if (sync) return sync;
    const message = "standalone mode: no dispatch centre configured";
    throw new AppError("conflict", message, hint === undefined ? {} : { hint });
  }
}

const ANSWERED_STEP_MS = 10_000;
