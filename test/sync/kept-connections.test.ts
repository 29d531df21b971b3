import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Intervention, InterventionCreate } from "../../src/domain/intervention.ts";
import { OutboxStore } from "../../src/store/outbox.ts";
import type { Sync } from "../../src/sync/sync.ts";
import { PATROL, OPERATOR_USER, TestApp } from "../support/app.ts";
import { TestAuthority, type KeyPairPem } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { plainly, TlsCentre, type TlsExchange, type TlsFault } from "../support/tls-centre.ts";
import { tlsSiteOf } from "../support/tls-site.ts";

/* The complete sync over TLS with kept connections. The dispatch centre has no idempotency keys. */

let authority: TestAuthority;
let pair: KeyPairPem;
beforeAll(async () => {
  authority = await TestAuthority.make();
  pair = await authority.sign("127.0.0.1");
});
afterAll(() => authority.remove());

let app: TestApp;
let centre: TlsCentre;
let sync: Sync;
let outbox: OutboxStore;

beforeEach(async () => {
  app = await TestApp.forTest();
  centre = new TlsCentre(pair);
  outbox = new OutboxStore(app.database);
  sync = tlsSiteOf(app, { baseUrl: await centre.start(), ca: authority.ca });
});
afterEach(async () => {
  centre.faultFor = () => undefined;
  await centre.stop();
  await sync.stop();
});

function create(name: string, fields: Partial<InterventionCreate> = {}): Intervention {
  const { record } = app.interventions.create({ ...PATROL, ...fields, name }, OPERATOR_USER);
  sync.changed(record);
  return record;
}

/** Creates this number of pending records. Returns their names. */
function many(count: number): string[] {
  const names = Array.from({ length: count }, (_, index) => `Call ${String(index).padStart(3, "0")}`);
  for (const name of names) create(name);
  return names;
}

/** Advances past every wait until nothing is pending. */
async function settle(): Promise<void> {
  await eventually("nothing to wait", async () => {
    // In real time a request arrives long before the wait of 30 s for it is over: one step never ends the wait for a request that
    // was sent since the sockets were read.
    await centre.read();
    app.clock.advance(25_000);
    await sync.now();
    return outbox.summary().waiting === 0;
  });
}

const isPost = ({ method, path }: TlsExchange): boolean => method === "POST" && path === "/interventii";

/** Holds matching POSTs, and releases them together. */
function holdPosts(fits: (exchange: TlsExchange) => boolean = () => true): {
  held: TlsExchange[];
  release(): void;
} {
  const held: TlsExchange[] = [];
  centre.faultFor = (exchange) =>
    isPost(exchange) && fits(exchange) ? (one) => void held.push(one) : undefined;
  return {
    held,
    release: () => {
      centre.faultFor = () => undefined;
      held.forEach(plainly);
    },
  };
}

test("queued records are sent once each over a few connections, eight at a time", async () => {
  const names = many(60);
  sync.start();
  await eventually("the link to be up", () => centre.rows.size > 0);
  const posts = holdPosts();
  await eventually("eight records in progress", () => posts.held.length === 8);
  posts.release();
  await settle();
  expect(centre.names).toEqual(names);
  expect(centre.writes.filter((write) => write.startsWith("POST"))).toHaveLength(60);
  expect(centre.mostAtOnce).toBeLessThanOrEqual(8 + 2);
  expect(centre.connections).toBeLessThanOrEqual(8 + 4);
});

test("the requests of one record are sequential, however often it changes", async () => {
  const records = ["one", "two", "three"].map((name) => create(name));
  sync.start();
  await settle();
  for (let change = 1; change <= 5; change += 1)
    for (const { id } of records) {
      app.interventions.update(id, { description: `words ${change}` }, OPERATOR_USER);
      sync.changed({ priority: change % 2 === 0 ? "high" : "medium" });
      await new Promise(setImmediate);
    }
  await settle();
  expect([...centre.rows.values()].map(({ description }) => description)).toEqual(Array(3).fill("words 5"));
  expect(centre.crossed).toEqual([]);
});

test("an alarm is sent over its own connection while eight other records hang", async () => {
  many(30);
  sync.start();
  await eventually("the link to be up", () => centre.rows.size > 0);
  const posts = holdPosts(({ body }) => body.includes("Call"));
  await eventually("eight records in progress", () => posts.held.length === 8);
  create("Intrusion", { priority: "high" });
  await eventually("the alarm", () => centre.names.includes("Intrusion"));
  expect(posts.held).toHaveLength(8);
  create("Fire", { priority: "high" });
  await eventually("the next alarm", () => centre.names.includes("Fire"));
  posts.release();
});

test("an alarm that hangs does not delay the next alarm", async () => {
  create("Patrol");
  sync.start();
  await settle();
  const posts = holdPosts(({ body }) => body.includes("Hangs"));
  create("Hangs", { priority: "high" });
  await eventually("it on the wire", () => posts.held.length === 1);
  create("Follows", { priority: "high" });
  await eventually("the next alarm", () => centre.names.includes("Follows"));
  posts.release();
});

test("similar records are sent one after the other", async () => {
  for (let copy = 0; copy < 6; copy += 1) create("Patrol");
  create("Another");
  sync.start();
  await eventually("the link to be up", () => centre.rows.size > 0);
  const posts = holdPosts(({ body }) => body.includes("Patrol"));
  await eventually("the one that differs", () => centre.names.includes("Another"));
  expect(posts.held.length).toBeLessThanOrEqual(1);
  posts.release();
  await settle();
  expect(centre.names).toEqual(["Another", ...Array(6).fill("Patrol")]);
});

describe("a kept connection that closes", () => {
  const cut: Readonly<Record<string, TlsFault>> = {
    "before the request is read": ({ socket }) => void socket.destroy(),
    "with a reset before the request is read": (exchange) => exchange.reset(),
    "after the request is applied, before the response": (exchange) => {
      exchange.carryOut();
      exchange.reset();
    },
    "during the response": (exchange) => {
      const { status, body } = exchange.carryOut();
      const head = `HTTP/1.1 ${status} Created\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      exchange.socket.write(head + body.slice(0, 20), () => exchange.reset());
    },
  };

  test.each(Object.entries(cut))(
    "%s leaves each record once at the dispatch centre",
    async (_when, fault) => {
      const names = many(20);
      let faults = 0;
      centre.faultFor = (exchange) => {
        if (!isPost(exchange) || !exchange.isKept || faults === 2) return undefined;
        faults += 1;
        return fault;
      };
      sync.start();
      await eventually("both faults", () => faults === 2);
      await eventually("all others", () => outbox.summary().waiting <= 2);
      // A request that may have been applied is not sent again until it can no longer arrive.
      const posts = centre.writes.filter((write) => write.startsWith("POST"));
      expect(new Set(posts).size).toBe(posts.length);
      await settle();
      expect(centre.names).toEqual(names);
    },
  );
});

describe("connection behaviour of gateways", () => {
  const answers: Readonly<Record<string, TlsFault>> = {
    "closes each one after the response": (exchange) => {
      exchange.response.setHeader("Connection", "close");
      plainly(exchange);
    },
    "silently closes each one when it is idle": (exchange) => {
      exchange.response.once("finish", () => setImmediate(() => exchange.socket.end()));
      plainly(exchange);
    },
    "speaks HTTP/1.0": (exchange) => {
      const { status, body } = exchange.carryOut();
      exchange.socket.end(`HTTP/1.0 ${status} Answer\r\nContent-Type: application/json\r\n\r\n${body}`);
    },
    "speaks HTTP/1.0 and keeps the connection": (exchange) => {
      const { status, body } = exchange.carryOut();
      const length = Buffer.byteLength(body);
      exchange.response.shouldKeepAlive = true;
      exchange.socket.end(
        `HTTP/1.0 ${status} Answer\r\nConnection: keep-alive\r\nContent-Length: ${length}\r\nContent-Type: application/json\r\n\r\n${body}`,
      );
    },
  };

  test.each(Object.entries(answers))(
    "a dispatch centre that %s has each record once",
    async (_what, fault) => {
      const names = many(20);
      centre.faultFor = () => fault;
      sync.start();
      await settle();
      expect(centre.names).toEqual(names);
    },
  );
});
