import { createSecretKey, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Remote } from "../../src/domain/remote.ts";
import { AccountService } from "../../src/service/accounts.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { ObjectiveService, type ObjectiveLists } from "../../src/service/objectives.ts";
import { SqliteObjectives } from "../../src/service/sqlite-objectives.ts";
import { SqliteSignIns, type SignIns } from "../../src/service/sign-ins.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { localRemote } from "../../src/domain/remote.ts";
import type { LoggedEvent } from "../../src/domain/event.ts";
import type { Objective, ObjectiveScope } from "../../src/domain/objective.ts";
import type { ObjectiveQuery } from "../../src/domain/objective-query.ts";
import { PASSWORD, TEST_ACCOUNTS, TESTER, TestApp } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres, type PostgresServer } from "../support/postgres.ts";
import { RecordsThread } from "../support/records-thread.ts";

/* What every database of accounts, sign-ins, events and objectives must do. */

interface Adapter {
  readonly clock: ManualClock;
  readonly accounts: Remote<AccountService>;
  readonly objectives: ObjectiveLists;
  readonly importObjectives: Remote<ObjectiveService>["import"];
  readonly signIns: SignIns;
  readonly notes: EventNotes;
  readonly newest: (limit: number) => Promise<LoggedEvent[]>;
  readonly close: () => Promise<void>;
}

async function inSqlite(): Promise<Adapter> {
  const app = await TestApp.make();
  const { clock, database, notes, parts } = app;
  return {
    clock,
    accounts: parts.accounts,
    objectives: parts.objectives,
    importObjectives: localRemote(app.objectives).import,
    signIns: new SqliteSignIns({ database, clock }),
    notes,
    newest: async (limit) => app.events.newest(limit),
    close: () => app.close(),
  };
}

/** As the front has them: written by another thread, and read here. */
async function behindTheRecordsThread(): Promise<Adapter> {
  const named = (kind: string) => [1, 2, 3].map((id) => ({ id, name: `${kind} ${id}`, status: "active" }));
  const clock = new ManualClock(Date.now());
  const thread = await RecordsThread.start({
    objectives: {
      "obiective/cladiri": named("Hall"),
      "obiective/bunuri": named("Truck"),
      "obiective/persoane": named("Person"),
    },
    prepare: (database) =>
      new AccountService({ database, clock, bcryptCost: 4 }).add(
        { email: TEST_ACCOUNTS.administrator, role: "administrator", password: PASSWORD },
        TESTER,
      ),
  });
  const { path, log, reader: database } = thread;
  const { accounts, events } = thread.parts.records;
  const notes = new EventNotes({ events, clock, log });
  // Objectives are imported by the command line, in a process of its own.
  const importer = openMainDatabase(path);
  return {
    clock,
    accounts,
    objectives: new SqliteObjectives({ database }),
    importObjectives: localRemote(new ObjectiveService(importer)).import,
    signIns: new SqliteSignIns({ database, clock }),
    notes,
    newest: async (limit) => new EventLog(database).newest(limit),
    close: async () => {
      notes.stop();
      importer.close();
      await thread.stop();
    },
  };
}

async function inPostgres(server: PostgresServer): Promise<Adapter> {
  const centre = await PostgresCentre.open(await server.newDatabase());
  const { clock, accounts, objectives, signIns, notes, events } = centre;
  const admin = { email: "admin@test.example", role: "administrator" as const, password: PASSWORD };
  await accounts.add(admin, TESTER);
  return {
    clock,
    accounts,
    objectives,
    importObjectives: (...args) => objectives.import(...args),
    signIns,
    notes,
    newest: (limit) => events.newest(limit),
    close: () => centre.close(),
  };
}

describe("SQLite in the calling thread", () => contract(inSqlite));
describe("SQLite behind the records thread", () => contract(behindTheRecordsThread));
describeOnPostgres("PostgreSQL", (server) => contract(() => inPostgres(server)));

function contract(open: () => Promise<Adapter>): void {
  let adapter: Adapter;
  let tokens: TokenService;
  beforeAll(async () => {
    adapter = await open();
    const keys = { current: createSecretKey(randomBytes(32)) };
    const { signIns, notes: events, clock } = adapter;
    tokens = new TokenService({ signIns, events, clock, keys });
    await adapter.accounts.add({ email: "Ana@test.example", role: "operator", password: PASSWORD }, TESTER);
  });
  afterAll(() => adapter.close());

  const ANA = "Ana@test.example";
  const HALLS = "obiective/cladiri";
  const listed = async (query: Partial<ObjectiveQuery>, scope?: ObjectiveScope) => {
    const whole = { filters: [], sort: [], start: 0, end: 10, ...query };
    const request = { type: HALLS, query: whole, scope } as const;
    const { records, total } = await adapter.objectives.list(request, new AbortController().signal);
    return { records: records.map((text) => JSON.parse(text) as Objective), total };
  };
  const named = (...ids: number[]) => ({ field: "id", operator: "equal", values: ids.map(String) }) as const;
  const signIn = async (email = ANA) => (await tokens.signIn(email, PASSWORD, "192.0.2.1")).token;

  test("an account is found in any case, added once, and listed by its address", async () => {
    expect((await adapter.signIns.byEmail("ANA@TEST.example"))?.email).toBe(ANA);
    expect(await adapter.signIns.byEmail("unknown\0@test.example")).toBeUndefined();
    const again = { email: "ana@TEST.example", role: "viewer" as const, password: PASSWORD };
    await expect(adapter.accounts.add(again, TESTER)).rejects.toMatchObject({ code: "conflict" });
    await adapter.accounts.ensureDevice();
    await adapter.accounts.ensureDevice();
    const emails = (await adapter.accounts.list()).map(({ email }) => email);
    expect(emails.slice(0, 2)).toEqual(["admin@test.example", ANA]);
    expect(emails).not.toContain("device@santinela.local");
    expect((await tokens.verify(await tokens.deviceToken(), "")).email).toBe("device@santinela.local");
  });

  test("each change of an account revokes its tokens, and is in the log", async () => {
    const { accounts } = adapter;
    const changes = [
      () => accounts.setRole(ANA, "viewer", TESTER),
      () => accounts.setRole(ANA, "operator", TESTER),
      () => accounts.setPassword(ANA, PASSWORD, TESTER),
      () => accounts.setObjectives(ANA, [{ type: HALLS, id: 2 }], TESTER),
      () => accounts.setObjectives(ANA, undefined, TESTER),
    ];
    for (const change of changes) {
      const token = await signIn();
      expect((await tokens.verify(token, "")).email).toBe(ANA);
      await change();
      await expect(tokens.verify(token, "")).rejects.toMatchObject({ code: "unauthenticated" });
    }
    const named = (await adapter.newest(20)).filter(({ subject }) => subject === `account ${ANA}`);
    expect(named.map(({ event }) => event).filter((event) => event !== "signed-in")).toEqual([
      "account-role-changed",
      "account-role-changed",
      "account-password-set",
      "account-role-changed",
      "account-role-changed",
      "account-added",
    ]);
    expect(named.at(-1)).toMatchObject({ who: "tester", from: "command line", detail: { role: "operator" } });
  });

  test("the last administrator stays", async () => {
    const error = { code: "conflict", message: "admin@test.example is the last administrator" };
    await expect(adapter.accounts.setRole("admin@test.example", "viewer", TESTER)).rejects.toMatchObject(
      error,
    );
    await expect(adapter.accounts.setDisabled("admin@test.example", true, TESTER)).rejects.toMatchObject(
      error,
    );
    expect((await adapter.signIns.byEmail("admin@test.example"))?.role).toBe("administrator");
  });

  test("a password that was replaced meanwhile cannot be replaced again", async () => {
    const replacing = await adapter.signIns.byEmail(ANA);
    if (!replacing) throw new Error("the account is missing");
    const made = await Promise.allSettled(
      [1, 2].map(() => adapter.accounts.setPassword(ANA, PASSWORD, TESTER, { replacing })),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("a place is known after a sign-in from it, and wrong passwords elsewhere do not lock it", async () => {
    await signIn();
    expect(await adapter.signIns.hasSignedIn(ANA, "192.0.2.1")).toBe(true);
    expect(await adapter.signIns.hasSignedIn(ANA, "192.0.2.2")).toBe(false);
    expect(await adapter.signIns.newestAddresses(1)).toEqual(["192.0.2.1"]);
    for (let count = 0; count < 5; count += 1)
      await expect(tokens.signIn(ANA, "wrong password", "192.0.2.2")).rejects.toMatchObject({
        code: "unauthenticated",
      });
    await expect(tokens.signIn(ANA, PASSWORD, "192.0.2.3")).rejects.toMatchObject({
      code: "too-many-requests",
      retryAfterS: 30,
    });
    await signIn();
    adapter.clock.advance(30_000);
    await tokens.signIn(ANA, PASSWORD, "192.0.2.3");
  });

  test("an objective list has its slice, its total, and a version that changes with its rows alone", async () => {
    const { objectives, importObjectives } = adapter;
    const { records, total } = await listed({ start: 1, end: 3 });
    expect([records.map(({ id }) => id), total]).toEqual([[2, 3], 3]);
    expect(records[0]).toMatchObject({ id: 2, name: "Hall 2", floors: null });
    const version = await objectives.version(HALLS);
    const trucks = await objectives.version("obiective/bunuri");
    await importObjectives({ [HALLS]: [{ id: 2, name: "Hall 2", status: "active" }] }, "config");
    expect(await objectives.version(HALLS)).toBe(version);
    await importObjectives({ [HALLS]: [{ id: 2, name: "New name" }] }, "import");
    expect(await objectives.version(HALLS)).not.toBe(version);
    expect(await objectives.version("obiective/bunuri")).toBe(trucks);
    expect((await objectives.get({ type: HALLS, id: 2 })).name).toBe("New name");
  });

  test("an objective outside the scope does not exist", async () => {
    const { objectives } = adapter;
    const scope = [{ type: HALLS, id: 3 } as const];
    expect((await listed({}, scope)).records.map(({ id }) => id)).toEqual([3]);
    expect((await listed({ search: "hall" }, scope)).total).toBe(1);
    expect((await listed({ filters: [named(1, 3)] }, scope)).records.map(({ id }) => id)).toEqual([3]);
    await expect(objectives.get({ type: HALLS, id: 1 }, scope)).rejects.toMatchObject({ code: "not-found" });
    expect(await objectives.version(HALLS, scope)).not.toBe(await objectives.version(HALLS));
  });

  test("objectives are found by their ids, in the order of ids and page by page", async () => {
    const query = { filters: [named(3, 99, 1, 2)], sort: [{ field: "id", descending: false }] };
    const { records, total } = await listed({ ...query, start: 1, end: 3 });
    expect([records.map(({ id }) => id), total]).toEqual([[2, 3], 3]);
    expect((await listed({ filters: [{ ...named(), values: ["01"] }] })).total).toBe(0);
  });

  test("a list is found by a text in any case, sorted by a field, and refused for a field that no objective has", async () => {
    const sort = [{ field: "name", descending: true }];
    expect((await listed({ search: "HALL", sort })).records.map(({ id }) => id)).toEqual([3, 1]);
    const unknown = listed({ sort: [{ field: "nonsense", descending: false }] });
    await expect(unknown).rejects.toMatchObject({
      code: "invalid",
      message: '_sort must name a field of the record, not "nonsense"',
    });
  });

  test("a placeholder of a zone never replaces a description", async () => {
    await adapter.importObjectives(
      {
        [HALLS]: [
          { id: 1, name: "Placeholder" },
          { id: 9, name: "Nine" },
        ],
      },
      "zone",
    );
    const name = async (id: number) => (await adapter.objectives.get({ type: HALLS, id })).name;
    expect([await name(1), await name(9)]).toEqual(["Hall 1", "Nine"]);
  });

  test("a list of more than a thousand is searched and filtered from its first to its last", async () => {
    const type = "obiective/persoane";
    const others = [...Array(1_200).keys()].map((index) => ({ id: index + 5_000, name: `Ștefan ${index}` }));
    const [first, last] = [others.at(0), others.at(-1)] as [Objective, Objective];
    await adapter.importObjectives({ [type]: [...others, { ...last, name: "Last", floor: 7 }] }, "import");
    const found = async (query: Partial<ObjectiveQuery>, scope?: ObjectiveScope) => {
      const whole = { filters: [], sort: [], start: 0, end: 2, ...query };
      const page = await adapter.objectives.list({ type, query: whole, scope }, new AbortController().signal);
      return [page.records.map((text) => (JSON.parse(text) as Objective).id), page.total];
    };
    const byId = [{ field: "id", descending: true }];
    expect(await found({ search: "STEFAN" })).toEqual([[first.id, first.id + 1], 1_199]);
    expect(await found({ search: "stefan", sort: byId })).toEqual([[last.id - 1, last.id - 2], 1_199]);
    // Only the last one has this field.
    const onFloor = [{ field: "floor", operator: "equal", values: ["7"] }] as const;
    expect(await found({ filters: onFloor })).toEqual([[last.id], 1]);
    const scope = [{ type, id: last.id } as const];
    expect(await found({ search: "la" }, scope)).toEqual([[last.id], 1]);
  });
}
