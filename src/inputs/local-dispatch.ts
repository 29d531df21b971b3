import { ApiClient } from "../client/api-client.ts";
import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { TripSite } from "../domain/trip.ts";
import type { Journal } from "../store/journal.ts";
import { IncidentCorrelator } from "./incident-correlator.ts";
import { LocalApi } from "./local-api.ts";
import { RecordCorrections } from "./record-corrections.ts";
import { RecordVersions } from "./record-versions.ts";
import { CONCURRENCY_MAX, TripDispatcher } from "./trip-dispatcher.ts";

export interface DispatchOptions {
  readonly journal: Journal;
  /** Base URL of the local API. */
  readonly baseUrl: string;
  /** A token of the device account. */
  readonly token: () => string;
  readonly host: { readonly bootId: string; readonly time: TrustedTime };
  readonly site: TripSite & { readonly incidentWindowS: number };
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint?: (name: string) => void;
  /** Called with the time from trip to record, in milliseconds, for trips of the current boot. */
  readonly onRecord: (waitMs: number) => void;
}

/** A request over loopback takes milliseconds; this only ends one that hangs. */
const LOOPBACK_TIMEOUT_MS = 10_000;
/** Below the minute for which the server keeps a connection (`http/server`), so that the client always closes it. */
export const LOOPBACK_IDLE_MS = 20_000;

/** The path from the journal to the local API: dispatcher, correlator and their connection. */
export class LocalDispatch {
  readonly #client: ApiClient;
  readonly #dispatcher: TripDispatcher;

  constructor(options: DispatchOptions) {
    const { journal, baseUrl, token, host, site } = options;
    this.#client = new ApiClient({
      baseUrl,
      timeoutMs: LOOPBACK_TIMEOUT_MS,
      keepIdleMs: LOOPBACK_IDLE_MS,
      connectionsMax: CONCURRENCY_MAX,
    });
    const api = new LocalApi({ client: this.#client, token });
    const incidentWindowMs = site.incidentWindowS * 1000;
    const parts = { ...options, api, versions: new RecordVersions() };
    const correlator = new IncidentCorrelator({ ...parts, incidentWindowMs });
    this.#dispatcher = new TripDispatcher({
      ...options,
      ...host,
      trips: journal.trips,
      restores: journal.restores,
      correlator,
      corrections: new RecordCorrections(parts),
    });
  }

  start(): void {
    this.#dispatcher.start();
  }

  /** Hints that there may be trips to dispatch. */
  requestRun(): void {
    this.#dispatcher.requestRun();
  }

  /** Whether trips have waited too long without progress. */
  get isStalled(): boolean {
    return this.#dispatcher.isStalled;
  }

  async stop(): Promise<void> {
    await this.#dispatcher.stop();
    this.#client.close();
  }
}
