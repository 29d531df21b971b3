import dns from "node:dns";
import { chmodSync } from "node:fs";
import type { RequestListener } from "node:http";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import type { ConditionCode } from "../../src/domain/condition.ts";
import type { HttpServer } from "../../src/http/server.ts";
import { LOOPBACK_IDLE_MS } from "../../src/inputs/local-api.ts";
import { PASSWORD, TEST_ACCOUNTS, OPERATOR_USER, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { ServedApp } from "../support/served-app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { withoutAccess } from "../support/without-access.ts";

// Malicious and broken clients below the level of requests, against the real server.

let site: TestApp;
let served: ServedApp;
let server: HttpServer;
let token: string;
const raised = new Set<ConditionCode>();
let reason: unknown;
const conditions = {
  raise: (code: ConditionCode, detail: unknown) => {
    raised.add(code);
    reason = detail;
  },
  clear: (code: ConditionCode) => void raised.delete(code),
};
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
  served = await new ServedApp(site, { conditions }).start();
  ({ server } = served);
});
afterAll(async () => {
  await served.stop();
  await site.close();
});

const open = (): Socket => connect(server.address.port, "127.0.0.1");
/** All response data until the server closes the connection. */
const answered = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
const raw = (text: string): Promise<string> => {
  const socket = open();
  socket.write(text);
  return answered(socket);
};
const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers, "", ""].join("\r\n");
const bodyOf = (answer: string): { statusCode: number } =>
  JSON.parse(answer.slice(answer.lastIndexOf("\r\n\r\n"))) as { statusCode: number };

describe("the error body is returned for", () => {
  test.each([
    ["an invalid target", head("GET http://["), 400],
    ["a target without a host", head("GET http://"), 400],
    ["a target with a fragment", head("GET /interventii#x"), 400],
    ["a target that looks like a host with a fragment", head("GET //x@y#"), 400],
    ["a target that looks like a host with a blank of another code page", head("GET //x@y\u00a0"), 400],
    ["a target of the whole server", head("GET *"), 400],
    ["another host in the target", head("GET http://evil.example/interventii"), 400],
    ["two hosts", head("GET /interventii", "Host: evil.example"), 400],
    ["no host", "GET /interventii HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["an expectation", head("GET /interventii", "Expect: miracles"), 417],
    ["CONNECT", head("CONNECT example.org:443"), 405],
    ["TRACE", head("TRACE /interventii", `Authorization: Bearer x`), 401],
    ["a method that does not exist", head("BREW /interventii"), 400],
  ])("%s", async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(bodyOf(answer)).toEqual({
      error: expect.any(String) as string,
      message: expect.any(String) as string,
      statusCode: status,
    });
    expect(answer).toMatch(/^Cache-Control: no-store\r$/im);
    expect(answer).toMatch(/^X-Content-Type-Options: nosniff\r$/im);
  });

  test("not for OPTIONS of the whole server, which has its methods", async () => {
    const answer = await raw(head("OPTIONS *"));
    expect(answer).toMatch(/^HTTP\/1.1 204 [^]*\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/);
  });

  test.each(["GET /x#y", "GET http://[", "OPTIONS *"])("%s, with an id of the request", async (line) => {
    expect(await raw(head(line))).toMatch(/^X-Request-Id: \S+\r$/im);
  });

  test("the absolute form of a target is accepted, and HTTP/1.0 without a host", async () => {
    const answer = await raw(
      head("GET http://localhost/obiective/cladiri?_end=1", `Authorization: Bearer ${token}`),
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/Link: <\/obiective\/cladiri\?/i);
    expect(await raw("GET /interventii HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 401 /);
  });
});

describe("a body without end", () => {
  /** Sends until the server closes the connection. Returns the number of accepted bytes. */
  const endless = async (start: string, part: string): Promise<{ sentBytes: number; answer: string }> => {
    const socket = open();
    const answer = answered(socket);
    socket.write(start.replace("Connection: close\r\n", ""));
    let isOver = false;
    while (!isOver && socket.bytesWritten < 200e6) {
      isOver = await new Promise<boolean>((resolve) => {
        socket.write(part, (error) => resolve(error !== null && error !== undefined));
      });
      // Waits for the response and the close of the connection.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      isOver ||= socket.destroyed;
    }
    return { sentBytes: socket.bytesWritten, answer: await answer };
  };
  const PART = "x".repeat(64 * 1024);
  const LENGTH = "Content-Length: 60000000000";

  test.each([
    ["announced for a sign-in", "POST /auth/token", 413],
    ["announced without a token", "POST /interventii", 401],
    ["announced for a read", "GET /interventii", 401],
  ])("%s is answered at once without reading it", async (_what, line, status) => {
    const { sentBytes, answer } = await endless(head(line, "Content-Type: application/json", LENGTH), PART);
    expect(sentBytes).toBeLessThan(60e6);
    expect(answer).toMatch(new RegExp(`^(HTTP/1.1 ${status} |$)`));
  });

  test("in chunks is read up to a limit", async () => {
    const start = head("POST /auth/token", "Content-Type: application/json", "Transfer-Encoding: chunked");
    const { sentBytes, answer } = await endless(start, `10000\r\n${PART}\r\n`);
    expect(sentBytes).toBeLessThan(60e6);
    expect(answer).toMatch(/^(HTTP\/1.1 413 |$)/);
  });

  test("of a few megabytes is answered 413, and the client sees it", async () => {
    const { status } = await fetch(`http://127.0.0.1:${server.address.port}/auth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "x".repeat(5_000_000) }),
    });
    expect(status).toBe(413);
  });
});

test("a content type of thousands of blanks is refused", async () => {
  const answer = await raw(
    head(
      "POST /auth/token",
      `Content-Type: application/json;charset=utf-8${" ".repeat(15_000)}x`,
      "Content-Length: 2",
    ) + "{}",
  );
  expect(answer).toMatch(/^HTTP\/1.1 415 /);
});

describe("a client that holds connections", () => {
  test("cannot block trips of the daemon", async () => {
    const idle = Array.from({ length: 300 }, open);
    for (const socket of idle) socket.on("error", () => {}).resume();
    await eventually(
      "the network side is full",
      () => idle.filter(({ destroyed }) => destroyed).length >= 40,
    );
    const posted = await fetch(`http://127.0.0.1:${server.loopbackPort}/interventii`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${await site.tokens.deviceToken()}`,
      },
      body: JSON.stringify({ name: "trip", objectiveType: "obiective/cladiri", objectiveId: 1 }),
    });
    expect(posted.status).toBe(201);
    for (const socket of idle) socket.destroy();
  });

  describe.each([
    ["that send nothing", ""],
    [
      "with an unfinished request",
      "POST /auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
    ],
  ])("in hundreds %s", (_what, said) => {
    let strangers: Socket[];
    const flood = async (): Promise<void> => {
      const opened = Array.from({ length: 300 }, () =>
        connect({ port: server.address.port, host: "127.0.0.1", localAddress: "127.0.0.9" }),
      );
      strangers.push(...opened);
      for (const socket of opened)
        socket
          .on("error", () => {})
          .resume()
          .write(said);
      await eventually("there are more requests than slots", () => opened.some(({ destroyed }) => destroyed));
    };
    beforeEach(() => (strangers = []));
    afterEach(() => strangers.forEach((socket) => socket.destroy()));

    test("does not prevent a sign-in", async () => {
      await flood();
      const body = JSON.stringify({ email: TEST_ACCOUNTS.viewer, password: PASSWORD });
      const request = `${head("POST /auth/token", "Content-Type: application/json", `Content-Length: ${body.length}`)}${body}`;
      expect(await raw(request)).toMatch(/^HTTP\/1.1 200 /);
    });

    test("does not close connections of signed-in users", async () => {
      const ask = `GET /interventii?_end=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const person = open();
      let answer = "";
      person.on("data", (chunk) => (answer += chunk.toString()));
      person.write(ask);
      await eventually("the first answer", () => answer.split("HTTP/1.1 200").length === 2);
      await flood();
      person.write(ask);
      await eventually("the second answer", () => answer.split("HTTP/1.1 200").length === 3);
      person.destroy();
    });
  });

  test("may be the daemon itself, which closes its connections before the API would", async () => {
    const answer = await fetch(`http://127.0.0.1:${server.loopbackPort}/interventii`);
    const keptS = Number(/timeout=(\d+)/.exec(answer.headers.get("Keep-Alive") ?? "")?.[1]);
    expect(keptS * 1000).toBeGreaterThanOrEqual(2 * LOOPBACK_IDLE_MS);
  });

  test("may pipeline four requests, and is disconnected at the fifth", async () => {
    const ask = `GET /interventii?_end=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    const pipelined = async (count: number): Promise<number> => {
      const answer = await raw(`${`${ask}\r\n`.repeat(count - 1)}${ask}Connection: close\r\n\r\n`);
      return answer.split("HTTP/1.1 200 ").length - 1;
    };
    expect(await pipelined(4)).toBe(4);
    expect(await pipelined(5)).toBeLessThan(5);
  });

  test("and does not read responses is disconnected", async () => {
    const PIPELINED = 4;
    for (let index = 0; index < 1000; index += 1)
      site.interventions.create(
        { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1, notes: "x".repeat(4000) },
        OPERATOR_USER,
      );
    let asked = 0;
    const handle: RequestListener = (request, response) => {
      asked += 1;
      site.served.handle(request, response);
    };
    const app = { ...site.served, handle };
    const timed = await new ServedApp(site, { app, conditions, idleMs: 1_000 }).start();
    onTestFinished(() => timed.stop());
    const socket = connect(timed.server.address.port, "127.0.0.1");
    socket.on("error", () => "the server cuts it on purpose");
    const ask = `GET /interventii?_end=1000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    socket.write(ask.repeat(PIPELINED));
    await eventually("its requests", () => asked === PIPELINED);
    await eventually("its end at the server", () => timed.server.use.open === 0);
    // What the kernel took of 16 MB before that: a client that reads would have had all of it.
    const answer = await answered(socket);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer.length).toBeLessThan(PIPELINED * 1000 * 4000);
  });
});

test("an address that is not yet assigned is bound once it is, and trips of the daemon work before", async () => {
  const clock = new ManualClock();
  // TEST-NET-1 (RFC 5737): never assigned.
  const waiting = await new ServedApp(site, { host: "192.0.2.1", conditions, clock }).start();
  expect([...raised]).toEqual(["http-address-unavailable"]);
  expect((await fetch(`http://127.0.0.1:${waiting.server.loopbackPort}/interventii`)).status).toBe(401);
  clock.advance(5_000);
  expect([...raised]).toEqual(["http-address-unavailable"]);
  const stopped = waiting.stop();
  clock.advance(10_000);
  await stopped;
});

test("an address that another program uses when it is assigned is bound once that program has ended", async () => {
  const clock = new ManualClock();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  // The name of this machine: first at an address that it does not have yet (TEST-NET-1), then at one that it has.
  let address = "192.0.2.1";
  const lookup = vi.spyOn(dns, "lookup");
  onTestFinished(() => lookup.mockRestore());
  lookup.mockImplementation(((name: string, found: (...result: unknown[]) => void) =>
    found(null, name === "site.example" ? address : name, 4)) as typeof dns.lookup);
  const waiting = await new ServedApp(site, { host: "site.example", port, conditions, clock }).start();
  onTestFinished(() => waiting.stop());
  address = "127.0.0.1";
  clock.advance(5_000);
  await eventually("the port to be in use", () => String(reason).includes("in use by another program"));
  await new Promise((resolve) => other.close(resolve));
  await eventually("the address to be bound", () => {
    clock.advance(5_000);
    return raised.size === 0;
  });
  expect((await fetch(`http://127.0.0.1:${port}/interventii`)).status).toBe(401);
});

test("a port that only systemd may open does not prevent the start in a service, and the condition names its socket", async () => {
  const clock = new ManualClock();
  const place = { host: "127.0.0.1", port: 1, clock, conditions };
  const waiting = new ServedApp(site, { ...place, waitsForPort: true });
  const outside = new ServedApp(site, place);
  for (const { folder } of [waiting, outside]) chmodSync(folder, 0o777);
  await withoutAccess(temporaryFolder(), async () => {
    await waiting.start();
    await expect(outside.start()).rejects.toMatchObject({ code: "configuration" });
  });
  onTestFinished(() => waiting.stop());
  expect([...raised]).toEqual(["http-address-unavailable"]);
  expect(reason).toMatch(/this user may not open port 1 of 127\.0\.0\.1.*santinela\.socket/);
  expect((await fetch(`http://127.0.0.1:${waiting.server.loopbackPort}/interventii`)).status).toBe(401);
});
