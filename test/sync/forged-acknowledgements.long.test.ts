import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TransmissionStore } from "../../src/store/transmissions.ts";
import { CurrentTransmitter } from "../../src/sync/transmitter/current-transmitter.ts";
import { newAlarmPanelKey, wire } from "../support/alarm-panel.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import {
  encryptedTail,
  MonitoringReceiver,
  timeOf,
  type Behaviour,
  type ReceivedMessage,
} from "../support/monitoring-receiver.ts";
import { zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* An attacker between site and receiver reads and changes what passes, and has no key. */

const ACCOUNT = "12AB";
const KEY = newAlarmPanelKey(32);
const POLL_S = 60;
const HOUR_MS = 3_600_000;
/** For a test in which minutes pass, on a busy machine. */
const MANY_MS = 150_000;
const ZONES = [
  zoneOf({
    id: "smoke",
    kind: "fire",
    objective: { type: "obiective/cladiri", id: 1 },
    input: { simulated: true },
  }),
];

let folder: string;
let site: DispatchingSite;
let receiver: MonitoringReceiver;
let transmitter: CurrentTransmitter;
/** The receiver's clock minus the site's. */
let aheadMs: number;
let isClockTrusted: boolean;

beforeEach(async () => {
  [aheadMs, isClockTrusted] = [0, true];
  folder = temporaryFolder();
  site = await DispatchingSite.make(ZONES, join(folder, "journal.db"));
  receiver = new MonitoringReceiver({ account: ACCOUNT, key: KEY, wallMs: itsMs });
  receiver.behaviour = checked;
  await receiver.start();
});
afterEach(async () => {
  await transmitter.stop();
  await receiver.stop();
});

const itsMs = (): number => site.zones.clock.wallMs() + aheadMs;

function start(pollS = POLL_S): void {
  const { clock, log, health: conditions } = site.zones;
  const config = {
    account: ACCOUNT,
    key: KEY,
    receiverNumber: null,
    line: "0",
    receivers: [{ host: "127.0.0.1", port: receiver.port, transport: "tcp", pollS }],
    replyS: 5,
    testH: 0,
    numbering: { format: "contact-id", partition: 1, zones: [] },
  } as const;
  transmitter = new CurrentTransmitter(config, ZONES, {
    clock,
    time: { isTrusted: () => isClockTrusted },
    log,
    conditions,
    random: () => 0.5,
    failpoint: () => {},
    isHeld: () => false,
    database: site.app.database,
    journal: join(folder, "journal.db"),
  });
  transmitter.start();
}

const waiting = (): number => new TransmissionStore(site.app.database).summary().waiting;
const conditions = (): string[] => site.zones.health.list().map(({ code }) => code);

/** Lets time pass until something is seen. */
function passing(what: string, look: () => boolean): Promise<true> {
  const pass = (): boolean => {
    site.zones.clock.advance(250);
    return look();
  };
  return eventually(what, pass, MANY_MS);
}

const acknowledged = (): Promise<true> =>
  passing("the alarm to be acknowledged", () => receiver.sent.length > 0 && waiting() === 0);

/** As the standard asks: a message more than 20 s ahead or 40 s behind is not accepted. */
function checked({ time }: ReceivedMessage): Behaviour {
  const [clock = "", date = ""] = time.split(",");
  const [month, day, year] = date.split("-");
  const ageMs = itsMs() - Date.parse(`${year}-${month}-${day}T${clock}Z`);
  return ageMs > 41_000 || ageMs < -20_000 ? "nak" : "ack";
}

/** The encrypted part of an acknowledgement is in front of any number that stands in the clear. */
const ackOf = (sequence: string, wallMs: number): Buffer =>
  wire(`"*ACK"${sequence}L0#${ACCOUNT}[${encryptedTail(KEY, wallMs)}`);
const nakAt = (wallMs: number): Buffer => wire(`"NAK"0000R0L0A0[]_${timeOf(wallMs)}`);
/** Three blocks: the first is decrypted to noise, which could be padding. */
const LAST_BLOCKS = 96;
/** @param digits number of encrypted digits at the end that are left */
const returned = (message: ReceivedMessage, sequence: string, digits = 1_000): Buffer =>
  wire(
    message.bytes
      .subarray(9, -1)
      .toString("latin1")
      .replace(/^"\*[A-Z-]+"\d{4}/, `"*ACK"${sequence}`)
      .replace(/(?<=\[).*$/, (content) => content.slice(-digits)),
  );

/** Answers each message of an alarm in this way, and supervision as the receiver itself does. */
function answerAlarms(answer: (message: ReceivedMessage, attempt: number) => Behaviour): void {
  let attempt = 0;
  receiver.behaviour = (message) =>
    message.token === "NULL" ? checked(message) : answer(message, (attempt += 1));
}

/** The alarm is sent, and every forged answer leaves it waiting; then the receiver itself acknowledges it. */
async function expectNoneToCount(answers = 5): Promise<void> {
  await passing("the first supervision", () => receiver.messages.length > 0);
  await site.trip("smoke");
  await passing(
    "many forged answers",
    () => receiver.sent.length >= answers || (waiting() === 0 && receiver.sent.length > 0),
  );
  expect(receiver.events).toEqual([]);
  expect(waiting()).toBe(1);
  receiver.behaviour = checked;
  await acknowledged();
  expect(receiver.events).toEqual(["0001 1110 01 001"]);
  expect(conditions()).toEqual([]);
}

describe("an alarm is not acknowledged by", () => {
  test("an acknowledgement of a supervision message of an hour ago, with the number of the alarm", async () => {
    start();
    answerAlarms(({ sequence }) => ackOf(sequence, site.zones.clock.wallMs() - HOUR_MS));
    await expectNoneToCount();
  });

  test("the same after a forged NAK with the time of that hour", async () => {
    start();
    answerAlarms(({ sequence }, attempt) =>
      attempt % 2 === 1
        ? nakAt(site.zones.clock.wallMs() - HOUR_MS)
        : ackOf(sequence, site.zones.clock.wallMs() - HOUR_MS),
    );
    await expectNoneToCount();
  });

  test("one recording of an hour ago again and again, also after a restart", async () => {
    start();
    const recordedMs = site.zones.clock.wallMs();
    site.zones.clock.advance(HOUR_MS);
    await transmitter.stop();
    start();
    answerAlarms(({ sequence }) => ackOf(sequence, recordedMs));
    await expectNoneToCount();
  });

  test("the acknowledgement of a supervision message of half a minute ago", async () => {
    start();
    answerAlarms(({ sequence }) => ackOf(sequence, site.zones.clock.wallMs() - 30_000));
    await expectNoneToCount();
  });

  test("the alarm itself, sent back as an acknowledgement", async () => {
    start();
    answerAlarms((message) => returned(message, message.sequence));
    await expectNoneToCount();
  });

  test("the end of the alarm, which has a time of its own too because it is sent late", async () => {
    start();
    answerAlarms((message, attempt) =>
      attempt <= 8 ? "silent" : returned(message, message.sequence, LAST_BLOCKS),
    );
    await expectNoneToCount(13);
    expect(receiver.sent.at(-1)?.extended).toHaveLength(1);
  });

  test("the newest supervision message, sent back as an acknowledgement", async () => {
    start(1);
    answerAlarms(({ sequence }) => {
      const newest = receiver.messages.findLast(({ token }) => token === "NULL");
      return newest ? returned(newest, sequence) : nakAt(itsMs());
    });
    await expectNoneToCount();
  });
});

describe("a receiver with a wrong clock stays of use", () => {
  test.each([
    ["is an hour ahead", HOUR_MS, POLL_S],
    ["is years behind", -20 * 365 * 24 * HOUR_MS, POLL_S],
    ["is an hour behind, without supervision", -HOUR_MS, 0],
  ])("if it %s", async (_name, differenceMs, pollS) => {
    aheadMs = differenceMs;
    start(pollS);
    await site.trip("smoke");
    await acknowledged();
    expect(receiver.events).toEqual(["0001 1110 01 001"]);
    expect(conditions()).toEqual(["monitoring-receiver-clock"]);
  });

  test.each([
    ["is set back by an hour", -HOUR_MS],
    ["is set forward by an hour", HOUR_MS],
    ["is corrected by half a minute", -30_000],
  ])("if it %s: it is trusted again within two minutes", async (_name, differenceMs) => {
    start();
    await passing("the first supervision", () => receiver.messages.length > 0);
    site.zones.clock.advance(10_000);
    aheadMs = differenceMs;
    const sinceMs = site.zones.clock.monotonicMs();
    await site.trip("smoke");
    await acknowledged();
    expect(receiver.events).toEqual(["0001 1110 01 001"]);
    expect(site.zones.clock.monotonicMs() - sinceMs).toBeLessThan(120_000);
  });

  test("if it was away for three days: its first acknowledgement counts", async () => {
    start();
    await passing("the first supervision", () => receiver.messages.length > 0);
    await receiver.stop();
    site.zones.clock.standStill(72 * HOUR_MS);
    await receiver.start();
    await site.trip("smoke");
    await acknowledged();
    expect(receiver.sent.map(({ sequence }) => sequence)).toEqual(["0001"]);
  });

  test("if the own clock is not set: an alarm is acknowledged, although nothing shows the time", async () => {
    isClockTrusted = false;
    aheadMs = 3 * HOUR_MS;
    start();
    await site.trip("smoke");
    await acknowledged();
    expect(receiver.events).toEqual(["0001 1110 01 001"]);
  });
});
