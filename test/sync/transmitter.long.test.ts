import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { alarmPanelName } from "../../src/domain/alarm-panel-name.ts";
import { AppError } from "../../src/domain/errors.ts";
import { TransmissionStore } from "../../src/store/transmissions.ts";
import { CurrentTransmitter } from "../../src/sync/transmitter/current-transmitter.ts";
import type { TransmitterConfig } from "../../src/domain/transmitter.ts";
import { TESTER } from "../support/app.ts";
import { newAlarmPanelKey, wire } from "../support/alarm-panel.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoringReceiver, type Behaviour, type ReceivedMessage } from "../support/monitoring-receiver.ts";
import { zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { UNKNOWN_HOST } from "../support/unknown-host.ts";

const ACCOUNT = "12AB";
const SIMULATED = { objective: { type: "obiective/cladiri", id: 1 }, input: { simulated: true } } as const;
const ZONES = [
  zoneOf({ id: "hall", name: "Hall", kind: "motion", ...SIMULATED }),
  zoneOf({ id: "smoke", name: "Smoke", kind: "fire", ...SIMULATED }),
  zoneOf({ id: "till", name: "Till", kind: "holdup", ...SIMULATED }),
];
const KEY = newAlarmPanelKey(32);

let folder: string;
let site: DispatchingSite;
let first: MonitoringReceiver;
let backup: MonitoringReceiver;
let transmitter: CurrentTransmitter | undefined;

beforeEach(async () => {
  folder = temporaryFolder();
  site = await DispatchingSite.make(ZONES, join(folder, "journal.db"));
  [first, backup] = [await receiver(), await receiver()];
});
afterEach(async () => {
  await transmitter?.stop();
  transmitter = undefined;
  await first.stop();
  await backup.stop();
});

async function receiver(options: { transport?: "udp"; key?: string } = {}): Promise<MonitoringReceiver> {
  const made = new MonitoringReceiver({
    account: ACCOUNT,
    wallMs: () => site.zones.clock.wallMs(),
    ...options,
  });
  await made.start();
  return made;
}

function configOf(
  options: Partial<TransmitterConfig> & { readonly numbering?: TransmitterConfig["numbering"] } = {},
  receivers: readonly MonitoringReceiver[] = [first, backup],
): TransmitterConfig {
  return {
    account: ACCOUNT,
    key: null,
    receiverNumber: null,
    line: "0",
    receivers: receivers.map(({ port }) => ({ host: "127.0.0.1", port, transport: "tcp", pollS: 60 })),
    replyS: 5,
    testH: 0,
    numbering: { format: "contact-id", partition: 1, zones: [] },
    ...options,
  };
}

function start(config: TransmitterConfig | null = configOf(), failpoint = (_name: string): void => {}): void {
  const { clock, log, health: conditions } = site.zones;
  const random = (): number => 0.5;
  const time = { isTrusted: (): boolean => true };
  const common = { clock, time, log, conditions, random, failpoint, isHeld: () => false };
  transmitter = new CurrentTransmitter(config, ZONES, {
    ...common,
    database: site.app.database,
    journal: join(folder, "journal.db"),
  });
  transmitter.start();
}

async function startAgain(config?: TransmitterConfig | null): Promise<void> {
  await transmitter?.stop();
  start(config);
}

/** Lets time pass until something is seen. @param withinMs of a real clock */
function passing<T>(what: string, look: () => T | Promise<T>, withinMs?: number) {
  const pass = (): T | Promise<T> => {
    site.zones.clock.advance(100);
    return look();
  };
  return eventually(what, pass, withinMs);
}

const waiting = (): number => new TransmissionStore(site.app.database).summary().waiting;
const conditions = (): string[] => site.zones.health.list().map(({ code }) => code);
const allSent = (withinMs?: number): Promise<boolean> =>
  passing("nothing to be left to send", () => waiting() === 0 && isRead(), withinMs);
/** For a test with many attempts, each of which waits for a time, on a busy machine. */
const MANY_MS = 150_000;

/** Whether the transmitter has read the whole journal. */
function isRead(): boolean {
  const newest = site.zones.database.prepare("SELECT max(seq) FROM trips").pluck().get() as number | null;
  return (new TransmissionStore(site.app.database).fact("cursor") ?? -1) >= (newest ?? 0);
}

function restore(zoneId: string): Promise<void> {
  site.zones.monitor.read(zoneId, "normal", { live: true });
  return site.settled();
}

/** Answers events in this way, one after the other, then with an acknowledgement. */
function answering(...behaviours: readonly Behaviour[]): (message: ReceivedMessage) => Behaviour {
  const left = [...behaviours];
  return ({ token }) => (token === "NULL" ? "ack" : (left.shift() ?? "ack"));
}

describe("a receiver and its supervision messages", () => {
  test("stays reported as rejecting an alarm while it acknowledges supervision messages only", async () => {
    const supervised = (): number => first.messages.filter(({ token }) => token === "NULL").length;
    first.behaviour = ({ token }) => (token === "NULL" ? "ack" : "duh");
    start(configOf({}, [first]));
    await site.trip("hall");
    await passing("the condition", () => conditions().includes("monitoring-receiver-rejects"));
    const before = supervised();
    await passing("two supervision messages", () => supervised() >= before + 2, MANY_MS);
    expect(conditions()).toEqual(["monitoring-receiver-rejects"]);
    first.behaviour = () => "ack";
    await allSent(MANY_MS);
    expect(conditions()).toEqual([]);
  });

  test("which it rejects although it takes alarms, raises one condition that stays, with the remedy", async () => {
    const polled = (): number => first.messages.filter(({ token }) => token === "NULL").length;
    first.behaviour = ({ token }) => (token === "NULL" ? "duh" : "ack");
    const often = { host: "127.0.0.1", port: first.port, transport: "tcp", pollS: 5 } as const;
    start(configOf({ receivers: [often] }));
    await passing("the first reply", () => conditions().includes("monitoring-receiver-rejects"));
    for (const zone of ["hall", "smoke"]) {
      await site.trip(zone);
      await allSent();
      const before = polled();
      await passing("a supervision message", () => polled() > before && conditions().length > 0, MANY_MS);
      expect(conditions()).toEqual(["monitoring-receiver-supervision"]);
    }
    first.behaviour = () => "ack";
    await passing("its end", () => conditions().length === 0, MANY_MS);
  });

  test("with pollS: 0 gets the alarm once it replies again, and no supervision message, which it may ignore", async () => {
    first.behaviour = () => "silent";
    const unsupervised = { host: "127.0.0.1", port: first.port, transport: "tcp", pollS: 0 } as const;
    start(configOf({ receivers: [unsupervised] }));
    await site.trip("hall");
    await passing("the receiver to be down", () => conditions().includes("monitoring-receiver-unreachable"));
    first.behaviour = ({ token }) => (token === "NULL" ? "silent" : "ack");
    await allSent(MANY_MS);
    expect(first.events).toEqual(["0001 1132 01 001"]);
    expect(first.messages.filter(({ token }) => token === "NULL")).toEqual([]);
    expect(conditions()).toEqual([]);
  });
});

test("an alarm that was rejected for minutes is sent at once when the configuration is corrected", async () => {
  first.behaviour = ({ token }) => (token === "NULL" ? "ack" : "duh");
  start(configOf({}, [first]));
  await site.trip("hall");
  const attempts = (): number => first.messages.filter(({ token }) => token !== "NULL").length;
  await passing("five attempts", () => attempts() >= 5, MANY_MS);
  first.behaviour = () => "ack";
  await startAgain(configOf({ receiverNumber: "2" }, [first]));
  const fromMs = site.zones.clock.monotonicMs();
  await allSent();
  expect(site.zones.clock.monotonicMs() - fromMs).toBeLessThan(10_000);
});

describe("alarms and their ends", () => {
  test("arrive with qualifier, code, partition and number of the zone, and with rising sequences", async () => {
    start();
    await site.trip("hall", "smoke");
    await allSent();
    await restore("hall");
    await allSent();
    expect(first.events).toEqual(["0001 1132 01 001", "0002 1110 01 002", "0003 3132 01 001"]);
    expect(backup.events).toEqual([]);
    expect(first.complaints).toEqual([]);
  });

  test("from before the transmitter was configured are not sent, nor those while it was removed", async () => {
    await site.trip("hall");
    start();
    await passing("the journal to be read", isRead);
    await startAgain(null);
    await site.trip("smoke");
    await startAgain();
    await passing("the journal to be read", isRead);
    await site.trip("till");
    await allSent();
    expect(first.events).toEqual(["0001 1122 01 003"]);
  });

  test("of a whole alarm panel that is silent, and of one of its zones, have the number 000 and that of the zone", async () => {
    const zones = [4, 5].map((zone) =>
      zoneOf({ id: `z${zone}`, objective: SIMULATED.objective, input: { dc09: "1234", zone } }),
    );
    folder = temporaryFolder();
    site = await DispatchingSite.make(zones, join(folder, "journal.db"));
    start(configOf({}, [first]));
    await passing("the journal to be read", isRead);
    const { monitor } = site.zones;
    const setPanel = (up: boolean): void =>
      monitor.take("z4", { kind: "availability", up, bridge: alarmPanelName("1234") }, { live: false });
    setPanel(false);
    await site.settled();
    monitor.take("z5", { kind: "battery", low: true }, { live: true });
    await site.settled();
    setPanel(true);
    await site.settled();
    await allSent();
    expect(first.events).toEqual(["0001 1381 01 000", "0002 1384 01 004", "0003 3381 01 000"]);
  });

  test("of zones that are bypassed are not sent, and neither are their ends", async () => {
    start();
    site.zones.zoneService.zoneOverrides.bypass("hall", { reason: "paint", minutes: 60 }, TESTER);
    await site.trip("hall", "smoke");
    await restore("hall");
    await allSent();
    expect(first.events).toEqual(["0001 1110 01 002"]);
  });

  test("have the numbers, partitions and codes of the configuration, and SIA codes on request", async () => {
    const zones = [
      { zone: "hall", number: 40, partition: 2, code: "133" },
      { zone: "smoke", number: 1 },
    ];
    start(configOf({ numbering: { format: "contact-id", partition: 3, zones } }));
    await site.trip("hall", "smoke", "till");
    await allSent();
    expect(first.events).toEqual(["0001 1133 02 040", "0002 1110 03 001", "0003 1122 03 002"]);
    await startAgain(configOf({ numbering: { format: "sia", partition: 1, zones: [] } }));
    await restore("hall");
    await site.trip("smoke");
    await restore("smoke");
    await allSent();
    // The end has the form of its beginning; the numbers that zones once got are kept.
    expect(first.events.slice(3)).toEqual([
      "0004 3133 02 040",
      "0005 3110 03 001",
      "0006 Nri1/FA003",
      "0007 Nri1/FR003",
    ]);
  });

  test("of two zones never have one number: a zone whose number the configuration gives to another gets a free one", async () => {
    start();
    await site.trip("hall");
    await allSent();
    const zones = [{ zone: "smoke", number: 1 }];
    await startAgain(configOf({ numbering: { format: "contact-id", partition: 1, zones } }));
    // The end has the number of its beginning.
    await restore("hall");
    await site.trip("hall", "smoke", "till");
    await allSent();
    expect(first.events.map((event) => event.slice(5))).toEqual([
      "1132 01 001",
      "3132 01 001",
      "1132 01 004",
      "1110 01 001",
      "1122 01 003",
    ]);
    expect(site.zones.logged("zone-number-changed")).toMatchObject([{ zone: "hall", before: 1, number: 4 }]);
    await startAgain();
    await restore("hall");
    await site.trip("hall");
    await allSent();
    expect(first.events.at(-1)).toMatch(/ 1132 01 004$/);
  });

  test("that are sent late say when they occurred", async () => {
    first.behaviour = backup.behaviour = () => "silent";
    start();
    await site.trip("smoke");
    const occurred = site.zones.clock.wallMs();
    await passing("the receivers to be found silent", () => conditions().length === 2);
    site.zones.clock.advance(3_600_000);
    first.behaviour = () => "ack";
    await allSent();
    const last = first.sent.at(-1);
    expect(last?.extended).toEqual([
      expect.stringMatching(new RegExp(`^H${new Date(occurred).toISOString().slice(11, 15)}`)),
    ]);
  });
});

describe("each alarm is acknowledged once", () => {
  test("when the acknowledgement is lost, the repetition has the same bytes", async () => {
    first.behaviour = answering("lost");
    start();
    await site.trip("smoke");
    await allSent();
    expect(first.sent.map(({ bytes }) => bytes.toString("latin1"))).toEqual(
      Array.from({ length: 2 }, () => first.sent[0]?.bytes.toString("latin1")),
    );
    expect(first.events).toEqual(["0001 1110 01 002"]);
    expect(backup.sent).toEqual([]);
  });

  test("when a minute passes before the repetition, it has the same sequence and a new time", async () => {
    first.behaviour = () => "lost";
    start(configOf({}, [first]));
    await site.trip("smoke");
    await passing("the receiver to be down", () => conditions().includes("monitoring-receiver-unreachable"));
    site.zones.clock.advance(60_000);
    first.behaviour = () => "ack";
    await allSent();
    expect(new Set(first.sent.map(({ sequence }) => sequence))).toEqual(new Set(["0001"]));
    expect(first.sent.at(-1)?.time).not.toBe(first.sent[0]?.time);
    expect(first.events).toEqual(["0001 1110 01 002"]);
  });

  test(
    "when the connection is cut at any point, and when a reply is noise, of another message or too long",
    async () => {
      const ack = wire(`"ACK"0001L0#${ACCOUNT}[]`);
      const damaged = Buffer.from(ack);
      damaged[12] = 0x58;
      const replies = [
        ack.subarray(0, 1),
        ack.subarray(0, 12),
        ack.subarray(0, -1),
        damaged,
        wire(`"ACK"0002L0#${ACCOUNT}[]`),
        wire(`"ACK"0001L0#9999[]`),
        wire(`"XYZ"0001L0#${ACCOUNT}[]`),
        Buffer.alloc(20_000, 0x41),
        Buffer.from("\n".repeat(9_000)),
      ];
      first.behaviour = answering("cut", "silent", ...replies);
      start(configOf({ replyS: 1 }, [first]));
      await site.trip("smoke");
      await allSent(MANY_MS);
      expect(first.events).toEqual(["0001 1110 01 002"]);
      expect(first.sent.length).toBeGreaterThan(replies.length);
      expect(first.complaints).toEqual([]);
    },
    2 * MANY_MS,
  );

  test("when the disk does not take the acknowledgement", async () => {
    let isFailing = true;
    start(configOf(), () => {
      if (isFailing) throw new AppError("storage", "the disk is failing");
    });
    await site.trip("smoke");
    await passing("the condition", () => conditions().includes("transmitter-write-failed"));
    isFailing = false;
    await allSent();
    expect(conditions()).toEqual([]);
    expect(first.sent.length).toBeGreaterThan(1);
    expect(new Set(first.sent.map(({ bytes }) => bytes.toString("latin1"))).size).toBe(1);
    expect(first.events).toEqual(["0001 1110 01 002"]);
  });

  test(
    "over many restarts, lost acknowledgements and silent receivers",
    async () => {
      const turns: Behaviour[] = ["lost", "silent", "cut", "ack", "lost", "cut", "ack", "ack", "duh", "lost"];
      let turn = 0;
      first.behaviour = ({ token }) =>
        token === "NULL" ? "ack" : (turns[(turn += 1) % turns.length] ?? "ack");
      start(configOf({ replyS: 1 }, [first]));
      for (let round = 0; round < 12; round += 1) {
        await site.trip("smoke");
        await restore("smoke");
        site.zones.clock.advance(700);
        if (round % 4 === 3) await startAgain(configOf({ replyS: 1 }, [first]));
      }
      await allSent(MANY_MS);
      const expected = Array.from({ length: 24 }, (_, index) => {
        const sequence = String(index + 1).padStart(4, "0");
        return `${sequence} ${index % 2 === 0 ? 1 : 3}110 01 002`;
      });
      expect(first.events).toEqual(expected);
    },
    2 * MANY_MS,
  );
});

describe("receivers", () => {
  test("the backup one takes over while the first is down, and the first again after it", async () => {
    start();
    await passing("both to be up", () => first.messages.length > 0 && backup.messages.length > 0);
    await first.stop();
    await site.trip("hall");
    await allSent();
    expect(backup.events).toEqual(["0001 1132 01 001"]);
    expect(conditions()).toEqual(["monitoring-receiver-unreachable"]);
    await first.start();
    await passing("the first to be up", () => conditions().length === 0);
    await site.trip("smoke");
    await allSent();
    expect(first.events).toEqual(["0002 1110 01 002"]);
    expect(new TransmissionStore(site.app.database).links()).toMatchObject([
      { place: 0, state: "up" },
      { place: 1, state: "up" },
    ]);
  });

  test.each([UNKNOWN_HOST, "255.255.255.255"])(
    "a first one over UDP at %s, which cannot be reached, sends the alarm to the backup one",
    async (host) => {
      const unreachable = { host, port: 12_128, transport: "udp", pollS: 60 } as const;
      const reachable = { host: "127.0.0.1", port: backup.port, transport: "tcp", pollS: 60 } as const;
      start(configOf({ receivers: [unreachable, reachable] }));
      await site.trip("smoke");
      await allSent();
      expect(backup.events).toEqual(["0001 1110 01 002"]);
      const [condition] = site.zones.health.list();
      expect(condition).toMatchObject({
        code: "monitoring-receiver-unreachable",
        values: { receiver: `${host}:12128/udp`, reason: expect.stringContaining(host) },
      });
    },
  );

  test("an alarm waits while none replies, and is sent when one does", async () => {
    await first.stop();
    await backup.stop();
    start();
    await site.trip("smoke");
    await passing("both to be down", () => conditions().length === 2);
    expect(waiting()).toBe(1);
    site.zones.clock.advance(7_200_000);
    await backup.start();
    await allSent();
    expect(backup.events).toEqual(["0001 1110 01 002"]);
  });

  test.each(["silent", "duh"] as const)(
    "an alarm for which they were %s is sent in the next minutes although the wall clock was set back by three hours",
    async (behaviour) => {
      first.behaviour = backup.behaviour = () => behaviour;
      start();
      await site.trip("smoke");
      await passing("a failed round", () => site.zones.logged("transmission-failed").length > 0);
      first.behaviour = backup.behaviour = () => "ack";
      site.zones.clock.stepWall(-3 * 3_600_000);
      const sinceMs = site.zones.clock.monotonicMs();
      await allSent();
      expect(site.zones.clock.monotonicMs() - sinceMs).toBeLessThan(600_000);
      expect(new Set([...first.events, ...backup.events])).toEqual(new Set(["0001 1110 01 002"]));
    },
  );

  test("each is supervised at its interval, also the backup one", async () => {
    start();
    await passing("the first messages", () => first.messages.length === 1 && backup.messages.length === 1);
    for (let minute = 2; minute <= 4; minute += 1) {
      site.zones.clock.advance(60_000);
      await eventually(
        "the next messages",
        () => first.messages.length >= minute && backup.messages.length >= minute,
      );
    }
    expect(new Set(first.messages.map(({ token, sequence }) => `${token} ${sequence}`))).toEqual(
      new Set(["NULL 0000"]),
    );
  });

  test.each([16, 24, 32] as const)("get AES with keys of %i bytes, over TCP and UDP", async (bytes) => {
    const key = newAlarmPanelKey(bytes);
    const [overTcp, overUdp] = [await receiver({ key }), await receiver({ key, transport: "udp" })];
    const tcp = { host: "127.0.0.1", port: overTcp.port, transport: "tcp", pollS: 60 } as const;
    const udp = { host: "127.0.0.1", port: overUdp.port, transport: "udp", pollS: 60 } as const;
    start(configOf({ key, receivers: [tcp, udp] }));
    await site.trip("smoke");
    await allSent();
    await passing("the supervision of the other", () => overUdp.messages.length > 0);
    await overTcp.stop();
    await site.trip("till");
    await allSent();
    expect(overTcp.events).toEqual(["0001 1110 01 002"]);
    expect(overUdp.events).toEqual(["0002 1122 01 003"]);
    expect([...overTcp.complaints, ...overUdp.complaints]).toEqual([]);
    await overUdp.stop();
  });

  test("get a block of padding before a content of whole blocks", async () => {
    // With thirteen digits an event has 48 bytes.
    const account = "1234567890ABC";
    const strict = new MonitoringReceiver({ account, key: KEY, wallMs: () => site.zones.clock.wallMs() });
    await strict.start();
    start(configOf({ account, key: KEY }, [strict]));
    await site.trip("smoke");
    await allSent();
    expect(strict.events).toEqual(["0001 1110 01 002"]);
    expect(strict.complaints).toEqual([]);
    await strict.stop();
  });

  test("a forged acknowledgement of an encrypted alarm does not count", async () => {
    const genuine = await receiver({ key: KEY });
    genuine.behaviour = answering(
      wire(`"ACK"0001L0#${ACCOUNT}[]`),
      wire(`"*ACK"0001L0#${ACCOUNT}[${"A0".repeat(32)}`),
    );
    start(configOf({ key: KEY }, [genuine]));
    await site.trip("smoke");
    await passing("the condition", () => conditions().includes("monitoring-receiver-rejects"));
    expect(genuine.events).toEqual([]);
    await allSent();
    expect(genuine.events).toEqual(["0001 1110 01 002"]);
    expect(conditions()).toEqual([]);
    await genuine.stop();
  });
});

describe("rejections", () => {
  test("a DUH of the first receiver sends the event to the backup one, and is a condition", async () => {
    first.behaviour = ({ token }) => (token === "NULL" ? "ack" : "duh");
    start();
    await site.trip("smoke");
    await allSent();
    expect(backup.events).toEqual(["0001 1110 01 002"]);
    expect(conditions()).toEqual(["monitoring-receiver-rejects"]);
  });

  test("an event that all reject does not hold up others, and is sent until it is accepted", async () => {
    first.behaviour = ({ data }) => (data.includes("132") ? "duh" : "ack");
    start(configOf({}, [first]));
    await site.trip("hall", "smoke");
    await passing("the other event", () => first.events.length === 1);
    await restore("hall");
    expect(first.events).toEqual(["0002 1110 01 002"]);
    first.behaviour = () => "ack";
    site.zones.clock.advance(300_000);
    await allSent();
    // Its end has waited for it.
    expect(first.events.slice(1)).toEqual(["0001 1132 01 001", "0003 3132 01 001"]);
  });

  test("an event that a receiver ignores does not hold up others, and is sent until it is accepted", async () => {
    first.behaviour = ({ data }) => (data.includes("132") ? "silent" : "ack");
    start(configOf({}, [first]));
    await site.trip("hall");
    await passing("the event to be ignored", () => first.sent.length >= 2);
    await site.trip("smoke");
    await passing("the other event", () => first.events.length === 1, MANY_MS);
    expect(first.events).toEqual(["0002 1110 01 002"]);
    first.behaviour = () => "ack";
    await allSent(MANY_MS);
    expect(first.events.slice(1)).toEqual(["0001 1132 01 001"]);
  });

  test("a NAK with another time is a warning, and the event is sent with that time", async () => {
    let aheadMs = 3_600_000;
    const strict = new MonitoringReceiver({
      account: ACCOUNT,
      key: KEY,
      wallMs: () => site.zones.clock.wallMs() + aheadMs,
    });
    await strict.start();
    strict.behaviour = ({ time }) => {
      const [clock = "", date = ""] = time.split(",");
      const [month, day, year] = date.split("-");
      const ageMs = site.zones.clock.wallMs() + aheadMs - Date.parse(`${year}-${month}-${day}T${clock}Z`);
      return ageMs > 40_000 || ageMs < -20_000 ? "nak" : "ack";
    };
    start(configOf({ key: KEY }, [strict]));
    await site.trip("smoke");
    await allSent();
    expect(strict.events).toEqual(["0001 1110 01 002"]);
    // It occurred just now by either clock.
    expect(strict.sent.at(-1)?.extended).toEqual([]);
    const [warning, ...others] = site.zones.health.list();
    expect(warning).toMatchObject({ code: "monitoring-receiver-clock", severity: "warning" });
    // The time of a NAK is in whole seconds, and passes while it is on its way.
    expect(Math.abs(Number(warning?.values?.["seconds"]) - 3_600)).toBeLessThan(20);
    expect(others).toEqual([]);
    // The machine's clock is set.
    aheadMs = 0;
    await site.trip("till");
    await allSent();
    expect(conditions()).toEqual([]);
    await strict.stop();
  });

  test("a NAK with the right time is a wrong key", async () => {
    first.behaviour = () => "nak";
    start(configOf({}, [first]));
    await site.trip("smoke");
    await passing("the condition", () => conditions().includes("monitoring-receiver-rejects"));
    expect(waiting()).toBe(1);
    expect(site.zones.health.list()[0]?.text).toContain("the key is another one");
  });
});

describe("the periodic test", () => {
  test("is sent at its interval, once after a restart, and does not pile up", async () => {
    start(configOf({ testH: 1 }));
    await allSent();
    expect(first.events).toEqual(["0001 1602 00 000"]);
    await startAgain(configOf({ testH: 1 }));
    await passing("the journal to be read", isRead);
    await first.stop();
    await backup.stop();
    for (let interval = 0; interval < 3; interval += 1) site.zones.clock.advance(3_600_000);
    await passing("a test to wait", () => waiting() === 1);
    await first.start();
    await allSent();
    expect(first.events).toEqual(["0001 1602 00 000", "0002 1602 00 000"]);
  });
});

test("sequences begin again after 9999", async () => {
  new TransmissionStore(site.app.database).saveFact("sequence", 9_998);
  start();
  await site.trip("smoke");
  await restore("smoke");
  await allSent();
  expect(first.events).toEqual(["9999 1110 01 002", "0001 3110 01 002"]);
});
