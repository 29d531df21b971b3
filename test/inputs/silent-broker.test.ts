import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { listen } from "../support/loopback.ts";

/** A broker that accepts connections and never responds. */
let broker: Server;
const connections: Socket[] = [];
let installation: Installation;

beforeEach(() => {
  connections.length = 0;
  broker = createServer((socket) => {
    socket.on("error", () => "the daemon has gone");
    connections.push(socket);
  });
  installation = new Installation();
});
afterEach(async () => {
  await installation.remove();
  for (const socket of connections) socket.destroy();
  broker.close();
});

test("a daemon that is stopped before its broker responds stops, and does not reconnect", async () => {
  const url = `mqtt://127.0.0.1:${await listen(broker)}`;
  const site = installation.daemon("site", `http: { port: 0 }\nmqtt: { url: "${url}" }\nzones: []\n`);
  await site.start();
  await eventually("the connection", () => connections.length > 0);
  await site.end("SIGTERM");
  expect(connections).toHaveLength(1);
});
