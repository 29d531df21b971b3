import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { Sync, type SyncOptions } from "./sync.ts";

/** The way to the centre that is in force; undefined without a centre. */
export class CurrentSync {
  readonly #options: Omit<SyncOptions, "upstream">;
  #sync: Sync | undefined;

  constructor(upstream: SyncOptions["upstream"] | null, options: Omit<SyncOptions, "upstream">) {
    this.#options = options;
    this.#sync = this.#make(upstream);
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
   * Goes another way from now on, or none: finishes the request under way, then begins with what the outbox says, as
   * after a restart. What changes meanwhile stands in the outbox.
   */
  async exchange(upstream: SyncOptions["upstream"] | null): Promise<void> {
    await this.#sync?.stop();
    // The conditions of the old way do not hold for the new one, which raises its own.
    const { conditions } = this.#options;
    for (const code of CONDITIONS_OF_THE_WAY) conditions.clear(code);
    for (const type of OBJECTIVE_TYPES) conditions.clear("objectives-mirror-stale", type);
    this.#sync = this.#make(upstream);
    this.#sync?.start();
  }

  #make(upstream: SyncOptions["upstream"] | null): Sync | undefined {
    return upstream === null ? undefined : new Sync({ ...this.#options, upstream });
  }
}

const CONDITIONS_OF_THE_WAY = [
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
  "upstream-rejects-records",
  "upstream-alarm-unproved",
  "outbox-write-failed",
] as const;
