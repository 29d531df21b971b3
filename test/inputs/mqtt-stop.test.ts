import { createServer, type Server, type Socket } from "node:net";
import { generate, parser, type Packet } from "mqtt-packet";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { close, listen } from "../support/loopback.ts";
import { readingsOf } from "../support/mqtt-readings.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A daemon that stops takes leave of its broker, so that the next one gets only what this one has not recorded. */

const DOOR = zoneOf({ id: "door", input: { mqtt: "door", path: "/contact", open: [false], normal: [true] } });

let site: MonitoredZones;
let broker: Server;
let connections: Socket[];
let received: Packet[];

beforeEach(async () => {
  site = MonitoredZones.forTest([DOOR]);
  [connections, received] = [[], []];
  broker = createServer({ allowHalfOpen: true }, serve);
  await listen(broker);
});
afterEach(async () => {
  for (const socket of connections) socket.destroy();
  await close(broker);
});

/** A broker that never ends a connection by itself. */
function serve(socket: Socket): void {
  connections.push(socket);
  socket.on("error", () => "the client ends it on purpose");
  const packets = parser({ protocolVersion: 4 });
  packets.on("packet", (packet: Packet) => {
    received.push(packet);
    if (packet.cmd === "connect")
      socket.write(generate({ cmd: "connack", returnCode: 0, sessionPresent: false }));
    if (packet.cmd !== "subscribe") return;
    const { subscriptions, messageId = 0 } = packet;
    socket.write(generate({ cmd: "suback", messageId, granted: subscriptions.map(() => 1) }));
  });
  socket.on("data", (chunk) => packets.parse(chunk));
}

test("acknowledges what it has recorded and disconnects, and does not wait for a broker that keeps the connection", async () => {
  const { port } = broker.address() as { port: number };
  const readings = readingsOf(site, `mqtt://127.0.0.1:${port}`);
  await readings.start();
  await eventually("the subscription", () => received.some(({ cmd }) => cmd === "subscribe"));
  for (const [index, contact] of [true, false].entries())
    connections[0]?.write(
      generate({
        cmd: "publish",
        topic: "door",
        payload: JSON.stringify({ contact }),
        messageId: index + 1,
        qos: 1,
        dup: false,
        retain: false,
      }),
    );
  await eventually("the trip", () => site.trips.length === 1);
  let isStopped = false;
  const stopped = readings.stop().then(() => (isStopped = true));
  await eventually("the farewell", () => received.some(({ cmd }) => cmd === "disconnect"));
  expect(received.slice(-3)).toMatchObject([
    { cmd: "puback", messageId: 1 },
    { cmd: "puback", messageId: 2 },
    { cmd: "disconnect" },
  ]);
  expect(isStopped).toBe(false);
  site.clock.advance(1_000);
  await stopped;
  expect(connections).toHaveLength(1);
});
