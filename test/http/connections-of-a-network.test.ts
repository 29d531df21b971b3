import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Connections } from "../../src/http/connection-limits.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/loopback.ts";

/* Clients of a real server on loopback, each with an address that the test gives it. */

const PER_ADDRESS = 3;
const ALL = 20;
/** From here a user has signed in before. */
const KNOWN = "192.0.2.200";
const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

let server: Server;
let port: number;
let nextAddress: string;
/** Port of the next client; undefined for its own. */
let nextPort: number | undefined;
let sockets: Socket[];
let connections: Connections;
/** Connections that the server does not know to be closed. */
let open: Set<Socket>;
beforeEach(async () => {
  sockets = [];
  nextPort = undefined;
  const accepted = new Set<Socket>();
  open = accepted;
  connections = new Connections({ connectionsMax: ALL, connectionsPerAddressMax: PER_ADDRESS }, [KNOWN]);
  // It answers none of them, so that each connection stays in use.
  server = createServer(connections.guard(() => {}));
  connections.watch(server);
  server.prependListener("connection", (socket: Socket) => {
    Object.defineProperty(socket, "remoteAddress", { value: nextAddress });
    if (nextPort !== undefined) Object.defineProperty(socket, "remotePort", { value: nextPort });
    accepted.add(socket);
    socket.once("close", () => accepted.delete(socket));
  });
  port = await listen(server);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** @returns how many of the clients are refused, each at the next of these addresses */
async function refusedFrom(addresses: readonly string[]): Promise<number> {
  const before = connections.use.refused;
  for (const address of addresses) {
    nextAddress = address;
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => "the server may reset it");
    sockets.push(socket);
    const asked = once(server, "request");
    socket.write(REQUEST);
    await Promise.race([asked, once(socket, "close")]);
  }
  return connections.use.refused - before;
}

test("a machine with many addresses of one IPv6 network has the connections of one client", async () => {
  expect(await refusedFrom(["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3::4"])).toBe(0);
  expect(await refusedFrom(["2001:db8:1:2:ffff::5", "2001:db8:1:2:a:b:c:d"])).toBe(2);
  expect(await refusedFrom(["2001:db8:1:3::1", "2001:db8::1"])).toBe(0);
});

test.each([
  ["unique local", "fd12:3456:789a:1::"],
  ["link-local", "fe80::"],
])("the machines of a site with %s addresses are a client each", async (_what, prefix) => {
  expect(await refusedFrom([1, 2, 3, 4, 5].map((host) => `${prefix}${host}`))).toBe(0);
  expect(await refusedFrom([`${prefix}1`, `${prefix}1`, `${prefix}1`])).toBe(1);
});

test("an IPv4 address is one client on listeners for either family", async () => {
  expect(await refusedFrom(["::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1"])).toBe(1);
});

test("when strangers with requests have all connections, only a known address takes one of them", async () => {
  const strangers = Array.from({ length: ALL }, (_, host) => `198.51.100.${host + 1}`);
  expect(await refusedFrom(strangers)).toBe(0);
  expect(await refusedFrom(["203.0.113.1"])).toBe(1);
  expect(await refusedFrom([KNOWN])).toBe(0);
  expect(connections.use).toMatchObject({ open: ALL, replaced: 1 });
});

test("connections whose port has a newer one before they are closed do not count forever", async () => {
  const address = "192.0.2.1";
  nextPort = 50_000;
  expect(await refusedFrom([address, address, address])).toBe(0);
  for (const socket of sockets.splice(0)) socket.resetAndDestroy();
  await eventually("all of them to be closed", () => open.size === 0);
  nextPort = undefined;
  expect(await refusedFrom([address, address, address])).toBe(0);
  expect(await refusedFrom([address])).toBe(1);
});
