import { request as httpRequest, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EventStreamParser, type StreamMessage } from "../../src/panel/event-stream.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TimelineCursor } from "../../src/site/timeline.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { sqliteError } from "../../src/store/database.ts";
import { NO_SITE, PASSWORD, TEST_ACCOUNTS, TestApp, TESTER, type PublicSite } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";

const DOOR: ZoneView = {
  id: "door",
  name: "Door",
  kind: "intrusion",
  isLifeSafety: false,
  source: "simulated",
  objective: { type: "obiective/cladiri", id: 1 },
  contact: "normal",
  since: null,
  disposition: "waiting",
  reason: null,
  bypass: null,
  shutDownUntil: null,
  unnamedValue: null,
  loop: null,
  faults: [],
  battery: null,
  testedAt: null,
  trips: { recent: 0, notStored: 0 },
};

describe("the live updates of a site", () => {
  const zones = new Map<string, ZoneView>();
  /** What the next readings of the zones wait for, or fail with. */
  let reading: () => Promise<unknown> | void;
  let place: TimelineCursor;
  let readPlace: () => TimelineCursor;
  let trips: StatusView["trips"];
  let site: TestApp;
  let port: number;
  let clients: Client[];

  beforeEach(async () => {
    zones.clear();
    reading = () => {};
    zones.set("door", DOOR).set("hall", { ...DOOR, id: "hall" });
    place = { event: 3, trip: 1 };
    readPlace = () => place;
    trips = { waiting: 0, refused: 0 };
    const contents: PublicSite = {
      ...NO_SITE,
      zones: {
        ...NO_SITE.zones,
        list: async () => {
          await reading();
          return [...zones.values()];
        },
      },
      timeline: { ...NO_SITE.timeline, place: () => readPlace() },
      status: () => ({ ...NO_SITE.status(), trips }),
    };
    site = await TestApp.forTest({ site: contents });
    port = await site.listen();
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) client.leave();
  });

  async function openStream(role: keyof typeof TEST_ACCOUNTS = "viewer", headers = {}): Promise<Client> {
    const client = await Client.open(port, { Authorization: `Bearer ${await site.token(role)}`, ...headers });
    clients.push(client);
    return client;
  }

  test("reach two pages that open at the same time, as after a restart of the daemon", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    reading = () => held;
    const pages = [await openStream("viewer"), await openStream("operator")];
    release();
    for (const page of pages) await eventually("the first state", () => page.has("zones"));
    for (const page of pages) page.messages.length = 0;
    zones.set("door", { ...DOOR, contact: "open" });
    site.clock.advance(500);
    for (const page of pages) await eventually("the change", () => page.has("zones"));
  });

  test.each([
    ["SQLite", sqliteError("database is locked", "SQLITE_BUSY")],
    ["PostgreSQL", Object.assign(new Error("no such table"), { severity: "ERROR", code: "42P01" })],
    ["a defect", new TypeError("cannot read properties of undefined")],
  ])("outlive a state that cannot be read for a moment (%s)", async (_what, failure) => {
    const client = await openStream();
    await eventually("the first state", () => client.has("zones"));
    client.messages.length = 0;
    let failures = 0;
    reading = () => {
      failures += 1;
      throw failure;
    };
    await eventually("several failures", () => {
      site.clock.advance(250);
      return failures > 2;
    });
    expect(failedUpdates(site)).toEqual([failure.message]);
    reading = () => {};
    zones.set("door", { ...DOOR, contact: "open" });
    await eventually("the change", () => {
      site.clock.advance(250);
      return client.has("zones");
    });
    reading = () => {
      throw failure;
    };
    await eventually("the line of the next outage", () => {
      site.clock.advance(250);
      return failedUpdates(site).length === 2;
    });
  });

  test("report a damaged database that only they read", async () => {
    const client = await openStream();
    await eventually("the first state", () => client.has("zones"));
    reading = () => {
      throw sqliteError("database disk image is malformed", "SQLITE_CORRUPT");
    };
    await eventually("the report", () => {
      site.clock.advance(250);
      return site.damages.length > 0;
    });
    reading = () => {};
    zones.set("door", { ...DOOR, contact: "open" });
    client.messages.length = 0;
    await eventually("the change", () => {
      site.clock.advance(250);
      return client.has("zones");
    });
  });

  test("begin with the full state, then contain only the changed zone", async () => {
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("status") && client.has("zones"));
    expect(client.zones()).toEqual(["door", "hall"]);
    client.messages.length = 0;
    zones.set("door", { ...DOOR, contact: "open" });
    site.clock.advance(500);
    await eventually("the change", () => client.has("zones"));
    expect(client.zones()).toEqual(["door"]);
    expect(client.has("status")).toBe(false);
  });

  test("have the ids of all zones after a reload has added, removed or ordered some", async () => {
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("status") && client.has("zones"));
    expect(client.has("zone-list")).toBe(false);
    client.messages.length = 0;
    zones.delete("door");
    zones.set("gate", { ...DOOR, id: "gate" });
    site.clock.advance(500);
    await eventually("the list", () => client.has("zone-list"));
    expect(client.zones()).toEqual(["gate"]);
    expect(client.messages.find(({ event }) => event === "zone-list")?.data).toBe('["hall","gate"]');
  });

  test("may not be compressed or transformed in transit", async () => {
    const client = await openStream();
    expect(client.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(client.response.headers["cache-control"]).toContain("no-transform");
    expect(client.response.headers["content-encoding"]).toBeUndefined();
  });

  test("report new entries of the event log, and missed ones after a reconnect", async () => {
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("status"));
    place = { event: 4, trip: 1 };
    site.clock.advance(500);
    await eventually("the growth", () => client.has("journal"));
    expect(client.messages.at(-1)?.id).toBe("4.1.0.0");
    const back = await openStream("viewer", { "Last-Event-ID": "3.1.0.0" });
    // A client that loses the rest of the state continues from the place that it has.
    await eventually("what was missed", () => back.messages[0]?.event === "journal");
    const current = await openStream("viewer", { "Last-Event-ID": "4.1.0.0" });
    await eventually("the first message of the stream", () => current.has("status"));
    expect(current.has("journal")).toBe(false);
  });

  test("report that a trip of the event log is no longer waiting, also after a reconnect", async () => {
    trips = { waiting: 1, refused: 0 };
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("status"));
    client.messages.length = 0;
    trips = { waiting: 0, refused: 0 };
    site.clock.advance(500);
    await eventually("the record of the trip", () => client.has("journal"));
    const back = await openStream("viewer", { "Last-Event-ID": "3.1.1.0" });
    await eventually("what was missed", () => back.has("journal"));
  });

  test("have a position that a page without a stream reads with the status, so that it asks only for what is new", async () => {
    const status = async (): Promise<[number, string | null]> => {
      const headers = { Authorization: `Bearer ${await site.token("viewer")}` };
      const response = await fetch(`http://127.0.0.1:${port}/site/status`, { headers });
      expect(await response.json()).toMatchObject({ trips });
      return [response.status, response.headers.get("Journal-Position")];
    };
    expect([await status(), await status()]).toEqual([
      [200, "3.1.0.0"],
      [200, "3.1.0.0"],
    ]);
    trips = { waiting: 1, refused: 0 };
    expect(await status()).toEqual([200, "3.1.1.0"]);
    // The status itself needs no database.
    readPlace = () => {
      throw sqliteError("database is locked", "SQLITE_BUSY");
    };
    expect(await status()).toEqual([200, null]);
  });

  test("send something at least every 5 seconds, so that a page notices a daemon that hangs", async () => {
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("walk-test"));
    const { bytes } = client;
    client.messages.length = 0;
    site.clock.advance(5_000);
    await eventually("a sign of life", () => client.bytes > bytes);
    expect(client.messages).toEqual([]);
  });

  test("end when their token expires", async () => {
    const client = await openStream();
    await eventually("the first message of the stream", () => client.has("status"));
    site.clock.advance(3_601_000);
    await client.ended;
  });

  test("end when their account is disabled", async () => {
    const client = await openStream();
    site.accounts.setDisabled(TEST_ACCOUNTS.viewer, true, TESTER);
    site.clock.advance(15_000);
    await client.ended;
  });

  test("are limited to four streams per account and sixteen in total", async () => {
    for (const count of [1, 2, 3, 4]) {
      const client = await openStream();
      expect([count, client.response.statusCode]).toEqual([count, 200]);
    }
    const refused = await openStream();
    expect(refused.response.statusCode).toBe(429);
    expect(refused.response.headers["retry-after"]).toBe("30");
    const tokens = [];
    for (const number of [1, 2, 3, 4]) {
      const email = `viewer${number}@test.example`;
      await site.accounts.add({ email, role: "viewer", password: PASSWORD }, TESTER);
      tokens.push((await site.tokens.signIn(email, PASSWORD)).token);
    }
    const answers = [];
    for (const token of tokens)
      for (let count = 0; count < 4; count += 1) {
        const client = await Client.open(port, { Authorization: `Bearer ${token}` });
        clients.push(client);
        answers.push(client.response.statusCode);
      }
    expect(answers.filter((status) => status === 200)).toHaveLength(12);
    expect(answers.filter((status) => status === 429)).toHaveLength(4);
  });

  test("permit another stream when a client disconnects", async () => {
    for (let count = 0; count < 4; count += 1) await openStream();
    clients[0]?.leave();
    await eventually("room for another", async () => (await openStream()).response.statusCode === 200);
  });

  test("end before the server stops, and do not restart", async () => {
    const client = await openStream();
    site.served.endStreams();
    await client.ended;
    const { statusCode, headers } = (await openStream()).response;
    expect([statusCode, headers["retry-after"]]).toEqual([503, "1"]);
  });

  test("require a token", async () => {
    const client = await Client.open(port, {});
    clients.push(client);
    expect(client.response.statusCode).toBe(401);
  });
});

/** The reasons that the technical log names for failed live updates. */
function failedUpdates({ logLines }: TestApp): unknown[] {
  return logLines
    .map((line) => JSON.parse(line) as { event: string; reason?: string })
    .filter(({ event }) => event === "live-updates-failed")
    .map(({ reason }) => reason);
}

/** A client of the stream. */
class Client {
  readonly messages: StreamMessage[] = [];
  bytes = 0;
  readonly response: IncomingMessage;
  readonly ended: Promise<void>;

  private constructor(response: IncomingMessage) {
    this.response = response;
    const parser = new EventStreamParser();
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      this.bytes += text.length;
      this.messages.push(...parser.take(text));
    });
    this.ended = new Promise((resolve) => {
      response.once("close", resolve);
    });
    // A stream that the client leaves is interrupted, as expected.
    response.on("error", () => {});
  }

  static open(port: number, headers: Record<string, string>): Promise<Client> {
    return new Promise((resolve, reject) => {
      httpRequest({ host: "127.0.0.1", port, path: "/site/events", headers, agent: false }, (response) =>
        resolve(new Client(response)),
      )
        .on("error", reject)
        .end();
    });
  }

  has(event: string): boolean {
    return this.messages.some((message) => message.event === event);
  }

  /** The zones of the last message with zones. */
  zones(): string[] {
    const data = this.messages.findLast(({ event }) => event === "zones")?.data ?? "[]";
    return (JSON.parse(data) as ZoneView[]).map(({ id }) => id);
  }

  leave(): void {
    this.response.destroy();
  }
}
