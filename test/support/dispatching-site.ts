import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiClient } from "../../src/client/api-client.ts";
import type { Intervention, InterventionUpdate } from "../../src/domain/intervention.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { IncidentDesk } from "../../src/inputs/incident-desk.ts";
import { LocalApi } from "../../src/inputs/local-api.ts";
import { TripDispatcher } from "../../src/inputs/trip-dispatcher.ts";
import { SOMEBODY, TestApp } from "./app.ts";
import { eventually } from "./eventually.ts";
import { WatchedZones } from "./watched-zones.ts";

/** Watched zones whose trips go over HTTP into the real application. */
export class DispatchingSite {
  readonly app: TestApp;
  readonly zones: WatchedZones;
  /** Sees every request before the application does; true when it has answered by itself. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean | void = () => {};
  failpoint: (name: string) => void = () => {};
  readonly #server: Server;
  readonly #client: ApiClient;
  #dispatcher: TripDispatcher;

  private constructor(app: TestApp, zones: WatchedZones, server: Server) {
    this.app = app;
    this.zones = zones;
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.#client = new ApiClient({
      baseUrl: `http://127.0.0.1:${port}`,
      timeoutMs: 10_000,
      keepIdleMs: 1_000,
    });
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  static async make(zones: readonly Zone[]): Promise<DispatchingSite> {
    const app = await TestApp.make();
    const server = createServer((request, response) => {
      if (made.intercept(request, response) !== true) app.app(request, response);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const made: DispatchingSite = new DispatchingSite(app, new WatchedZones(zones), server);
    return made;
  }

  /** A zone closes, opens, and everything that was seen becomes or joins an intervention. */
  async trip(...zoneIds: readonly string[]): Promise<void> {
    for (const zoneId of zoneIds) {
      this.zones.monitor.read(zoneId, "normal", { live: true });
      this.zones.monitor.read(zoneId, "open", { live: true });
    }
    await this.settled();
  }

  /** Waits until no trip is waiting any more. */
  async settled(): Promise<void> {
    const { trips } = this.zones.journal;
    await eventually("every trip to be settled", () => {
      if (trips.count("waiting") === 0) return true;
      this.#dispatcher.kick();
      return false;
    });
  }

  /** Looks through the journal once, as it does every minute. */
  kick(): void {
    this.#dispatcher.kick();
  }

  /** The daemon ends and starts again. */
  async restart(): Promise<void> {
    await this.#dispatcher.stop();
    this.zones.restart();
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  /** The machine loses its power for a while: nothing says good-bye. */
  async powerCut(forMs: number): Promise<void> {
    await this.#dispatcher.stop();
    this.zones.losePower(forMs);
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  /** The machine is restarted in good order. */
  async reboot(): Promise<void> {
    await this.#dispatcher.stop();
    this.zones.reboot();
    this.#dispatcher = this.#newDispatcher();
    this.#dispatcher.start();
  }

  /** Waits for a visible outcome of what was kicked. */
  async until(look: () => boolean | undefined): Promise<void> {
    await eventually("the outcome", look);
  }

  /** Every intervention, the oldest first. */
  get records(): readonly Intervention[] {
    return this.app.records();
  }

  /** What became of each trip, the oldest first. */
  get fates(): string[] {
    return this.zones.trips.map(({ state }) => state);
  }

  /** Somebody at the panel changes a record. */
  change(id: number, changes: InterventionUpdate): void {
    this.app.interventions.update(id, changes, SOMEBODY);
  }

  async close(): Promise<void> {
    await this.#dispatcher.stop();
    this.#client.close();
    this.#server.closeAllConnections();
    this.#server.close();
    this.zones.close();
    await this.app.close();
  }

  #newDispatcher(): TripDispatcher {
    const { clock, log, health: conditions, journal, host } = this.zones;
    const api = new LocalApi({ client: this.#client, token: () => this.app.tokens.deviceToken() });
    const failpoint = (name: string): void => this.failpoint(name);
    return new TripDispatcher({
      onRecord: () => {},
      ...host,
      trips: journal.trips,
      desk: new IncidentDesk({ journal, api, incidentWindowMs: 1_800_000, log, failpoint }),
      timezone: "Europe/Bucharest",
      clock,
      random: () => 0.999,
      log,
      conditions,
    });
  }
}
