// Heavy permitted use: clients of the API, and messages for no zone. It runs until its process ends.
import { Agent, request } from "node:http";
import { pauseMs, publishOf, RawClient } from "./raw-client.mjs";

const HTTP_CLIENTS = 64;
/** One in this number of requests creates a record; the others read a page. */
const READS_TO_A_WRITE = 16;

const PUBLISHERS = 10;
const MESSAGES_A_SECOND = 5_000;
const TOPICS = 500;
const ROUND_MS = 20;

/** API clients with one connection each, which send the next request after each response. */
export async function httpClients({ httpPort, token, count, countFailed }) {
  const client = async (_, index) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = index; ; at += 1) {
      const isWrite = at % READS_TO_A_WRITE === 0;
      const name = `Call ${at} of client ${index}`;
      const body = isWrite ? { name, objectiveType: "obiective/cladiri", objectiveId: 1 } : undefined;
      const status = await ask({ agent, httpPort, token, body });
      if (status === (isWrite ? 201 : 200)) count();
      else countFailed();
    }
  };
  await Promise.all(Array.from({ length: HTTP_CLIENTS }, client));
}

/** @returns the response status; 0 without a response, after a pause */
function ask({ agent, httpPort, token, body }) {
  const options = {
    host: "127.0.0.1",
    port: httpPort,
    agent,
    method: body ? "POST" : "GET",
    path: body ? "/interventii" : "/interventii?_start=0&_end=50",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  };
  return new Promise((resolve) => {
    const failed = () => void pauseMs(100).then(() => resolve(0));
    const clientRequest = request(options, (response) => {
      response.resume();
      response.on("error", failed);
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    clientRequest.on("error", failed);
    clientRequest.end(body && JSON.stringify(body));
  });
}

/** Unrelated sensors: the given messages a second, or as many as the broker accepts, with QoS 1. */
export async function unmatchedTopics({ port, count }) {
  const perRound = (MESSAGES_A_SECOND * ROUND_MS) / 1000 / PUBLISHERS;
  const startMs = performance.now();
  const publisher = async (_, index) => {
    let sent = 0;
    for (;;) {
      const client = new RawClient(port);
      await client.connect(`meter-${index}`, false);
      while (!client.isClosed) {
        const due = ((performance.now() - startMs) / ROUND_MS) * perRound;
        // Messages that a busy broker did not accept in their second are skipped, not sent later in a burst.
        sent = Math.max(sent, due - 10 * perRound);
        let last = pauseMs(ROUND_MS);
        for (; sent < due && !client.isClosed; sent += 1)
          last = client.send(reading(index, sent)).then(count);
        await Promise.all([last, pauseMs(ROUND_MS)]);
      }
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
}

function reading(publisher, number) {
  const id = Math.floor(number);
  const payload = JSON.stringify({ power: id % 3000, voltage: 230, energy: 12.5 + id, linkquality: 80 });
  return publishOf(
    `house/${publisher}/${id % (TOPICS / PUBLISHERS)}/state`,
    Buffer.from(payload),
    1,
    (id % 65_000) + 1,
  );
}
