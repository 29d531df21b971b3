import { randomUUID } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { planRestore, restore } from "../../src/ops/restore.ts";
import { AccountStore } from "../../src/store/accounts.ts";
import { EnrolmentStore } from "../../src/store/enrolments.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { Journal } from "../../src/store/journal.ts";
import { TransmissionStore } from "../../src/store/transmissions.ts";
import { TESTER } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tripRow } from "../support/trip-row.ts";

/* A restore goes back in time; the world around the machine does not. */

const clock = new ManualClock();
const log = new JsonLog({ level: "debug", clock, write: () => {} });
let dataDir: string;
let databases: Databases;
let backup: string;

function open(): void {
  databases = new Databases({
    dataDir,
    clock,
    log,
    conditions: new ConditionRegistry(clock, log),
    reserveFile: new ReserveFile(dataDir),
    newIdentity: randomUUID,
  });
}

beforeEach(() => {
  dataDir = temporaryFolder();
  backup = join(dataDir, "copy.db");
  open();
});

function transmit(trip: string): number {
  const store = new TransmissionStore(databases.main);
  store.add({
    trip,
    interventionId: null,
    zoneId: "door",
    pair: `zone/${trip}`,
    change: "new",
    token: "ADM-CID",
    data: "1130",
    ending: null,
    occurredMs: clock.wallMs(),
    createdMs: clock.wallMs(),
  });
  return Number(databases.main.prepare("SELECT id FROM transmissions WHERE trip = ?").pluck().get(trip));
}

const waiting = (): unknown[] =>
  databases.main
    .prepare("SELECT trip FROM transmissions WHERE state = 'waiting' ORDER BY trip")
    .pluck()
    .all();

/** Restores the backup in place of what the databases have become, and starts again. */
function restored(plan?: ReturnType<typeof planRestore>): ReturnType<typeof restore> {
  databases.close();
  const done = restore(dataDir, backup, clock.wallMs(), TESTER, plan);
  open();
  return done;
}

const eventOfRestore = (): Record<string, unknown> =>
  new EventLog(databases.main).newest(20).find(({ event }) => event === "database-restored")
    ?.detail as unknown as Record<string, unknown>;

test("what the receiver has acknowledged since the backup is not sent again, and what waits is still sent", async () => {
  const store = new TransmissionStore(databases.main);
  store.saveFact("cursor", 5);
  const early = transmit("early");
  transmit("waits");
  await backUp(dataDir, backup);
  store.acknowledge(early, clock.wallMs(), "127.0.0.1:7700");
  store.saveFact("cursor", 9);
  transmit("later");
  expect(store.zoneNumber("door")).toBe(1);
  restored();
  expect(waiting()).toEqual(["later", "waits"]);
  const after = new TransmissionStore(databases.main);
  expect(after.fact("cursor")).toBe(9);
  expect(after.storedZoneNumber("door")).toBe(1);
});

test("in place of an unreadable database nothing of the backup is sent, and the transmitter begins at the newest trip", async () => {
  new TransmissionStore(databases.main).saveFact("cursor", 5);
  transmit("early");
  await backUp(dataDir, backup);
  databases.close();
  writeFileSync(join(dataDir, "santinela.db"), "unreadable");
  restore(dataDir, backup, clock.wallMs(), TESTER);
  open();
  expect(waiting()).toEqual([]);
  expect(new TransmissionStore(databases.main).fact("cursor")).toBeUndefined();
});

test("numbers are not assigned again, and an unreadable database leaves a distance", async () => {
  const first = transmit("early");
  await backUp(dataDir, backup);
  databases.main.exec("DELETE FROM transmissions");
  transmit("later");
  databases.main.exec("DELETE FROM transmissions");
  restored();
  expect(transmit("next")).toBe(first + 2);
  databases.close();
  writeFileSync(join(dataDir, "santinela.db"), "unreadable");
  restore(dataDir, backup, clock.wallMs(), TESTER);
  open();
  expect(transmit("last")).toBeGreaterThan(first + 1_000);
});

test("a disabled account and a used code stay so, and other passwords and accounts are named", async () => {
  const accounts = new AccountStore(databases.main);
  const add = (email: string): number | undefined =>
    accounts.add({
      email,
      role: "operator",
      passwordHash: `hash of ${email}`,
      mustChangePassword: false,
      createdAtMs: 0,
    })?.id;
  const [left, other, gone] = ["left@x", "other@x", "gone@x"].map(add);
  const code = { site: "north", objectives: [], createdAtMs: 0, expiresAtMs: clock.wallMs() + 1e6 };
  const enrolments = new EnrolmentStore(databases.main);
  enrolments.add({ ...code, codeHash: "used" });
  enrolments.add({ ...code, codeHash: "revoked" });
  enrolments.add({ ...code, codeHash: "open" });
  await backUp(dataDir, backup);
  const { main } = databases;
  main.prepare("UPDATE accounts SET disabled = 1 WHERE id = ?").run(left);
  main.prepare("UPDATE accounts SET password_hash = 'new' WHERE id = ?").run(other);
  main.prepare("DELETE FROM accounts WHERE id = ?").run(gone);
  main.exec("UPDATE enrolments SET used_at = 7 WHERE code_hash = 'used'");
  main.exec("DELETE FROM enrolments WHERE code_hash = 'revoked'");
  restored();
  expect(databases.main.prepare("SELECT email, disabled FROM accounts ORDER BY id").raw().all()).toEqual([
    ["left@x", 1],
    ["other@x", 0],
    ["gone@x", 0],
  ]);
  expect(databases.main.prepare("SELECT code_hash, used_at FROM enrolments ORDER BY id").raw().all()).toEqual(
    [
      ["used", 7],
      ["open", null],
    ],
  );
  expect(eventOfRestore()).toMatchObject({
    keptDisabled: ["left@x"],
    otherPassword: ["other@x"],
    accountsAgain: ["gone@x"],
  });
});

test("if the administrators of a backup are disabled by now, those since stay administrators, and must sign in again", async () => {
  const accounts = new AccountStore(databases.main);
  const add = (email: string, role: "administrator" | "operator") =>
    accounts.add({ email, role, passwordHash: `hash of ${email}`, mustChangePassword: false, createdAtMs: 0 })
      ?.id ?? 0;
  const [left, raised] = [add("left@x", "administrator"), add("raised@x", "operator")];
  await backUp(dataDir, backup);
  const successor = add("successor@x", "administrator");
  const versions = [
    accounts.change(raised, { role: "administrator", passwordHash: "newer" })?.tokenVersion ?? 0,
    accounts.byId(successor)?.tokenVersion ?? 0,
  ];
  accounts.change(add("gone@x", "administrator"), { disabled: true });
  accounts.change(left, { disabled: true });
  restored();
  const after = new AccountStore(databases.main);
  expect(after.signInAccounts().map(({ email, role, disabled }) => [email, role, disabled])).toEqual([
    ["left@x", "administrator", true],
    ["raised@x", "administrator", false],
    ["successor@x", "administrator", false],
  ]);
  expect(after.byEmail("raised@x")).toMatchObject({ id: raised, passwordHash: "newer" });
  expect(after.byEmail("raised@x")?.tokenVersion).toBeGreaterThan(versions[0] ?? 0);
  const found = after.byEmail("successor@x");
  expect(found?.passwordHash).toBe("hash of successor@x");
  // A token names the number of its account and its version.
  expect(found?.id !== successor || found.tokenVersion > (versions[1] ?? 0)).toBe(true);
  expect(eventOfRestore()).toMatchObject({
    keptDisabled: ["left@x"],
    keptAdministrators: ["raised@x", "successor@x"],
  });
});

test("with an administrator in the backup who is not disabled, none is taken over", async () => {
  const accounts = new AccountStore(databases.main);
  const add = (email: string) =>
    accounts.add({
      email,
      role: "administrator",
      passwordHash: "x",
      mustChangePassword: false,
      createdAtMs: 0,
    })?.id ?? 0;
  const left = add("left@x");
  add("stays@x");
  await backUp(dataDir, backup);
  add("later@x");
  accounts.change(left, { disabled: true });
  restored();
  expect(new AccountStore(databases.main).byEmail("later@x")).toBeUndefined();
  expect(eventOfRestore()).toMatchObject({ keptDisabled: ["left@x"], keptAdministrators: [] });
});

test("its event names the end of the replaced audit trail", async () => {
  await backUp(dataDir, backup);
  const plan = planRestore(dataDir, backup);
  const events = new EventLog(databases.main);
  events.add({ event: "restart-ordered", ...TESTER, subject: "-", detail: {} }, clock.wallMs());
  const [last] = databases.main
    .prepare("SELECT position, at, hash FROM audit ORDER BY position DESC LIMIT 1")
    .all();
  restored(plan);
  expect(eventOfRestore()).toMatchObject({ replacedTrail: last });
});

test("with the backup of another site the alarms of this machine are not posted as its own", async () => {
  await backUp(dataDir, backup);
  const body = { name: "Door", objectiveType: "obiective/cladiri" as const, objectiveId: 1 };
  const journal = new Journal(databases.journal, clock);
  journal.commit({
    zoneId: "door",
    state: { contact: "open", sinceWallMs: clock.wallMs(), autoRestored: false, sensor: null },
    trips: [tripRow("own-alarm", body, clock.wallMs())],
  });
  journal.trips.resolve("own-alarm", "posted", 1);
  const done = restored({ ...planRestore(dataDir, backup), otherSite: "north" });
  expect(done.redelivered).toBe(0);
  expect(databases.journal.prepare("SELECT count(*) FROM trips").pluck().get()).toBe(0);
  expect(readdirSync(join(dataDir, "quarantine")).join(" ")).toMatch(/Z-journal/);
  // Neither is it reported as lost.
  expect(readdirSync(dataDir)).not.toContain("recovery.txt");
});
