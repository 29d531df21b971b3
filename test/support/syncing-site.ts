import { createServer, type RequestListener } from "node:http";
import { ApiClient } from "../../src/client/api-client.ts";
import { TokenCache } from "../../src/client/token-cache.ts";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import type { MarkerField } from "../../src/domain/marker.ts";
import type { OutboxEntry } from "../../src/domain/outbox.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { OutboxStore } from "../../src/store/outbox.ts";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { storeCapabilities } from "../../src/sync/sign-in-capabilities.ts";
import { UpstreamClient } from "../../src/sync/upstream-client.ts";
import { Link } from "../../src/sync/link.ts";
import { Push } from "../../src/sync/push.ts";
import { SyncScheduler } from "../../src/sync/scheduler.ts";
import { onTestFinished } from "vitest";
import { PASSWORD, PATROL, TEST_ACCOUNTS, OPERATOR_USER, TestApp } from "./app.ts";
import { close, listen } from "./loopback.ts";
import type { InMemoryCentre } from "./in-memory-centre.ts";
import type { NonconformingCentre } from "./nonconforming-centre.ts";

/** A site with the real services, outbox and push, on a manual clock. */
export class SyncingSite {
  readonly app: TestApp;
  readonly health: ConditionRegistry;
  readonly outbox: OutboxStore;
  readonly client: ApiClient;
  readonly centre: UpstreamClient;
  readonly link: Link;
  push: Push;
  readonly logLines: string[] = [];
  readonly log: JsonLog;
  /** Called at each failpoint; throwing simulates a crash. */
  atFailpoint: (name: string) => void = () => {};
  readonly #makePush: () => Push;
  #scheduler: SyncScheduler | undefined;

  constructor(
    app: TestApp,
    baseUrl: string,
    random: () => number = () => 0.5,
    {
      siteRef = "test",
      marker = "notes",
      email = TEST_ACCOUNTS.operator,
      password = PASSWORD,
    }: { siteRef?: string; marker?: MarkerField; email?: string; password?: string } = {},
  ) {
    this.app = app;
    const { clock, database } = app;
    const log = new JsonLog({ level: "debug", clock, write: (line) => void this.logLines.push(line) });
    this.log = log;
    this.health = new ConditionRegistry(clock, log);
    this.outbox = new OutboxStore(database);
    this.client = new ApiClient({ baseUrl, timeoutMs: 6_000 });
    const tokens = new TokenCache({
      client: this.client,
      email,
      password,
      clock,
      onSignIn: (headers) => storeCapabilities(new UpstreamCapabilities(database), headers),
    });
    const centre = new UpstreamClient({ client: this.client, tokens, clock });
    this.centre = centre;
    this.link = new Link({ baseUrl, clock, random, log, conditions: this.health });
    const failpoint = (name: string): void => this.atFailpoint(name);
    this.#makePush = () =>
      new Push({
        database,
        centre,
        link: this.link,
        clock,
        random,
        log,
        conditions: this.health,
        marker,
        siteRef,
        timezone: "Europe/Bucharest",
        locale: "en",
        failpoint,
      });
    this.push = this.#makePush();
    this.push.start();
  }

  /** Starts the centre, and a site that sends to it. Both end with the test. */
  static async at(centre: TestApp | InMemoryCentre | NonconformingCentre): Promise<SyncingSite> {
    const isOurs = centre instanceof TestApp;
    const baseUrl = isOurs ? `http://127.0.0.1:${await centre.listen()}` : await centre.start();
    const site = new SyncingSite(await TestApp.make(), baseUrl);
    onTestFinished(async () => {
      await site.close();
      await (isOurs ? centre.close() : centre.stop());
    });
    return site;
  }

  /**
   * A site of a centre whose requests pass a handler of the test; all three end with it.
   * @param answer passes a request on with `centre.app`
   */
  static async through(
    centre: TestApp,
    answer: RequestListener,
    random?: () => number,
  ): Promise<SyncingSite> {
    const server = createServer(answer);
    const site = new SyncingSite(await TestApp.make(), `http://127.0.0.1:${await listen(server)}`, random);
    onTestFinished(async () => {
      await site.close();
      server.closeAllConnections();
      await close(server);
      await centre.close();
    });
    return site;
  }

  create(fields: Partial<InterventionCreate> = {}, key?: string): Intervention {
    return this.app.interventions.create(
      { ...PATROL, ...fields },
      OPERATOR_USER,
      key === undefined ? undefined : { key, fingerprint: key },
    ).record;
  }

  /** Advances past every back-off, and processes what is due. */
  async cycleAfterWait(): Promise<void> {
    this.app.clock.advance(3_600_000);
    await this.push.cycle();
  }

  /** Lets minutes pass, with a cycle and its checks after each of them. */
  async minutes(count: number): Promise<void> {
    for (let minute = 0; minute < count; minute += 1) {
      this.app.clock.advance(60_000);
      await this.push.cycleWithChecks();
    }
  }

  entry(id: number): OutboxEntry {
    const entry = this.outbox.find(id);
    if (!entry) throw new Error(`no outbox entry ${id}`);
    return entry;
  }

  /** Starts a new push on the same database, as after a restart. */
  restart(): void {
    this.push = this.#makePush();
    this.push.start();
  }

  /**
   * A scheduler of its push, not started; `close` stops it.
   * @param nextRunMs every full minute of the wall clock by default
   */
  scheduler(nextRunMs = () => Math.floor(this.app.clock.wallMs() / 60_000 + 1) * 60_000): SyncScheduler {
    const { push, link, log, health: conditions } = this;
    const { clock, damages } = this.app;
    const onDamage = (error: unknown): void => void damages.push(error);
    this.#scheduler = new SyncScheduler({ push, link, clock, log, conditions, nextRunMs, onDamage });
    return this.#scheduler;
  }

  conditions(): string[] {
    return this.health.list().map(({ code }) => code);
  }

  /** Closes the connections and the database. */
  async close(): Promise<void> {
    await this.#scheduler?.stop();
    this.client.close();
    await this.app.close();
  }
}
