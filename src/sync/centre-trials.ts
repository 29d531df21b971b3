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
  /** Creates a UUID of version 7. */
  readonly newKey: () => string;
}

/** Tests the dispatch centre with test records, one run at a time, and stores the results for the sync. */
export class CentreTrials {
  readonly #options: CentreTrialsOptions;
  readonly #facts: UpstreamCapabilities;
  #running: Promise<TrialResult> | undefined;

  constructor(options: CentreTrialsOptions) {
    this.#options = options;
    this.#facts = new UpstreamCapabilities(options.database);
    this.#applyTraits();
  }

  /** Starts a test run; a call during a run returns the result of that run. */
  run(objective: CentreTrialOptions["objective"]): Promise<TrialResult> {
    this.#running ??= this.#run(objective).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(objective: CentreTrialOptions["objective"]): Promise<TrialResult> {
    const { database } = this.#options;
    const result = await new CentreTrial({ ...this.#options, objective }).run();
    const { traits } = result;
    if (traits) transaction(database, () => this.#facts.noteTraits(traits));
    this.#applyTraits();
    return result;
  }

  /** The marker field is chosen per record; only the maximum page size is applied here. */
  #applyTraits(): void {
    const { centre, baseUrl } = this.#options;
    const { traits } = this.#facts;
    if (traits?.baseUrl === baseUrl) centre.rowsMax = Math.max(centre.rowsMax, traits.rowsMax);
  }
}
