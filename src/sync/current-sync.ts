import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { Sync, type SyncOptions } from "./sync.ts";

export interface CurrentSyncOptions extends Omit<SyncOptions, "upstream"> {
  /** Whether nothing may be sent: this machine is not known to be the one of the site. */
  readonly isHeld: () => boolean;
}

/** Holds the sync with the current configuration; undefined without a dispatch centre, and while it is held. */
export class CurrentSync {
  readonly #options: CurrentSyncOptions;
  #sync: Sync | undefined;

  constructor(upstream: SyncOptions["upstream"] | null, options: CurrentSyncOptions) {
    this.#options = options;
    this.#sync = this.#create(upstream);
  }

  get sync(): Sync | undefined {
    return this.#sync;
  }

  start(): void {
    this.#sync?.start();
  }

  async stop(): Promise<void> {
    await this.#sync?.stop();
  }

  /**
   * Replaces the sync, or ends it for null. Finishes the request in flight, then continues from the outbox as
   * after a restart. Changes in the meantime wait in the outbox.
   */
  async exchange(upstream: SyncOptions["upstream"] | null): Promise<void> {
    await this.#sync?.stop();
    // The conditions of the old dispatch centre do not apply to the new one.
    const { conditions } = this.#options;
    for (const code of SYNC_CONDITIONS) conditions.clear(code);
    for (const type of OBJECTIVE_TYPES) conditions.clear("objectives-mirror-stale", type);
    this.#sync = this.#create(upstream);
    this.#sync?.start();
  }

  #create(upstream: SyncOptions["upstream"] | null): Sync | undefined {
    return upstream === null || this.#options.isHeld() ? undefined : new Sync({ ...this.#options, upstream });
  }
}

const SYNC_CONDITIONS = [
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
  "upstream-rejects-records",
  "upstream-alarm-unproved",
  "outbox-write-failed",
] as const;
