import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { listen } from "../support/loopback.ts";
import { Attacker } from "./attacker.ts";

const FLOODS = ["unreleased", "deafReaders", "absentSessions", "subscriptions"];

/* An attack that does not end on time delays the tests, and one that ends early shows nothing. */
test.each<[what: string, meet: (socket: Socket) => unknown]>([
  ["disconnects every client", (socket) => socket.once("data", () => socket.resetAndDestroy())],
  ["accepts everything and never responds", (socket) => socket.resume()],
  ["reads nothing", (socket) => socket.pause()],
])("a flood ends on time against a broker that %s", async (_what, meet) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => "the attacker ends");
    socket.on("close", () => sockets.delete(socket));
    meet(socket);
  });
  const port = await listen(server);
  const attackers = FLOODS.map(
    (name) => new Attacker({ name, port, httpPort: 0, token: "", requests: 1 }, 1),
  );
  try {
    const ends = await Promise.all(attackers.map((attacker) => attacker.onTime()));
    expect(ends).toHaveLength(FLOODS.length);
    for (const { failed } of ends) expect(failed).toBe(0);
  } finally {
    await Promise.allSettled(attackers.map((attacker) => attacker.end()));
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
