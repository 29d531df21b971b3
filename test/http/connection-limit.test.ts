import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { TestAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { ServedApp } from "../support/served-app.ts";
import { NO_OWN_ADDRESS, OWN_ADDRESS } from "../support/own-address.ts";
import { testUnless } from "../support/required-programs.ts";

/* A listener whose connections are all in use by signed-in users: what a stranger gets, and that users are served on. */

const CONNECTIONS = 16;
/** Responses to refused connections at one time. */
const REFUSALS = 64;
const LIMITS = { connectionsMax: CONNECTIONS, connectionsPerAddressMax: CONNECTIONS };

let site: TestApp;
let served: ServedApp;
let token: string;
const sockets: Socket[] = [];
beforeEach(async () => {
  site = await TestApp.forTest();
  token = await site.token();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await served.stop();
});

function open(make: (port: number) => Socket): Socket {
  const socket = make(served.server.address.port);
  socket.on("error", () => "the daemon may reset it");
  sockets.push(socket);
  return socket;
}

const plain = (port: number): Socket => connect({ port, host: "127.0.0.1", allowHalfOpen: true });

/** Everything that a connection gives until its end. */
async function allOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await Promise.race([once(socket, "end"), once(socket, "close")]);
  return text;
}

/** Uses all connections, each by a signed-in user. @returns asks once more on one of them */
async function fill(make: (port: number) => Socket): Promise<() => Promise<string>> {
  const request = `GET /interventii?_end=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const ask = async (socket: Socket): Promise<string> => {
    socket.write(request);
    const [chunk] = (await once(socket, "data")) as [Buffer];
    return chunk.toString().slice(0, 12);
  };
  const users = Array.from({ length: CONNECTIONS }, () => open(make));
  const answers = await Promise.all(users.map(ask));
  expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200"]));
  return () => ask(users[0] as Socket);
}

test("over plain HTTP a connection at the limit gets 503 with the time to come back, and users are served on", async () => {
  served = await new ServedApp(site, { limits: LIMITS }).start();
  const askAgain = await fill(plain);
  const stranger = open(plain);
  stranger.write("POST /auth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{");
  const [head = "", body = ""] = (await allOf(stranger)).split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(head).toContain("Retry-After: 5");
  expect(head).toContain("Connection: close");
  expect(JSON.parse(body)).toEqual({
    error: "Service Unavailable",
    message: "too many connections; try again later",
    statusCode: 503,
  });
  expect(await askAgain()).toBe("HTTP/1.1 200");
  expect(served.server.use).toMatchObject({ open: CONNECTIONS, refused: 1 });
});

test("of many connections at the limit, a limited number gets a response", async () => {
  served = await new ServedApp(site, { limits: LIMITS }).start();
  const askAgain = await fill(plain);
  const strangers = Array.from({ length: 4 * REFUSALS }, () => open(plain));
  // No client ends its connection: each response holds its socket until the daemon gives it up.
  const answers = await Promise.all(strangers.map(allOf));
  const answered = answers.filter((text) => text.startsWith("HTTP/1.1 503"));
  expect(answered.length).toBeGreaterThanOrEqual(REFUSALS);
  expect(answered.length).toBeLessThan(strangers.length);
  expect(answers.filter((text) => text !== "" && !text.startsWith("HTTP/1.1 503"))).toEqual([]);
  expect(served.server.use).toMatchObject({ open: CONNECTIONS, refused: strangers.length });
  expect(await askAgain()).toBe("HTTP/1.1 200");
  // Later ones are answered again.
  await eventually("a response", async () => (await allOf(open(plain))).startsWith("HTTP/1.1 503"));
});

testUnless(
  NO_OWN_ADDRESS,
  "silent connections do not shut out a user behind the same address, and signed-in ones stay (requires a network address)",
  async () => {
    const perAddress = 8;
    const limits = { connectionsMax: CONNECTIONS, connectionsPerAddressMax: perAddress };
    served = await new ServedApp(site, { limits }).start();
    const there = (port: number): Socket => connect({ port, host: "127.0.0.1", localAddress: OWN_ADDRESS });
    const ask = async (socket: Socket): Promise<string> => {
      socket.write(
        `GET /interventii?_end=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      const [chunk] = (await once(socket, "data")) as [Buffer];
      return chunk.toString().slice(0, 12);
    };
    const neighbour = open(there);
    expect(await ask(neighbour)).toBe("HTTP/1.1 200");
    for (let silent = 1; silent < perAddress; silent += 1) open(there);
    await eventually("all of them", () => served.server.use.open === perAddress);
    const user = open(there);
    expect(await ask(user)).toBe("HTTP/1.1 200");
    expect(await ask(neighbour)).toBe("HTTP/1.1 200");
    expect(served.server.use).toMatchObject({ open: perAddress, refused: 0, replaced: 1 });
  },
  { isRequired: false },
);

test("over TLS a connection at the limit is closed before its handshake, and users are served on", async () => {
  const authority = await TestAuthority.make();
  served = await new ServedApp(site, { limits: LIMITS, tls: await authority.sign("127.0.0.1") }).start();
  const secure = (port: number): Socket => connectTls({ port, host: "127.0.0.1", ca: authority.ca });
  const askAgain = await fill(secure);
  expect(await allOf(open(secure))).toBe("");
  expect(await askAgain()).toBe("HTTP/1.1 200");
  expect(served.server.use).toMatchObject({ open: CONNECTIONS, refused: 1, failedHandshakes: 0 });
  authority.remove();
});

test("a handshake that fails is counted", async () => {
  const authority = await TestAuthority.make();
  served = await new ServedApp(site, { tls: await authority.sign("127.0.0.1") }).start();
  const socket = open(plain);
  socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  await allOf(socket);
  await eventually("a failed handshake", () => served.server.use.failedHandshakes === 1);
  expect(served.server.use.refused).toBe(0);
  authority.remove();
});
