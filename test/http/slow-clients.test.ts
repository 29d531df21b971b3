import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Connections } from "../../src/http/connection-limits.ts";
import { eventually } from "../support/eventually.ts";

/** More than the kernel buffers for one connection, so that the rest waits in the server. */
const RESPONSE_BYTES = 12 * 1024 * 1024;
/** More than the 48 MB that may wait. */
const SLOW_CLIENTS = 100;
/** One more would exceed it, because each response has a head. */
const KEPT_CLIENTS = 3;

let server: Server;
let port: number;
let connections: Connections;
const clients: Socket[] = [];
beforeEach(async () => {
  const limits = { connectionsMax: 500, connectionsPerAddressMax: 500 };
  connections = new Connections(limits);
  const body = Buffer.alloc(RESPONSE_BYTES);
  server = createServer(
    {},
    connections.guard((request, response) => response.end(request.url === "/large" ? body : "small")),
  );
  connections.watch(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function ask(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port, host: "127.0.0.1", path: "/", agent: false }, (response) => {
      response.resume();
      resolve(response);
    }).on("error", reject);
  });
}

test("clients that do not read their responses use limited memory, and others are served", async () => {
  for (let number = 0; number < SLOW_CLIENTS; number += 1) {
    const client = connect(port, "127.0.0.1");
    client.pause();
    client.on("error", () => {});
    client.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    clients.push(client);
  }
  // Each of them shares the body of this test; what counts is what the server keeps for its client.
  await eventually("the others end", async () => {
    expect((await ask()).statusCode).toBe(200);
    return connections.use.ended === SLOW_CLIENTS - KEPT_CLIENTS;
  });
});
