import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ApiClient, type Reply } from "../../src/client/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/loopback.ts";

/* A server that sends exactly these bytes on each connection after the request. */

let server: Server | undefined;
let client: ApiClient | undefined;
const sockets = new Set<Socket>();
afterEach(async () => {
  client?.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => {
    if (server) server.close(resolve);
    else resolve(undefined);
  });
});

/** @param timeoutMs of the request; short where nothing else ends it */
async function answerTo(bytes: string, then: "stay" | "end" | "reset", timeoutMs = 30_000): Promise<Reply> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      if (then === "reset") socket.resetAndDestroy();
      else if (then === "end") socket.end(bytes);
      else socket.write(bytes);
    });
  });
  const port = await listen(server);
  client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs });
  return client.request({ method: "POST", path: "/interventii", body: "{}" });
}

const HEAD = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n";

test.each<[what: string, bytes: string, then: "stay" | "end" | "reset", reply: object]>([
  [
    "whole",
    `${HEAD}Content-Length: 8\r\n\r\n{"id":1}`,
    "stay",
    { kind: "answered", status: 201, body: '{"id":1}' },
  ],
  [
    "ended by a close",
    `${HEAD}Connection: close\r\n\r\n{"id":1}`,
    "end",
    { kind: "answered", body: '{"id":1}' },
  ],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    "stay",
    { kind: "answered", status: 101 },
  ],
  ["an early hint without a response", "HTTP/1.1 103 Early Hints\r\n\r\n", "end", { kind: "lost" }],
  ["an unfinished header", "HTTP/1.1 201 Created\r\nContent-Ty", "end", { kind: "lost" }],
  ["not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "end", { kind: "lost" }],
  ["truncated in the body", `${HEAD}Content-Length: 100\r\n\r\n{"id":`, "end", { kind: "lost" }],
  ["truncated in a chunk", `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"i`, "end", { kind: "lost" }],
  ["closed without data", "", "end", { kind: "lost" }],
  ["a reset", "", "reset", { kind: "lost" }],
])("a response that is %s ends the request", async (_what, bytes, then, reply) => {
  expect(await answerTo(bytes, then)).toMatchObject(reply);
});

test.each([
  ["stalled in the body", `${HEAD}Content-Length: 100\r\n\r\n{"id":`],
  ["missing", ""],
])("a response that is %s ends the request at its time", async (_what, bytes) => {
  expect(await answerTo(bytes, "stay", 1_000)).toMatchObject({ kind: "lost", code: "ETIMEDOUT" });
});

test("a request to a closed port was not sent", async () => {
  client = new ApiClient({ baseUrl: "http://127.0.0.1:1", timeoutMs: 1_000 });
  expect(await client.request({ method: "GET", path: "/interventii" })).toMatchObject({ kind: "not-sent" });
});

test("a kept connection is reused, and closed by the client after its idle time", async () => {
  const ended: Socket[] = [];
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("end", () => ended.push(socket));
    socket.on("data", () => socket.write(`${HEAD}Content-Length: 8\r\n\r\n{"id":1}`));
  });
  const port = await listen(server);
  sockets.clear();
  client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 10_000, keepIdleMs: 500 });
  for (let time = 0; time < 3; time += 1)
    expect(await client.request({ method: "GET", path: "/interventii/1" })).toMatchObject({ status: 201 });
  expect(sockets.size).toBe(1);
  await eventually("the connection to be ended", () => ended.length === 1);
});

test("a request ends at its time-out also after a garbage collection", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Other files run in the same process.
  setFlagsFromString("--no-expose-gc");
  const asked = answerTo("", "stay", 1_000);
  for (let round = 0; round < 3; round += 1) {
    collect();
    await new Promise(setImmediate);
  }
  expect(await asked).toMatchObject({ kind: "lost", code: "ETIMEDOUT" });
});

test("a request that Node.js refuses to send was not sent", async () => {
  client = new ApiClient({ baseUrl: "http://127.0.0.1:1", timeoutMs: 1_000 });
  const token = "a\r\nX-Injected: 1";
  expect(await client.request({ method: "GET", path: "/interventii", token })).toMatchObject({
    kind: "not-sent",
    code: "ERR_INVALID_CHAR",
  });
});

test("a read that waited for another one beyond its time limit is not repeated without a limit", async () => {
  const TIMEOUT_MS = 1_000;
  const part = Buffer.alloc(1.5 * 1024 * 1024, " ");
  const held: ServerResponse[] = [];
  let unanswered = 0;
  const web = createHttpServer((request, response) => {
    if (request.url === "/small") return void response.end("{}");
    if (held.length === 2) return void (unanswered += 1);
    held.push(response);
    response.writeHead(200, { "Content-Length": String(2 * part.length) }).write(part);
  });
  server = web;
  const baseUrl = `http://127.0.0.1:${await listen(web)}`;
  let isLarge = false;
  const limits = {
    bytesMax: 16 * 1024 * 1024,
    onLarge: () => {
      isLarge = true;
      return () => {};
    },
  };
  const first = new ApiClient({ baseUrl, timeoutMs: 30_000, limits });
  client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, keepIdleMs: 30_000 });
  try {
    const slow = first.request({ method: "GET", path: "/slow" });
    await eventually("the first large response", () => isLarge);
    await client.request({ method: "GET", path: "/small" });
    const beganMs = performance.now();
    const waiting = client.request({ method: "GET", path: "/waiting" });
    // It gets its whole time once more.
    await eventually("its time to be over", () => performance.now() - beganMs > 1.3 * TIMEOUT_MS);
    held[1]?.socket?.resetAndDestroy();
    first.close();
    expect((await slow).kind).toBe("lost");
    expect(await waiting).toMatchObject({ kind: "lost", code: "ECONNRESET" });
    expect(unanswered).toBe(0);
  } finally {
    first.close();
    web.closeAllConnections();
  }
});
