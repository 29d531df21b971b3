import type { Client } from "aedes";
import { expect, test } from "vitest";
import { ExternalPublisher } from "../../src/inputs/retained-publisher.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { startScriptedBroker } from "../support/scripted-broker.ts";

test("a broker that never acknowledges does not get the messages that were given up once it works again", async () => {
  let acknowledges = false;
  let connection: Client | undefined;
  const received: string[] = [];
  const broker = await startScriptedBroker({
    authenticate: (client, _username, _password, done) => {
      connection = client;
      done(null, true);
    },
    authorizePublish: (_client, { topic, payload }, done) => {
      if (topic === "siren") received.push(payload.toString());
      if (acknowledges) done(null);
    },
  });
  const publisher = new ExternalPublisher({
    broker: { url: broker.url },
    clientId: "outputs",
    log: new JsonLog({ level: "error", clock: new ManualClock(), write: () => {} }),
  });
  try {
    let connections = 0;
    await publisher.start(() => (connections += 1), "availability");
    await eventually("the connection", () => connections === 1);
    for (const payload of ["first", "second", "third"]) {
      const limit = new AbortController();
      const delivered = publisher.deliver("siren", payload, limit.signal);
      await eventually(`the ${payload} message`, () => received.includes(payload));
      limit.abort();
      await expect(delivered).rejects.toThrow();
    }
    acknowledges = true;
    received.length = 0;
    connection?.close();
    await eventually("the connection after it", () => connections === 2);
    await publisher.deliver("siren", "last", new AbortController().signal);
    expect(received).toEqual(["last"]);
  } finally {
    await publisher.stop();
    await broker.stop();
  }
});
