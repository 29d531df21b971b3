import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { ServedApp } from "../support/served-app.ts";

/** Longer than a connection is kept without a request: five seconds, and one that Node.js adds. */
const BUSY_MS = 7_500;

let site: TestApp;
let served: ServedApp;
beforeEach(async () => {
  site = await TestApp.forTest();
  served = await new ServedApp(site).start();
});
afterEach(() => served.stop());

test("a connection without a further request is closed after its time", async () => {
  const socket = connect(served.server.address.port, "127.0.0.1");
  const first = once(socket, "data");
  socket.write("HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [chunk] = (await first) as [Buffer];
  expect(chunk.toString("latin1")).toMatch(/^HTTP\/1\.1 \d[^]*\r\nConnection: keep-alive\r\n/);
  await once(socket, "close");
});

test("a request that arrived while the server was busy is answered, not reset", async () => {
  const socket = connect(served.server.address.port, "127.0.0.1");
  await once(socket, "connect");
  const nextResponse = async (): Promise<string> => {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    return chunk.toString("latin1");
  };
  const first = nextResponse();
  socket.write("HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await first).toMatch(/^HTTP\/1\.1 \d/);
  const second = nextResponse();
  // Node.js checks its timers next, and reads after that.
  setImmediate(() => {
    // A write to a connected socket is in the kernel at once.
    socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const untilMs = performance.now() + BUSY_MS;
    while (performance.now() < untilMs);
  });
  expect(await second).toMatch(/^HTTP\/1\.1 \d/);
  socket.destroy();
});
