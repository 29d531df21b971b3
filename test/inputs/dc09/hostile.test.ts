import { Socket as UdpSocket } from "node:dgram";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newAlarmPanelKey, wire } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { eventually } from "../../support/eventually.ts";
import { wrappingSequences } from "../../support/wrapping-sequences.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const key = newAlarmPanelKey(16);
let site: Dc09Site;
const sockets: Socket[] = [];
beforeEach(async () => {
  site = await Dc09Site.start(
    [alarmPanelAccount("1234", { key, isPlain: false })],
    [zoneOf({ id: "hall", input: { dc09: "1234", zone: 4 } })],
  );
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function opened(localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port: site.receiver.ports.tcp ?? 0, host: "127.0.0.1", localAddress });
  sockets.push(socket);
  socket.on("error", () => "closed by the receiver");
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return socket;
}

test("with 500 open connections that send nothing or half a frame, a panel is acknowledged", async () => {
  for (let count = 0; count < 500; count += 1) (await opened()).write(count % 2 === 0 ? '\n00000FFF"' : "");
  expect(await site.panel("1234", { key }).contactId("1130 01 004")).toMatchObject({ token: "ACK" });
  expect(site.trips).toHaveLength(1);
  expect(site.conditions).toContain("alarm-panel-rejected/connections");
  await eventually(
    "the oldest to be closed",
    () => sockets.filter(({ destroyed }) => destroyed).length >= 244,
  );
  site.clock.advance(16_000);
  await eventually("the others too", () => sockets.every(({ destroyed }) => destroyed));
});

test("many connections of one address are closed before the few of another one, which have sent nothing either", async () => {
  const few: Socket[] = [];
  for (let count = 0; count < 20; count += 1) few.push(await opened("127.0.0.2"));
  for (let count = 0; count < 400; count += 1) await opened();
  await eventually(
    "the others to be closed",
    () => sockets.filter(({ destroyed }) => destroyed).length >= 164,
  );
  expect(await site.panel("1234", { key }).contactId("1130 01 004")).toMatchObject({ token: "ACK" });
  expect(few.filter(({ destroyed }) => destroyed)).toEqual([]);
});

test("a sender of rejected messages is disconnected after eight, and does not use up the rate of the panel", async () => {
  const forged = site.panel("1234", { key: newAlarmPanelKey(16), replyWithinMs: 300 });
  for (let round = 0; round < 50; round += 1)
    await forged.send(Buffer.concat(Array.from({ length: 20 }, () => forged.frame("NULL", "", "0000"))));
  // On a busy machine the last messages are read after their sender has stopped waiting.
  await eventually("eight messages of each connection", () => site.count("key") >= 400);
  expect(site.count("key")).toBe(400);
  expect(await site.panel("1234", { key }).contactId("1130 01 004")).toMatchObject({ token: "ACK" });
});

test("of a datagram with many messages the rest is dropped after eight rejected ones, and all are processed without", async () => {
  const forged = site.panel("6666", { transport: "udp" });
  await forged.send(Buffer.concat(Array.from({ length: 100 }, () => forged.frame("NULL", "", "0000"))));
  await eventually("eight rejected messages", () => site.count("unknown-account") >= 8);
  const panel = site.panel("1234", { key, transport: "udp" });
  await panel.send(Buffer.concat(Array.from({ length: 20 }, () => panel.frame("NULL", "", "0000"))));
  await eventually("the messages of the alarm panel", () => site.count("acknowledged") >= 20);
  expect(site.count("unknown-account")).toBe(8);
});

test("invented accounts are counted, and their conditions are bounded", async () => {
  for (let account = 0; account < 120; account += 1)
    await site.panel(String(5_000 + account), { transport: "udp" }).contactId("1130 01 004");
  expect(site.count("unknown-account")).toBe(120);
  expect(site.conditions.length).toBeLessThanOrEqual(33);
  expect(site.trips).toEqual([]);
});

test("frames of yesterday that were never received here are rejected by their time", async () => {
  const panel = site.panel("1234", { key });
  const frames = Array.from({ length: 20 }, () =>
    panel.frame("ADM-CID", "#1234|1130 01 004", panel.nextSequence()),
  );
  site.clock.advance(86_400_000);
  for (const frame of frames) expect(await panel.send(frame)).toMatchObject({ token: "NAK" });
  expect(site.count("clock")).toBe(20);
  expect(site.trips).toEqual([]);
});

test("a recorded message that is replayed hundreds of times does not use up the rate of the panel, and has a limit", async () => {
  const recorded = site.panel("1234", { key }).frame("ADM-CID", "#1234|1130 01 004", "0001");
  site.clock.advance(3_600_000);
  const replay = site.panel("1234", { key, replyWithinMs: 300 });
  for (let round = 0; round < 40; round += 1)
    await replay.send(Buffer.concat(Array.from({ length: 8 }, () => recorded)));
  expect(await site.panel("1234", { key }).contactId("1130 01 004", "0002")).toMatchObject({ token: "ACK" });
  expect(site.trips).toHaveLength(1);
  await eventually("the rest to be refused", () => site.count("rate") > 0);
  expect(site.count("clock")).toBe(300);
});

test("when the wall clock is set by years, the panel gets the new time, and its repeated message counts once", async () => {
  let offMs = 0;
  const panel = site.panel("1234", { key, wallMs: () => site.clock.wallMs() - offMs });
  await panel.contactId("1130 01 004", "0007");
  site.clock.stepWall(-5 * 365 * 86_400_000);
  offMs = -5 * 365 * 86_400_000;
  expect(await panel.contactId("1131 01 004", "0008")).toMatchObject({ token: "NAK" });
  offMs = 0;
  expect(await panel.contactId("1130 01 004", "0007")).toMatchObject({ token: "ACK" });
  expect(site.trips).toHaveLength(1);
  expect(await panel.contactId("1131 01 004", "0008")).toMatchObject({ token: "ACK" });
  expect(site.trips).toHaveLength(2);
});

test("a text that hides characters, turns the reading order or is cut within a character becomes a readable name", async () => {
  const panel = site.panel("1234", { key });
  await panel.sia("Nri1/BA21^\u001B[31mred\u0007 \u202Egnp.exe\u009B2J^", "0001");
  await panel.sia(`Nri1/BA22^${"a".repeat(59)}\u{1F600}tail^`, "0002");
  await panel.sia("Nri1/BA23^\u200B\u2060^", "0003");
  await panel.sia("Nri1/RP00^\u001B[2J\u202Etest\u009B^", "0004");
  const created = site.zoneService.monitor.watched().filter(({ zone: { id } }) => id !== "hall");
  expect(created.map(({ zone: { name } }) => name)).toEqual([
    "[31mred   gnp.exe 2J (1234/21)",
    `${"a".repeat(59)}\u{1F600} (1234/22)`,
    "Alarm panel 1234, zone 23",
  ]);
  const report = site.events.find(({ event }) => event === "alarm-panel-reported");
  expect(report?.detail).toMatchObject({ text: "[2J test" });
});

test("noise costs nothing but its own connection, which is closed after 256 KiB", async () => {
  const socket = await opened();
  for (let part = 0; part < 64; part += 1) socket.write(Buffer.alloc(16_384, "GET / HTTP/1.1\r\n\r\n"));
  expect(await site.panel("1234", { key }).contactId("1130 01 004")).toMatchObject({ token: "ACK" });
  await eventually("the connection to be closed", () => socket.destroyed);
});

test("a sender of another protocol is disconnected after 15 s", async () => {
  const socket = await opened();
  socket.write(wire("SR0001L0001    006969XX    [ID00000000]"));
  expect(await site.panel("1234", { key }).supervision()).toMatchObject({ token: "ACK" });
  site.clock.advance(16_000);
  await eventually("the connection to be closed", () => socket.destroyed);
  expect(site.count("acknowledged")).toBe(1);
});

test("in a month with sequences that wrap four times and no times, each alarm is new and each repetition is not", () => {
  expect(wrappingSequences(30)).toEqual({ wrong: [], rows: 256 });
});

/*
 * Only a raw socket sends from port 0, and needs root. The datagrams enter the receiver's own socket as the kernel would
 * deliver them.
 */
test("right messages in 300 datagrams from port 0 end nothing: each panel over UDP is acknowledged afterwards", async () => {
  const bind = vi.spyOn(UdpSocket.prototype, "bind");
  try {
    await site.startAgain();
    const [socket] = bind.mock.contexts as readonly UdpSocket[];
    const panel = site.panel("1234", { key, transport: "udp" });
    for (let sequence = 1; sequence <= 300; sequence += 1) {
      const frame = panel.frame("ADM-CID", "#1234|1130 01 004", String(sequence).padStart(4, "0"));
      socket?.emit("message", frame, { address: "127.0.0.1", port: 0, family: "IPv4", size: frame.length });
    }
    expect(await panel.contactId("1130 01 004", "0301")).toMatchObject({ token: "ACK", sequence: "0301" });
  } finally {
    bind.mockRestore();
  }
  expect(site.count("source-port")).toBe(300);
  expect(site.conditions).toEqual(["alarm-panel-rejected/source-port"]);
  expect(site.trips).toHaveLength(1);
});
