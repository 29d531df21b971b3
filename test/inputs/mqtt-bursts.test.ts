import type { RunResult, Statement } from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/*
 * Messages that arrive together share a commit of the journal. Unacknowledged ones are delivered again; so a
 * second daemon with the same client id shows what was acknowledged.
 */

const NAMES = ["door", "cellar", "yard", "roof", "gate", "safe"];
const ZONES = NAMES.map((id) => zoneOf({ id, input: { mqtt: id, open: ["ON"], normal: ["OFF"] } }));

describeWithMosquitto("a burst of messages", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make(ZONES);
    await site.listen();
    await publish("OFF");
    await eventually("the first reading", () => contacts().every((contact) => contact === "normal"));
    // From here all messages are queued at the broker, and delivered together.
    await site.readings.stop();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await site.end();
  });

  const start = (): Promise<void> => site.newReadings().start();
  async function publish(payload: string): Promise<void> {
    for (const name of NAMES) await site.publish(name, payload);
  }
  const contacts = (): string[] => site.monitor.zones().map(({ contact }) => contact);
  const tripped = (): string[] => site.trips.map(({ zoneId }) => zoneId);

  /** Calls back at the end of every outer transaction; an error rolls it back. */
  function atEachCommit(act: () => void): void {
    const { database } = site;
    // Compiled once for all transactions, so it is intercepted when it runs.
    const statements = Object.getPrototypeOf(database.prepare("COMMIT")) as Statement;
    const run: (...values: unknown[]) => RunResult = Reflect.get(statements, "run");
    vi.spyOn(statements, "run").mockImplementation(function (this: Statement, ...values: unknown[]) {
      if (this.source === "COMMIT" && this.database === database) act();
      return run.apply(this, values);
    });
  }

  test("needs fewer commits than messages, without a loss or a duplicate", async () => {
    // More than the in-flight limit of twenty.
    for (const payload of ["ON", "OFF", "ON", "OFF", "ON"]) await publish(payload);
    let commits = 0;
    atEachCommit(() => (commits += 1));
    await start();
    const all = [...NAMES, ...NAMES, ...NAMES];
    await eventually("the trips", () => tripped().length >= all.length);
    expect(tripped()).toEqual(all);
    expect(commits).toBeGreaterThan(0);
    expect(commits).toBeLessThan(5 * NAMES.length);
    expect(site.logged("mqtt-duplicate-ignored")).toEqual([]);
  });

  test("stops at the message that cannot be recorded, and continues from there in order", async () => {
    await publish("ON");
    site.database.exec(`CREATE TEMP TRIGGER bad BEFORE INSERT ON main.trips WHEN NEW.zone_id = 'yard'
      BEGIN SELECT RAISE(ABORT, 'a bad block'); END`);
    await start();
    await eventually("the failure", () => site.logged("mqtt-message-write-failed").length === 1);
    expect(tripped()).toEqual(["door", "cellar"]);
    site.database.exec("DROP TRIGGER temp.bad");
    site.clock.advance(1_000);
    await eventually("the other trips", () => tripped().length === NAMES.length);
    expect(tripped()).toEqual(NAMES);
  });

  test("is rolled back when its commit fails, and is delivered again", async () => {
    await publish("ON");
    let isBroken = true;
    atEachCommit(() => {
      if (isBroken) throw new Error("disk I/O error");
    });
    await start();
    await eventually("the failure", () => site.logged("mqtt-message-write-failed").length === 1);
    expect(tripped()).toEqual([]);
    expect(contacts()).toEqual(NAMES.map(() => "normal"));
    expect(site.conditions).toContain("journal-write-failed");
    expect(site.hints).toBe(0);
    expect(site.logged("zone-trip")).toEqual([]);

    isBroken = false;
    site.clock.advance(1_000);
    await eventually("the trips", () => tripped().length === NAMES.length);
    expect(tripped()).toEqual(NAMES);
    expect(site.conditions).toEqual([]);
  });
});
