import type { TraitFinding } from "../domain/centre-trait.ts";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { STANDALONE, type LinkStatus } from "../domain/link-status.ts";
import type { ObjectiveType } from "../domain/objective.ts";
import type { ObjectiveUser } from "../domain/objective-names.ts";
import { objectiveOf } from "../domain/test-record.ts";
import type { Zone } from "../domain/zone.ts";
import { clearConditionsOfCentre } from "../domain/centre-conditions.ts";
import type { PullProgress } from "./objectives/objective-list.ts";
import { ObjectiveNames } from "./objectives/objective-names.ts";
import type { ListOutcome } from "./objectives/objective-mirror.ts";
import type { LinkState } from "./link.ts";
import type { CurrentTransmitter } from "./transmitter/current-transmitter.ts";
import { Sync, type SyncOptions } from "./sync.ts";

/** The mirror of the centre's objectives. */
export interface MirrorState {
  readonly progress: PullProgress | undefined;
  /** The outcome of the last read of each list since the start. */
  readonly outcomes: Readonly<Partial<Record<ObjectiveType, ListOutcome>>>;
}

interface SyncPortOptions extends Omit<SyncOptions, "upstream" | "onListed"> {
  /** Whether nothing may be sent: this machine is not known to be the one of the site. */
  readonly isHeld: () => boolean;
}

type Upstream = SyncOptions["upstream"] | null;

/**
 * Holds the sync with the current configuration; there is none without a dispatch centre, and while it is held. What other
 * threads read of it and ask of it: arguments and results are plain data.
 */
export class SyncPort {
  #options: SyncPortOptions;
  readonly #transmitter: CurrentTransmitter;
  readonly #names: ObjectiveNames;
  #centre: string | undefined;
  #sync: Sync | undefined;
  #isStarted = false;
  #isStopped = false;

  constructor(upstream: Upstream, transmitter: CurrentTransmitter, options: SyncPortOptions) {
    this.#options = options;
    this.#transmitter = transmitter;
    this.#names = new ObjectiveNames(options);
    this.#sync = this.#create(upstream);
  }

  link(): LinkStatus {
    return this.#sync ? linkStatusAt(this.#sync.link, this.#options.clock.wallMs()) : STANDALONE;
  }

  /** Undefined for a standalone daemon. */
  mirror(): MirrorState | undefined {
    const mirror = this.#sync?.mirror;
    return mirror && { progress: mirror.progress, outcomes: mirror.outcomes };
  }

  /** Has an effect once: records that end during the start of the daemon are asked by their restart and by that start. */
  start(): void {
    if (!this.#isStarted) this.#sync?.start();
    this.#isStarted = true;
    this.#transmitter.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#sync?.stop(), this.#transmitter.stop()]);
  }

  /** Called when a record has changed, as `Sync.changed`. */
  changed(change: Parameters<Sync["changed"]>[0]): void {
    this.#sync?.changed(change);
  }

  /**
   * Replaces the sync, or ends it for null. Finishes the request in flight, then continues from the outbox as
   * after a restart. Changes in the meantime wait in the outbox.
   * @param siteRef `site.ref` from now on
   */
  async exchange(upstream: Upstream, siteRef: string): Promise<void> {
    // A reload can reach records before the start, and the start while the old sync is being stopped.
    this.#isStarted = true;
    await this.#sync?.stop();
    // The daemon was stopped meanwhile, and its database may be closed.
    if (this.#isStopped) return;
    // The conditions of the old dispatch centre do not apply to the new one.
    clearConditionsOfCentre(this.#options.conditions);
    this.#options = { ...this.#options, site: { ...this.#options.site, ref: siteRef } };
    this.#sync = this.#create(upstream);
    this.#sync?.start();
  }

  /** Sets what uses objectives: the centre must have them, and mean the same by their ids. */
  useObjectives(users: readonly ObjectiveUser[]): void {
    this.#names.use(users);
    this.#names.check(this.#centre);
  }

  /** As `CurrentTransmitter.exchange`. */
  exchangeTransmitter(...next: Parameters<CurrentTransmitter["exchange"]>): Promise<void> {
    return this.#transmitter.exchange(...next);
  }

  /** Retries everything now; does nothing for a standalone daemon. */
  async now(): Promise<void> {
    await this.#sync?.now();
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

  #create(upstream: Upstream): Sync | undefined {
    this.#centre = upstream?.baseUrl;
    this.#names.check(this.#centre);
    if (upstream === null || this.#options.isHeld()) return undefined;
    const onListed = (): void => this.#names.check(upstream.baseUrl);
    return new Sync({ ...this.#options, upstream, onListed });
  }

  #required(hint?: string): Sync {
    if (this.#sync) return this.#sync;
    const message = "standalone mode: no dispatch centre configured";
    throw new AppError("conflict", message, hint === undefined ? {} : { hint });
  }
}

const ANSWERED_STEP_MS = 10_000;

/** The state of the link with times instead of waits, rounded, so that repeated requests return the same ones. */
export function linkStatusAt(
  { state, reason, cause, waitMs, alarmWaitMs, answeredAgoMs }: LinkState,
  nowMs: number,
): LinkStatus {
  const attemptAt = (ms: number): string | null =>
    ms > 0 ? isoTime(Math.round((nowMs + ms) / 1000) * 1000) : null;
  const answeredMs =
    answeredAgoMs === null ? null : Math.floor((nowMs - answeredAgoMs) / ANSWERED_STEP_MS) * ANSWERED_STEP_MS;
  return {
    state,
    reason,
    cause,
    nextAttemptAt: attemptAt(waitMs),
    alarmNextAttemptAt: attemptAt(alarmWaitMs),
    answeredAt: answeredMs === null ? null : isoTime(answeredMs),
  };
}
