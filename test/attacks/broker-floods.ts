import { generate } from "mqtt-packet";
import { publishOf, RawClient, subscribeOf } from "./raw-client.ts";

/** What one flood does until it is stopped. */
export interface Flood {
  readonly name: string;
  readonly run: (port: number, time: FloodTime) => Promise<void>;
}

/** How long a flood goes on. */
export interface FloodTime {
  readonly isOver: () => boolean;
  /** Resolves at the end. */
  readonly over: Promise<void>;
}

const PAYLOAD = Buffer.alloc(64 * 1024, "x");
const UNRELEASED_PAYLOAD = Buffer.alloc(16 * 1024, "x");
/** Of one session, unless it is cut off before; the next session does the same. */
const UNRELEASED = 2_000;
const READERS = 8;
const SESSIONS = 64;
const SUBSCRIPTIONS = 180_000;
const FILTERS_OF_PACKET = 200;

export const FLOODS: readonly Flood[] = [
  { name: "QoS 2 that is never released", run: unreleased },
  { name: "readers that never read", run: deafReaders },
  { name: "sessions that stay away", run: absentSessions },
  { name: "180,000 subscriptions", run: subscriptions },
];

/** Sessions that last, each with as many messages as it can, of which none is ever released. */
async function unreleased(port: number, time: FloodTime): Promise<void> {
  let clients = 0;
  const flood = async (): Promise<void> => {
    while (!time.isOver()) {
      const client = new RawClient(port);
      await client.connect(`unreleased-${(clients += 1)}`, true);
      let sent = Promise.resolve();
      for (let id = 1; id <= UNRELEASED && !client.isClosed; id += 1)
        sent = client.send(publishOf("flood/unreleased", UNRELEASED_PAYLOAD, 2, id));
      await Promise.race([sent, time.over]);
      client.end();
    }
  };
  await Promise.all([flood(), flood(), flood(), flood()]);
}

/** Subscribers whose sockets fill up, and publishers that go on. */
async function deafReaders(port: number, time: FloodTime): Promise<void> {
  const readers: RawClient[] = [];
  const comeBack = async (index: number): Promise<void> => {
    const reader = new RawClient(port);
    await reader.connect(`deaf-${index}`, false);
    await reader.subscribe(["flood/#"], 0);
    reader.stopReading();
    readers[index] = reader;
  };
  for (let index = 0; index < READERS; index += 1) await comeBack(index);
  const publish = publisher(port, 0, time);
  const publishing = Promise.all([publish("deaf-a"), publish("deaf-b")]);
  while (!time.isOver()) {
    // A socket that is not read from says nothing of its end; a write does.
    await pauseMs(50);
    for (const [index, reader] of readers.entries()) {
      await Promise.race([reader.send(Buffer.from([0xc0, 0])), pauseMs(50)]);
      if (reader.isClosed) await comeBack(index);
    }
  }
  await publishing;
  for (const reader of readers) reader.end();
}

/** Sessions that have subscribed and gone, and messages that wait for them. */
async function absentSessions(port: number, time: FloodTime): Promise<void> {
  for (let index = 0; index < SESSIONS; index += 1) {
    const session = new RawClient(port);
    await session.connect(`absent-${index}`, true);
    await session.subscribe(["flood/#"], 1);
    session.end();
  }
  const publish = publisher(port, 1, time);
  await Promise.all([publish("absent-a"), publish("absent-b")]);
}

/** Clients that share 180,000 filters of twenty levels, and messages that are compared with all of them. */
async function subscriptions(port: number, time: FloodTime): Promise<void> {
  let made = 0;
  const publishing = publisher(port, 1, time)("subscriptions");
  const clients: RawClient[] = [];
  const isOver = (): boolean => time.isOver() || made >= SUBSCRIPTIONS;
  while (!isOver()) {
    const client = new RawClient(port);
    clients.push(client);
    await client.connect(`many-${clients.length}`, true);
    for (let packet = 0; packet < 100 && !client.isClosed && !time.isOver(); packet += 1) {
      const filters = Array.from({ length: FILTERS_OF_PACKET }, () => `${"level/".repeat(19)}${(made += 1)}`);
      await client.send(generate(subscribeOf(filters, 1)));
    }
  }
  await publishing;
  for (const client of clients) client.end();
}

/** A client that publishes as fast as the broker takes it. */
function publisher(port: number, qos: 0 | 1, time: FloodTime): (name: string) => Promise<void> {
  return async (name) => {
    const client = new RawClient(port);
    await client.connect(`publisher-${name}`, false);
    for (let id = 0; !time.isOver() && !client.isClosed; id += 1)
      await Promise.race([
        client.send(publishOf(`flood/${name}`, PAYLOAD, qos, (id % 65_000) + 1)),
        time.over,
      ]);
    client.end();
  };
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
