import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import type { Intervention, InterventionUpdate } from "../../src/domain/intervention.ts";
import type { FindZoneInRecord } from "../../src/domain/open-contact.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { InterventionStore } from "../../src/store/interventions.ts";
import { TripDispatcher } from "../../src/inputs/trip-dispatcher.ts";
import { OPERATOR_USER, TestApp } from "./app.ts";
import { eventually } from "./eventually.ts";
import { listen } from "./loopback.ts";
import { MonitoredZones } from "./monitored-zones.ts";

/** Zones whose trips are dispatched over HTTP to the real application. */
export class DispatchingSite {
  readonly app: TestApp;
  readonly zones: MonitoredZones;
  /** Receives every request before the application; returns true if it has responded. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean | void = () => {};
  failpoint: (name: string) => void = () => {};
  readonly #server: Server;
  readonly #baseUrl: string;
  #dispatcher: TripDispatcher;

  private constructor(app: TestApp, zones: MonitoredZones, server: Server, port: number) {
    this.app = app;
    this.zones = zones;
    this.#server = server;
    this.#baseUrl = `http://127.0.0.1:${port}`;
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  /**
   * The site ends with the test.
   * @param journalPath in memory by default
   */
  static async make(zones: readonly Zone[], journalPath?: string): Promise<DispatchingSite> {
    const app = await TestApp.make();
    const server = createServer((request, response) => {
      if (made.intercept(request, response) !== true) app.app(request, response);
    });
    const port = await listen(server);
    const records = new InterventionStore(app.database);
    const zoneInRecord: FindZoneInRecord = (...asked) => records.zoneInRecord(...asked);
    const made: DispatchingSite = new DispatchingSite(
      app,
      new MonitoredZones(zones, {
        zoneInRecord,
        clock: app.clock,
        ...(journalPath === undefined ? {} : { journalPath }),
      }),
      server,
      port,
    );
    app.onChange = () => made.zones.zoneService.checkOpenContacts();
    onTestFinished(() => made.#close());
    return made;
  }

  /** Closes and opens a zone, and waits until every trip has become or joined an intervention. */
  async trip(...zoneIds: readonly string[]): Promise<void> {
    for (const zoneId of zoneIds) {
      this.zones.monitor.read(zoneId, "normal", { live: true });
      this.zones.monitor.read(zoneId, "open", { live: true });
    }
    await this.settled();
  }

  /** Waits until no trip is pending. */
  async settled(): Promise<void> {
    const { trips, restores } = this.zones.journal;
    await eventually("every trip to be processed", () => {
      if (trips.nextWaiting(0) === undefined && restores.nextPending(0) === undefined) return true;
      this.#dispatcher.requestRun();
      return false;
    });
  }

  /** Lets time pass, and waits until every trip of it has become or joined an intervention. */
  async pass(ms: number): Promise<void> {
    this.zones.clock.advance(ms);
    await this.settled();
  }

  /** Processes the journal once, as it does every minute. */
  requestDispatch(): void {
    this.#dispatcher.requestRun();
  }

  /** Restarts the daemon. */
  restart(zones?: readonly Zone[]): Promise<void> {
    return this.#again(() => this.zones.restart(zones));
  }

  /** Cuts the power of the machine for a time, without a clean shutdown. */
  powerCut(forMs: number): Promise<void> {
    return this.#again(() => this.zones.losePower(forMs));
  }

  /** Restarts the machine after a clean shutdown. */
  reboot(): Promise<void> {
    return this.#again(() => this.zones.reboot());
  }

  /** Waits for a visible result of the dispatch. */
  async until(look: () => boolean | undefined): Promise<void> {
    await eventually("the outcome", look);
  }

  /** All interventions, oldest first. */
  get records(): readonly Intervention[] {
    return this.app.records();
  }

  /** Disposition of each trip, oldest first. */
  get dispositions(): string[] {
    return this.zones.trips.map(({ state }) => state);
  }

  /** Changes a record as a user of the web panel. */
  change(id: number, changes: InterventionUpdate): void {
    this.app.interventions.update(id, changes, OPERATOR_USER);
  }

  async #close(): Promise<void> {
    await this.#dispatcher.stop();
    this.#server.closeAllConnections();
    this.#server.close();
    this.zones.close();
    await this.app.close();
  }

  async #again(happens: () => void): Promise<void> {
    await this.#dispatcher.stop();
    happens();
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  #newDispatcher(): TripDispatcher {
    return dispatcherOf(this, this.#baseUrl, (name) => this.failpoint(name));
  }
}

/** A trip dispatcher from these zones to the application, not started. */
export function dispatcherOf(
  { app, zones }: { readonly app: TestApp; readonly zones: MonitoredZones },
  baseUrl: string,
  failpoint: (name: string) => void,
): TripDispatcher {
  const { clock, log, health: conditions, journal, host } = zones;
  return new TripDispatcher({
    onRecord: () => {},
    host,
    journal,
    baseUrl,
    token: () => app.tokens.deviceToken(),
    site: { locale: "en", timezone: "Europe/Bucharest", incidentWindowS: 1_800 },
    clock,
    random: () => 0.999,
    log,
    conditions,
    failpoint,
  });
}
