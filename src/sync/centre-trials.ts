import type { Clock } from "../domain/clock.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { CentreTrial, type CentreTrialOptions, type TrialResult } from "./centre-trial.ts";

export interface CentreTrialsOptions {
  readonly centre: UpstreamClient;
  readonly clock: Clock;
  readonly database: Database;
  readonly baseUrl: string;
  readonly siteRef: string;
  /** Makes a UUID of version 7. */
  readonly newKey: () => string;
}

/** Tries the centre with test records, one try at a time, and keeps what it has shown for the rules of the sync. */
export class CentreTrials {
  readonly #options: CentreTrialsOptions;
  readonly #facts: UpstreamCapabilities;
  #running: Promise<TrialResult> | undefined;

  constructor(options: CentreTrialsOptions) {
    this.#options = options;
    this.#facts = new UpstreamCapabilities(options.database);
    this.#follow();
  }

  /** Asked for again meanwhile, it gives the result of the try under way. */
  run(objective: CentreTrialOptions["objective"]): Promise<TrialResult> {
    this.#running ??= this.#run(objective).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(objective: CentreTrialOptions["objective"]): Promise<TrialResult> {
    const { database } = this.#options;
    const result = await new CentreTrial({ ...this.#options, objective }).run();
    const { traits } = result;
    if (traits) transaction(database, () => this.#facts.noteTraits(traits));
    this.#follow();
    return result;
  }

  /** The marker is chosen with each record; how much one answer holds, the centre's lists need. */
  #follow(): void {
    const { centre, baseUrl } = this.#options;
    const { traits } = this.#facts;
    if (traits?.baseUrl === baseUrl) centre.rowsMax = Math.max(centre.rowsMax, traits.rowsMax);
  }
}
