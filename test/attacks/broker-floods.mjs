// Floods of the built-in broker by a machine on the network. Each one runs until its process ends; a
// disconnected client reconnects.
import { generate } from "mqtt-packet";
import { pauseMs, publishOf, RawClient, subscribeOf } from "./raw-client.mjs";

const PAYLOAD = Buffer.alloc(64 * 1024, "x");
const UNRELEASED_PAYLOAD = Buffer.alloc(16 * 1024, "x");
/** Per session, unless it is disconnected before; the next session repeats it. */
const UNRELEASED = 2_000;
const READERS = 8;
const SESSIONS = 64;
const QUEUES = 8;
/** Pause before dropped sessions are created again. */
const AWAY_MS = 1_000;
const SUBSCRIPTIONS = 180_000;
const FILTERS_OF_PACKET = 200;
const PACKETS_OF_CLIENT = 100;
/** Delay before a reconnect. */
const BACK_AFTER_MS = 10;

/** Persistent sessions with as many unreleased messages as possible. */
export async function unreleased({ port, count }) {
  let clients = 0;
  const flood = async () => {
    for (;;) {
      const client = new RawClient(port);
      await client.connect(`unreleased-${(clients += 1)}`, true);
      let sent = pauseMs(BACK_AFTER_MS);
      for (let id = 1; id <= UNRELEASED && !client.isClosed; id += 1)
        sent = client.send(publishOf("flood/unreleased", UNRELEASED_PAYLOAD, 2, id)).then(count);
      await sent;
      client.end();
    }
  };
  await Promise.all([flood(), flood(), flood(), flood()]);
}

/** Subscribers with full sockets, and active publishers. */
export async function deafReaders({ port, count }) {
  const readers = [];
  const comeBack = async (index) => {
    const reader = new RawClient(port);
    await reader.connect(`deaf-${index}`, false);
    await reader.subscribe(["flood/#"], 0);
    reader.stopReading();
    readers[index] = reader;
  };
  for (let index = 0; index < READERS; index += 1) await comeBack(index);
  const listen = async () => {
    for (;;) {
      // A socket without reads does not report its end; a write does.
      await pauseMs(50);
      for (const [index, reader] of readers.entries()) {
        await Promise.race([reader.send(Buffer.from([0xc0, 0])), pauseMs(50)]);
        if (reader.isClosed) await comeBack(index);
      }
    }
  };
  await Promise.all([listen(), publish({ port, count }, "deaf-a", 0), publish({ port, count }, "deaf-b", 0)]);
}

/** Subscribed sessions that are offline, and messages queued for them. */
export async function absentSessions({ port, count }) {
  const stayAway = async () => {
    for (;;) {
      for (let index = 0; index < SESSIONS; index += 1) {
        const session = new RawClient(port);
        await session.connect(`absent-${index}`, true);
        await session.subscribe(["flood/#"], 1);
        session.end();
      }
      await pauseMs(AWAY_MS);
    }
  };
  await Promise.all([
    stayAway(),
    publish({ port, count }, "absent-a", 1),
    publish({ port, count }, "absent-b", 1),
  ]);
}

/** Sessions that are offline, each with a queue of its own messages, so that no two share memory. */
export async function separateQueues({ port, count }) {
  const stayAway = async () => {
    for (;;) {
      for (let index = 0; index < QUEUES; index += 1) {
        const session = new RawClient(port);
        await session.connect(`queue-${index}`, true);
        await session.subscribe([`flood/queue-${index}`], 1);
        session.end();
      }
      await pauseMs(AWAY_MS);
    }
  };
  const publishers = Array.from({ length: QUEUES }, (_none, index) =>
    publish({ port, count }, `queue-${index}`, 1),
  );
  await Promise.all([stayAway(), ...publishers]);
}

/** Clients with 180,000 filters of twenty levels in total, and messages that are matched against all of them. */
export async function subscriptions({ port, count }) {
  const subscribe = async () => {
    let clients = 0;
    for (let made = 0; ; made %= SUBSCRIPTIONS) {
      const client = new RawClient(port);
      await client.connect(`many-${(clients += 1)}`, true);
      for (let packet = 0; packet < PACKETS_OF_CLIENT && !client.isClosed; packet += 1) {
        const filters = Array.from(
          { length: FILTERS_OF_PACKET },
          () => `${"level/".repeat(19)}${(made += 1)}`,
        );
        await client.send(generate(subscribeOf(filters, 1)));
        count(FILTERS_OF_PACKET);
      }
      await pauseMs(BACK_AFTER_MS);
    }
  };
  await Promise.all([subscribe(), publish({ port, count: () => {} }, "subscriptions", 1)]);
}

/** A client that publishes as fast as the broker accepts it. */
async function publish({ port, count }, name, qos) {
  for (;;) {
    const client = new RawClient(port);
    await client.connect(`publisher-${name}`, false);
    for (let id = 0; !client.isClosed; id += 1) {
      await client.send(publishOf(`flood/${name}`, PAYLOAD, qos, (id % 65_000) + 1));
      count();
    }
    await pauseMs(BACK_AFTER_MS);
  }
}
