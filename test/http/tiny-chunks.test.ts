import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { ApiClient } from "../../src/client/api-client.ts";
import { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { listen } from "../support/loopback.ts";

/* Bodies of single bytes, each in a chunk of its own. Node.js makes an object of some 200 bytes of each chunk. */

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
setFlagsFromString("--no-expose-gc");

const CHUNKS = 100_000;
const TINY_CHUNKS = "1\r\n \r\n".repeat(CHUNKS);
/** A list of the chunks of three bodies takes 60 MB. */
const HEAP_BYTES_MAX = 10_000_000;
const MIB = 1024 * 1024;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe("a body that arrives byte by byte", () => {
  test("takes no more memory than its bytes, before its end and without an account", async () => {
    const site = await TestApp.make();
    ends.push(() => site.close());
    const server = createServer(site.served.classes, site.app);
    const accepted: Socket[] = [];
    server.on("connection", (socket) => accepted.push(socket));
    const port = await listen(server);
    ends.push(() => server.close());
    const head = ["POST /auth/token HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
    const text = `${head.join("\r\n")}\r\nTransfer-Encoding: chunked\r\n\r\n${TINY_CHUNKS}`;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const sockets = Array.from({ length: 3 }, () => connect(port, "127.0.0.1"));
    ends.push(() => sockets.forEach((socket) => socket.destroy()));
    for (const socket of sockets) socket.write(text);
    const isRead = (): boolean =>
      accepted.length === sockets.length && accepted.every(({ bytesRead }) => bytesRead === text.length);
    await eventually("all chunks are read", isRead);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(HEAP_BYTES_MAX);
  });

  test("is read as one that arrives at once", async () => {
    const site = await TestApp.make();
    ends.push(() => site.close());
    const server = createServer(site.served.classes, site.app);
    const port = await listen(server);
    ends.push(() => server.close());
    const body = JSON.stringify({ email: "a@b.example", password: "ș".repeat(20) });
    const chunks = [...Buffer.from(body)].map((byte) => [
      Buffer.from("1\r\n"),
      Buffer.of(byte),
      Buffer.from("\r\n"),
    ]);
    const socket = connect(port, "127.0.0.1");
    socket.write(
      Buffer.concat([
        Buffer.from(
          "POST /auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        ),
        ...chunks.flat(),
        Buffer.from("0\r\n\r\n"),
      ]),
    );
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("the responses of a server that", () => {
  let sent: number;

  /** A server whose answer to `/large` has 12 MiB and no end. */
  async function largeResponses(): Promise<ApiClient> {
    sent = 0;
    const server = createServer((request, response) => {
      if (request.url !== "/large") return void response.end('{"ok":true}');
      response.write(Buffer.alloc(12 * MIB, " "), () => (sent += 1));
    });
    const port = await listen(server);
    ends.push(() => server.close());
    ends.push(() => server.closeAllConnections());
    const client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}` });
    ends.push(() => client.close());
    return client;
  }

  test("sends large ones to many requests at a time are read one by one, and small ones in between", async () => {
    const client = await largeResponses();
    const replies = Array.from({ length: 4 }, () => client.request({ method: "GET", path: "/large" }));
    await eventually("the first to be read", () => sent === 1);
    expect(await client.request({ method: "GET", path: "/small" })).toMatchObject({
      kind: "answered",
      status: 200,
    });
    expect(sent).toBe(1);
    client.close();
    const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
    expect(kinds).toEqual(["lost", "lost", "lost", "lost"]);
  });

  test("sends large ones to many requests at a time has all of them read", async () => {
    const text = " ".repeat(3 * MIB);
    const server = createServer((_request, response) => void response.end(text));
    const port = await listen(server);
    ends.push(() => server.close());
    const client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}` });
    ends.push(() => client.close());
    const replies = Array.from({ length: 4 }, () => client.request({ method: "GET", path: "/" }));
    for (const reply of await Promise.all(replies))
      expect(reply.kind === "answered" && reply.body === text).toBe(true);
  });

  test("interrupts large ones leave room for later ones", async () => {
    const first = await largeResponses();
    const replies = Array.from({ length: 4 }, () => first.request({ method: "GET", path: "/large" }));
    await eventually("the first to be read", () => sent === 1);
    first.close();
    await Promise.all(replies);
    const server = createServer((_request, response) => void response.end(Buffer.alloc(15 * MIB, " ")));
    const port = await listen(server);
    ends.push(() => server.close());
    const client = new ApiClient({ baseUrl: `http://127.0.0.1:${port}` });
    ends.push(() => client.close());
    expect(await client.request({ method: "GET", path: "/" })).toMatchObject({ kind: "answered" });
  });

  test("sends a large one that an alarm waits for has it read before those that came earlier", async () => {
    const started = new Set<string>();
    let endBulk = (): void => {};
    const server = createServer(({ url = "" }, response) => {
      response.write(Buffer.alloc(2 * MIB, " "), () => started.add(url));
      const end = (): void => void response.end(Buffer.alloc(5 * MIB, " "));
      if (url === "/bulk") endBulk = end;
      else end();
    });
    const port = await listen(server);
    ends.push(() => server.close());
    ends.push(() => server.closeAllConnections());
    const [bulk, urgent] = [false, true].map(
      (isUrgent) => new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 5_000, isUrgent }),
    );
    for (const client of [bulk, urgent]) ends.push(() => client?.close());
    const earlier = bulk?.request({ method: "GET", path: "/bulk" });
    await eventually("the earlier one to arrive", () => started.has("/bulk"));
    expect(await urgent?.request({ method: "GET", path: "/urgent" })).toMatchObject({ kind: "answered" });
    endBulk();
    expect(await earlier).toMatchObject({ kind: "answered" });
  });

  test("never ends a large one that an alarm waits for lets the other one continue after its time", async () => {
    const started = new Set<string>();
    const server = createServer(({ url = "" }, response) => {
      response.write(Buffer.alloc(2 * MIB, " "), () => started.add(url));
      // The rest of the bulk one arrives while it is paused.
      if (url === "/bulk") response.end(Buffer.alloc(6 * MIB, " "));
    });
    const port = await listen(server);
    ends.push(() => server.close());
    ends.push(() => server.closeAllConnections());
    const urgent = new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 1_500, isUrgent: true });
    const bulk = new ApiClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 1_000 });
    for (const client of [urgent, bulk]) ends.push(() => client.close());
    const hanging = urgent.request({ method: "GET", path: "/urgent" });
    await eventually("the urgent one to arrive", () => started.has("/urgent"));
    const reply = bulk.request({ method: "GET", path: "/bulk" });
    expect(await hanging).toMatchObject({ kind: "lost", code: "ETIMEDOUT" });
    expect(await reply).toMatchObject({ kind: "answered" });
  });
});
