import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { newAlarmPanelKey, wire } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { eventually } from "../../support/eventually.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

/* A listener on the network has recorded encrypted messages, and has no key. */

const KEY = newAlarmPanelKey(32);
const HALL = zoneOf({
  id: "hall",
  kind: "motion",
  input: { dc09: "1234", zone: 4 },
  gate: { dc09: "1234", partition: 1 },
});
const ARM = "3401 01 002";
const DISARM = "1401 01 002";
const ALARM = "1130 01 004";
const SILENCE_S = 180;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function started(options: Partial<AlarmPanelAccount> = {}) {
  const account = alarmPanelAccount("1234", { key: KEY, isPlain: false, silenceS: SILENCE_S, ...options });
  const here = await Dc09Site.start([account], [HALL]);
  return { here, panel: here.panel("1234", { key: KEY }) };
}

/** The power returns, and the clock of the machine is not set yet. */
async function loseClock(here: Dc09Site): Promise<void> {
  here.isClockTrusted = false;
  here.clock.stepWall(-86_400_000);
  await here.startAgain();
}

/** What stands in the clear can be changed without the key. */
function forged(frame: Buffer, head: RegExp, text: string): Buffer {
  return wire(frame.subarray(9, -1).toString("latin1").replace(head, text));
}
const resequenced = (frame: Buffer, sequence: string): Buffer => forged(frame, /"\d{4}/, `"${sequence}`);
const alarmsOf = (here: Dc09Site): string[] =>
  here.trips.filter(({ type }) => type === "trip").map(({ state }) => state);

async function opened(
  here: Dc09Site,
  frame: Buffer,
): Promise<{ readonly socket: Socket; readonly reply: Buffer }> {
  const socket = connect(here.receiver.ports.tcp ?? 0, "127.0.0.1", () => socket.write(frame));
  sockets.push(socket);
  const [reply] = (await once(socket, "data")) as [Buffer];
  return { socket, reply };
}

describe("a recorded disarming", () => {
  test.each(["tcp", "udp"] as const)(
    "that is sent again over %s with another sequence, while the clock is not set, does not disarm",
    async (transport) => {
      const { here, panel } = await started();
      const recorded = panel.frame("ADM-CID", `#1234|${DISARM}`, "0001");
      await panel.send(recorded);
      here.clock.advance(3_600_000);
      await panel.contactId(ARM, "0002");
      const laterMs = here.clock.wallMs() + 60_000;
      await loseClock(here);
      const listener = here.panel("1234", { key: KEY, transport });
      for (const sequence of ["0001", "0003", "9999"]) await listener.send(resequenced(recorded, sequence));
      await here.panel("1234", { key: KEY, wallMs: () => laterMs }).contactId(ALARM, "0004");
      expect(alarmsOf(here)).toEqual(["waiting"]);
      expect(here.conditions).toContain("alarm-panel-rejected/replayed 1234");
      // The alarm panel itself disarms, by its own clock.
      const genuine = here.panel("1234", { key: KEY, wallMs: () => laterMs + 60_000 });
      expect(await genuine.contactId(DISARM, "0005")).toMatchObject({ token: "ACK" });
      await genuine.contactId(ALARM, "0006");
      expect(alarmsOf(here)).toEqual(["waiting", "gated"]);
    },
  );

  test("that is sent again within seconds with another sequence, or with a block before it, does not disarm", async () => {
    const { here, panel } = await started();
    const recorded = panel.frame("ADM-CID", `#1234|${DISARM}`, "0001");
    await panel.send(recorded);
    here.clock.advance(10_000);
    await panel.contactId(ARM, "0002");
    here.clock.advance(10_000);
    await panel.send(resequenced(recorded, "0003"));
    await panel.send(forged(resequenced(recorded, "0004"), /\[/, `[${"0".repeat(32)}`));
    await panel.contactId(ALARM, "0005");
    expect(alarmsOf(here)).toEqual(["waiting"]);
    await panel.contactId(DISARM, "0006");
    await panel.contactId(ALARM, "0007");
    expect(alarmsOf(here)).toEqual(["waiting", "gated"]);
  });

  test("is like one of a clock that was set back, which counts again once the own clock is trusted", async () => {
    const { here, panel } = await started();
    await panel.contactId(ARM, "0001");
    await loseClock(here);
    const setBack = here.panel("1234", { key: KEY, wallMs: () => here.clock.wallMs() });
    await setBack.contactId(DISARM, "0002");
    await setBack.contactId(ALARM, "0003");
    here.isClockTrusted = true;
    await setBack.contactId(DISARM, "0004");
    await setBack.contactId(ALARM, "0005");
    here.isClockTrusted = false;
    here.clock.advance(60_000);
    await setBack.contactId(ARM, "0006");
    await setBack.contactId(DISARM, "0007");
    await setBack.contactId(ALARM, "0008");
    expect(alarmsOf(here)).toEqual(["waiting", "gated", "gated"]);
  });
});

test.each(["_00:00:00,00-00-2000", "_00:00:00,01-01-2000"])(
  "an alarm panel with timestamps: ignored, whose messages always have the time %s, disarms each time",
  async (time) => {
    const { here } = await started({ timestamps: "ignored" });
    const stuck = here.panel("1234", { key: KEY, time });
    for (const event of [DISARM, ARM, DISARM, ALARM]) await stuck.contactId(event);
    expect(alarmsOf(here)).toEqual(["gated"]);
  },
);

test("a recorded alarm that is sent again while the clock is not set is an alarm: one too many is better than one too few", async () => {
  const { here, panel } = await started();
  const recorded = panel.frame("ADM-CID", `#1234|${ALARM}`, "0001");
  await panel.send(recorded);
  await panel.contactId("3130 01 004", "0002");
  await loseClock(here);
  expect(await panel.send(resequenced(recorded, "0003"))).toMatchObject({ token: "ACK" });
  expect(alarmsOf(here)).toHaveLength(2);
});

test("a recorded restoral that is sent again while the clock is not set leaves the zone open", async () => {
  const { here, panel } = await started();
  const recorded = panel.frame("ADM-CID", "#1234|3130 01 004", "0001");
  await panel.send(recorded);
  here.clock.advance(60_000);
  await panel.contactId(ALARM, "0002");
  await loseClock(here);
  expect(await panel.send(resequenced(recorded, "0003"))).toMatchObject({ token: "ACK" });
  expect(here.contactOf("hall")).toBe("open");
});

describe("the silence of an alarm panel", () => {
  const silent = "alarm-panel-silent/1234";

  test("is not ended by recorded messages while the clock is not set, but by its next message", async () => {
    const { here, panel } = await started();
    const recorded = panel.frame("NULL", "", "0000");
    await panel.send(recorded);
    here.clock.advance(60_000);
    const alarm = panel.frame("ADM-CID", `#1234|${ALARM}`, "0001");
    await panel.send(alarm);
    const laterMs = here.clock.wallMs() + 60_000;
    await loseClock(here);
    for (let second = 0; second < SILENCE_S; second += 60) {
      await panel.send(recorded);
      await panel.send(alarm);
      here.clock.advance(60_000);
    }
    expect(here.conditions).toContain(silent);
    await panel.send(recorded);
    expect(here.conditions).toContain(silent);
    await here.panel("1234", { key: KEY, wallMs: () => laterMs }).supervision();
    expect(here.conditions).not.toContain(silent);
  });

  test("is not hidden by the receiver's own acknowledgements, sent back to it as supervision messages", async () => {
    const { here, panel } = await started();
    const listener = here.panel("1234", { key: KEY, replyWithinMs: 300 });
    let reply = await panel.supervision();
    for (let second = 0; second < SILENCE_S; second += 30) {
      here.clock.advance(30_000);
      if (reply) reply = await listener.send(forged(reply.bytes, /"\*ACK"/, '"*NULL"'));
    }
    expect(here.conditions).toContain(silent);
    expect(here.conditions).toContain("alarm-panel-rejected/replayed 1234");
  });
});

describe("a connection", () => {
  test.each([
    ["late", 3_600_000],
    ["quick", 5_000],
  ])("with a %s repetition gets the acknowledgement, and is closed after 15 s", async (_name, afterMs) => {
    const { here, panel } = await started();
    const recorded = panel.frame("ADM-CID", `#1234|${ALARM}`, "0001");
    await panel.send(recorded);
    here.clock.advance(afterMs);
    const { socket, reply } = await opened(here, recorded);
    expect(reply.toString("latin1")).toContain('"*ACK"0001');
    const { socket: genuine } = await opened(here, panel.frame("NULL", "", "0000"));
    here.clock.advance(16_000);
    await eventually("the connection to be closed", () => socket.destroyed);
    expect(genuine.destroyed).toBe(false);
  });
});

test("a recorded message that is sent hundreds of times within seconds does not use up the rate of the alarm panel", async () => {
  const { here, panel } = await started();
  const recorded = panel.frame("NULL", "", "0000");
  await panel.send(recorded);
  here.clock.advance(5_000);
  const listener = here.panel("1234", { key: KEY, replyWithinMs: 300 });
  for (let round = 0; round < 50; round += 1)
    await listener.send(Buffer.concat(Array.from({ length: 8 }, () => recorded)));
  await eventually("the rest to be refused", () => here.count("rate") > 0);
  expect(await panel.contactId(ALARM, "0001")).toMatchObject({ token: "ACK" });
  expect(alarmsOf(here)).toHaveLength(1);
});
