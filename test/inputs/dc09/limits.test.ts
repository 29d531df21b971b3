import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { eventually } from "../../support/eventually.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const HALL = zoneOf({ id: "hall", input: { dc09: "1234", zone: 4 } });
const SILENCE_S = 180;
/** More than the receiver accepts. */
const CONNECTIONS = 270;

let site: Dc09Site;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function start(options: Partial<AlarmPanelAccount> = {}): Promise<void> {
  site = await Dc09Site.start([alarmPanelAccount("1234", { silenceS: SILENCE_S, ...options })], [HALL]);
}

/** Opens connections that send nothing until some are refused. */
async function fill(localAddress: string): Promise<void> {
  const before = site.count("connections");
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = connect({ port: site.receiver.ports.tcp ?? 0, host: "127.0.0.1", localAddress });
    sockets.push(socket);
    socket.on("error", () => "closed by the receiver");
    await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  }
  await eventually("refused connections", () => site.count("connections") - before >= CONNECTIONS - 256);
}

const refused = (): number | undefined =>
  site.receiver.use.refused.find(({ account }) => account === "1234")?.count;
const ofPanel = (): string[] => site.conditions.filter((condition) => condition.endsWith("/1234"));

test("an alarm panel whose connections are refused is not silent: the condition names the limit until a message is accepted", async () => {
  await start();
  await site.panel("1234").supervision();
  await fill("127.0.0.1");
  expect(site.conditions).toContain("alarm-panel-rejected/connections 1234");
  expect(refused()).toBe(site.count("connections"));
  site.clock.advance(SILENCE_S * 1_000);
  expect(ofPanel()).toEqual(["alarm-panel-refused/1234"]);
  const [condition] = site.health.list().filter(({ code }) => code === "alarm-panel-refused");
  expect(condition?.text).toMatch(
    /alarm panel 1234 was accepted for 180 s: .* rejected at a limit .* \(connections\)/,
  );
  // Its alarms do not arrive, whatever the reason.
  expect(site.trips).toMatchObject([{ type: "fault", cause: "supervision" }]);
  await site.panel("1234").supervision();
  expect(ofPanel()).toEqual([]);
  site.clock.advance(SILENCE_S * 1_000);
  expect(ofPanel()).toEqual(["alarm-panel-silent/1234"]);
});

test("an alarm panel that is called silent is called refused from its first refused connection on", async () => {
  await start({ from: ["127.0.0.1"] });
  site.clock.advance(SILENCE_S * 1_000);
  expect(ofPanel()).toEqual(["alarm-panel-silent/1234"]);
  await fill("127.0.0.1");
  expect(ofPanel()).toEqual(["alarm-panel-refused/1234"]);
});

test("an alarm panel that sends more messages than its rate allows is refused by that limit", async () => {
  await start();
  const panel = site.panel("1234", { transport: "udp", replyWithinMs: 300 });
  for (let count = 0; count < 300; count += 1) await panel.supervision();
  expect(await panel.supervision()).toBeUndefined();
  expect(refused()).toBe(1);
  site.clock.advance(SILENCE_S * 1_000);
  expect(ofPanel()).toEqual(["alarm-panel-refused/1234"]);
  expect(site.health.list().find(({ code }) => code === "alarm-panel-refused")?.values).toMatchObject({
    limits: "rate",
  });
});

test("refused connections of another address excuse no alarm panel, and name none", async () => {
  await start();
  await site.panel("1234").supervision();
  await fill("127.0.0.2");
  expect(site.conditions).toContain("alarm-panel-rejected/connections");
  site.clock.advance(SILENCE_S * 1_000);
  expect(ofPanel()).toEqual(["alarm-panel-silent/1234"]);
  expect(refused()).toBe(0);
});
