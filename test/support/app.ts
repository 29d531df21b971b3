import { createSecretKey, randomBytes, randomUUID, type KeyObject } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { createApp, type App, type AppParts } from "../../src/http/app.ts";
import { AppError } from "../../src/domain/errors.ts";
import { STANDALONE } from "../../src/domain/link-status.ts";
import type { Actor, LoggedEvent } from "../../src/domain/event.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { DEVICE_EMAIL, type Principal } from "../../src/domain/principal.ts";
import type { ObjectiveSource } from "../../src/domain/objective.ts";
import type { ObjectiveImport } from "../../src/generated/types.ts";
import { localRemote } from "../../src/domain/remote.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { EventService } from "../../src/service/events.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { IdempotencyStore } from "../../src/store/idempotency.ts";
import { removeOldRows } from "../../src/postgres/retention.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { oneTimePassword } from "../../src/ops/secrets.ts";
import { AccountService } from "../../src/service/accounts.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import { ListService } from "../../src/service/lists.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { limitedEnrolments } from "../../src/service/limited-enrolments.ts";
import { SqliteSiteScopes } from "../../src/service/site-scopes.ts";
import { codesIn, SqliteEnrolments } from "../../src/service/sqlite-enrolments.ts";
import { PlanService } from "../../src/service/plans.ts";
import { SqliteFleet } from "../../src/service/sqlite-fleet.ts";
import { SqliteObjectives } from "../../src/service/sqlite-objectives.ts";
import { SqliteRecords } from "../../src/service/sqlite-records.ts";
import { SqliteSignIns, type SignIns } from "../../src/service/sign-ins.ts";
import { TokenService } from "../../src/service/tokens.ts";
import type { Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { PlanStore } from "../../src/store/plans.ts";
import { addSiteRoutes, type SiteRouteParts } from "../../src/site/routes.ts";
import type { SiteSettings } from "../../src/site/settings.ts";
import { EMPTY_SUMMARY } from "../../src/site/sync-queue.ts";
import type { ObjectivesView, SyncView } from "../../src/site/sync-view.ts";
import type { SiteApi } from "../../src/site/site-api.ts";
import { inject, onTestFinished, test } from "vitest";
import { OpenApiResponses } from "./openapi-responses.ts";
import { SILENCE } from "./fleet.ts";
import { close, listen } from "./loopback.ts";
import { ManualClock } from "./manual-clock.ts";
import { PostgresCentre } from "./postgres-centre.ts";
import { newDatabase } from "./postgres.ts";

export const PASSWORD = "correct horse battery staple";
export const TEST_ACCOUNTS = {
  administrator: "admin@test.example",
  operator: "operator@test.example",
  viewer: "viewer@test.example",
} as const;

export const PATROL = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
/** Default values of a record. */
export const DEFAULTS = {
  description: null,
  dateStart: null,
  dateEnd: null,
  status: "planned",
  priority: "medium",
  type: "maintenance",
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
  notes: null,
  dispeceratId: 7,
  invoicePdf: null,
} as const;

/** The user of tests in which the account does not matter. */
export const OPERATOR_USER: Principal = {
  accountId: 1,
  email: "user@test.example",
  role: "operator",
  from: "127.0.0.1",
};
/** The user of trips. */
export const DEVICE_USER: Principal = { ...OPERATOR_USER, email: DEVICE_EMAIL };
export const TESTER: Actor = { who: "tester", from: "command line" };

/** The methods of a component, which a test may also answer at once. */
type AtOnce<C> = {
  readonly [K in keyof C]: C[K] extends (...args: infer Arguments) => Promise<infer Result>
    ? (...args: Arguments) => Result | Promise<Result>
    : C[K];
};
export type PublicSite = AtOnce<Pick<SiteApi, "status">> & {
  readonly [Subject in Exclude<keyof SiteApi, "status">]: AtOnce<SiteApi[Subject]>;
};
export interface TestParts
  extends AppParts, Omit<SiteRouteParts, "site" | "settings" | "discovery" | "configuration"> {
  readonly site: PublicSite;
  readonly settings: AtOnce<Pick<SiteSettings, keyof SiteSettings>>;
  readonly configuration: object;
  readonly discovery: object;
}

/** Whether applications have their records in PostgreSQL: the tests of the API run over both databases. */
export const IN_POSTGRES = process.env["TEST_DATABASE"] === "postgres";
/** A test of what only a site has: its outbox, and tables that the test reads itself. */
export const testOfSite = IN_POSTGRES ? test.skip : test;

async function openPostgres(clock: ManualClock): Promise<PostgresCentre> {
  return PostgresCentre.open(await newDatabase(inject("postgresFolder")), clock);
}

/** The real application on an in-memory database, with three accounts and objectives 1 to 3 of each type. */
export class TestApp {
  readonly clock: ManualClock;
  readonly key: KeyObject = createSecretKey(randomBytes(32));
  readonly database: Database;
  readonly logLines: string[] = [];
  /** Conditions that were raised, each with its subject. */
  readonly raised: string[] = [];
  /** Errors that showed a damaged database. */
  readonly damages: unknown[] = [];
  readonly tokens: TokenService;
  readonly signIns: SignIns;
  readonly accounts: AccountService;
  readonly events: EventLog;
  readonly interventions: InterventionService;
  readonly lists: ListService;
  readonly notes: EventNotes;
  readonly objectives: ObjectiveService;
  readonly parts: TestParts;
  /** The application; each response is validated against its OpenAPI document. */
  readonly app: RequestListener;
  /** The same application in the form that the server requires. */
  readonly served: App;
  readonly answers: OpenApiResponses;
  /** Priorities of the changes reported to the sync. */
  readonly changes: string[] = [];
  /** Called after each committed change of a record. */
  onChange: () => void = () => {};
  /** Whether the rest of the disk is kept for alarms. */
  isDiskFull = false;
  readonly #postgres: PostgresCentre | undefined;
  #server: Server | undefined;

  private constructor(
    overrides: Partial<TestParts>,
    path: string,
    { clock, postgres }: { readonly clock: ManualClock; readonly postgres: PostgresCentre | undefined },
  ) {
    const { key } = this;
    this.clock = clock;
    this.#postgres = postgres;
    const centre = postgres;
    const database = openMainDatabase(path);
    this.database = database;
    const log = new JsonLog({ level: "debug", clock, write: (line) => void this.logLines.push(line) });
    const events = new EventNotes({ events: localRemote(new EventService({ database, clock })), clock, log });
    this.notes = events;
    this.lists = new ListService({ database });
    const signIns = centre?.signIns ?? new SqliteSignIns({ database, clock });
    this.signIns = signIns;
    this.tokens = new TokenService({
      signIns,
      events: centre?.notes ?? events,
      clock,
      keys: { current: key },
    });
    this.accounts = new AccountService({ database, clock, bcryptCost: 4 });
    this.events = new EventLog(database);
    const objectives = new ObjectiveService(database);
    this.objectives = objectives;
    const named = (kind: string) => [1, 2, 3].map((id) => ({ id, name: `${kind} ${id}`, status: "active" }));
    objectives.import(
      {
        "obiective/cladiri": named("Hall"),
        "obiective/bunuri": named("Truck"),
        "obiective/persoane": named("Person"),
      },
      "config",
    );
    this.interventions = new InterventionService({
      database,
      clock,
      timezone: "Europe/Bucharest",
      dispeceratId: 7,
      newUid: randomUUID,
      onChange: ({ priority }) => {
        this.changes.push(priority);
        this.onChange();
      },
      isDiskFull: () => this.isDiskFull,
    });
    this.parts = {
      records: new SqliteRecords(this.interventions, this.lists),
      timezone: "Europe/Bucharest",
      enrolments: limitedEnrolments(
        centre?.enrolments ??
          new SqliteEnrolments({ database, clock, newCode: oneTimePassword, bcryptCost: 4 }),
        { codes: centre?.enrolments ?? codesIn(database, clock), events: centre?.notes ?? events, clock },
      ),
      fleet: new SqliteFleet({
        database,
        clock,
        interventions: this.interventions,
        timezone: "Europe/Bucharest",
        locale: "en",
      }),
      silenceTimes: () => SILENCE,
      siteScopes: new SqliteSiteScopes(database),
      hasUpstream: () => false,
      objectives: new SqliteObjectives({ database }),
      tokens: this.tokens,
      accounts: localRemote(this.accounts),
      events,
      site: NO_SITE,
      settings: NO_SETTINGS,
      configuration: {},
      discovery: {},
      plans: {
        stored: new PlanStore(database),
        plans: localRemote(new PlanService({ database, clock })),
      },
      setup: { config: { file: null, dataDir: "/var/lib/santinela" }, load: { env: {}, cwd: "/" } },
      addSiteRoutes: (router, guards) =>
        addSiteRoutes(router, guards, this.parts as unknown as SiteRouteParts),
      clock,
      conditions: {
        raise: (...[code, , subject]) => void this.raised.push(`${code} ${subject}`),
        clear: () => {},
      },
      panel: undefined,
      metrics: { text: async () => "", sites: async () => "", token: () => null },
      authority: () => undefined,
      log,
      basePath: "",
      corsOrigins: [],
      hosts: [],
      deleteNeedsAdministrator: false,
      newRequestId: randomUUID,
      onDamage: (error) => void this.damages.push(error),
      ...(centre && {
        records: centre.records,
        fleet: centre.fleet,
        siteScopes: centre.siteScopes,
        objectives: centre.objectives,
        accounts: centre.accounts,
        events: centre.notes,
      }),
      ...overrides,
    };
    this.answers = new OpenApiResponses(this.parts.basePath);
    const app = createApp(this.parts);
    this.app = this.answers.watch(app.handle);
    this.served = { ...app, handle: this.app };
  }

  /** @param path of the database, which may have the accounts already; in memory by default */
  static async make(overrides: Partial<TestParts> = {}, path = ":memory:"): Promise<TestApp> {
    const clock = new ManualClock();
    const made = new TestApp(overrides, path, {
      clock,
      postgres: IN_POSTGRES ? await openPostgres(clock) : undefined,
    });
    const { accounts } = made.parts;
    if ((await accounts.list()).length > 0) return made;
    for (const [role, email] of Object.entries(TEST_ACCOUNTS))
      await accounts.add({ email, role: role as keyof typeof TEST_ACCOUNTS, password: PASSWORD }, TESTER);
    await accounts.ensureDevice();
    return made;
  }

  /** One that is closed when the test is over. */
  static async forTest(overrides: Partial<TestParts> = {}, path?: string): Promise<TestApp> {
    const made = await TestApp.make(overrides, path);
    onTestFinished(() => made.close());
    return made;
  }

  /** Removes all records with their keys and counts. */
  async clear(): Promise<void> {
    if (this.#postgres) await this.#postgres.clear();
    else
      this.database.exec(
        "DELETE FROM outbox; DELETE FROM idempotency_keys; DELETE FROM interventions; DELETE FROM intervention_counts",
      );
  }

  /** Removes what is kept for 30 days and is older, as each daemon does at some time. */
  async removeOldKeys(): Promise<void> {
    const { clock } = this;
    if (this.#postgres) {
      const kept = { auditDays: 400, uptimeMs: 0 };
      await removeOldRows(this.#postgres.connections, clock.wallMs(), kept);
    } else new IdempotencyStore(this.database).expire(clock.wallMs() - 30 * 86_400_000, 1_000);
  }

  /** The newest events of the log, newest first, in whichever database it is. */
  async newestEvents(limit: number): Promise<LoggedEvent[]> {
    return this.#postgres ? this.#postgres.settledEvents(limit) : this.events.newest(limit);
  }

  async importObjectives(objectives: ObjectiveImport, source: ObjectiveSource): Promise<void> {
    await (this.#postgres?.objectives ?? this.objectives).import(objectives, source);
  }

  /** Runs a statement that both databases know. @returns the rows of a `SELECT` */
  async run(sql: string): Promise<unknown[]> {
    if (this.#postgres) return this.#postgres.connections.query(sql);
    if (sql.startsWith("SELECT")) return this.database.prepare(sql).all();
    this.database.exec(sql);
    return [];
  }

  /** All records that are not deleted, by ascending id. */
  records(): Intervention[] {
    const { records } = this.lists.readHere({ filters: [], sort: [], start: 0, end: 1000 });
    return records.map((text) => JSON.parse(text) as Intervention);
  }

  /** A token of an account, without the cost of a sign-in. */
  async token(role: keyof typeof TEST_ACCOUNTS = "operator"): Promise<string> {
    return (await this.tokens.signIn(TEST_ACCOUNTS[role], PASSWORD)).token;
  }

  /** One token per account. */
  async tokenOfEach(): Promise<Readonly<Record<keyof typeof TEST_ACCOUNTS, string>>> {
    const [administrator, operator, viewer] = await Promise.all([
      this.token("administrator"),
      this.token("operator"),
      this.token("viewer"),
    ]);
    return { administrator, operator, viewer };
  }

  /** Serves the application on a free loopback port, as a dispatch centre for another site. */
  async listen(): Promise<number> {
    const server = createServer(this.app);
    this.#server = server;
    return listen(server);
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server) {
      server.closeAllConnections();
      await close(server);
    }
    this.database.close();
    await this.#postgres?.close();
    if (this.answers.violations.length > 0) throw new Error([...new Set(this.answers.violations)].join("\n"));
  }
}

export const NO_SETTINGS: TestParts["settings"] = {
  configuration: () => [],
  withTemporaryBackup: (take) => take(import.meta.filename, new AbortController().signal),
  restart: () => {},
  confirmMachine: () => {},
  reload: async () => ({
    zones: { added: [], removed: [], changed: [] },
    applied: [],
    needsRestart: [],
    warnings: [],
  }),
  start: () => {},
  stop: () => {},
  enableDebugLog: (minutes) => `in ${minutes} minutes`,
  add: (from, piece) => ({ copy: 1, bytes: from + piece.byteLength }),
  plan: async () => ({ recordsInBackup: 0, onlyInCurrent: [], onlyInBackup: [] }),
  restore: async () => ({ recordsInBackup: 0, onlyInCurrent: [], onlyInBackup: [] }),
};

const NO_SYNC: SyncView = {
  link: STANDALONE,
  comparison: null,
  summary: EMPTY_SUMMARY,
  records: [],
  isComplete: true,
};
const NO_OBJECTIVES: ObjectivesView = { centre: null, lists: [], reading: null, differences: [] };

export const NO_SITE = {
  status: () => ({
    version: "0.0.0",
    role: "site" as const,
    site: { name: "Test", ref: "test", timezone: "Europe/Bucharest" },
    utcOffset: { minutes: 120, since: "2025-10-26T01:00:00.000Z", until: "2026-03-29T01:00:00.000Z" },
    startedAt: "2026-11-20T21:30:00.000Z",
    headline: {
      level: "attention",
      text: "attention: no zones yet",
      reasons: [{ code: "no-zones", level: "attention", count: 1, items: [] }],
      planned: 0,
    },
    journeys: [],
    newestAlarms: [],
    alarmZones: [],
    lastAlarm: null,
    centrePhone: null,
    lifeSafetySuppressed: [],
    conditions: [],
    trips: { waiting: 0, refused: 0 },
    messages: [],
    outbox: NO_SYNC.summary,
    link: STANDALONE,
    monitoring: null,
    comparison: null,
    brokerPort: null,
    supply: null,
  }),
  zones: {
    list: () => [],
    source: () => noZones(),
    bypass: () => noZones(),
    restore: () => noZones(),
    lifeSafetySuppressed: () => [],
    simulate: (zone, contact) =>
      Promise.resolve({ zone, contact, changed: true, unchangedBy: null, trips: ["k"], suppressed: null }),
  },
  tests: {
    walk: () => null,
    startWalk: () => noZones(),
    extendWalk: () => noZones(),
    endWalk: () => null,
    startSignal: () => noZones(),
    signal: () => noZones(),
  },
  walkTests: { list: () => [], result: () => noZones() },
  outputs: { list: () => [], test: () => noZones() },
  timeline: {
    trips: () => [],
    page: () => ({ entries: [], next: null }),
    history: () => ({ entries: [], sync: null, journey: null, zones: [], setThere: [] }),
    zones: () => [],
    place: () => ({ event: 0, trip: 0 }),
  },
  sync: {
    view: () => NO_SYNC,
    attention: () => NO_SYNC,
    history: () => ({ since: "", until: "", intervals: [] }),
    recordOf: () => null,
    recordsOf: () => [],
    tryCentre: () => noZones(),
    now: () => NO_SYNC,
    act: () => NO_SYNC,
  },
  objectives: { view: () => NO_OBJECTIVES, pull: () => NO_OBJECTIVES },
  monitoring: { ofRecord: () => [] },
} satisfies PublicSite;

function noZones(): never {
  throw new AppError("not-found", "this application has no zones");
}
