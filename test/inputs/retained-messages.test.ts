import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RetainedStore } from "../../src/inputs/broker-persistence.ts";
import { RetainedMessages } from "../../src/inputs/retained-messages.ts";
import { ManualClock } from "../support/manual-clock.ts";

const TOPICS = 5_000;

/** The retained messages of a broker with thousands of topics. */
async function manyTopics(): Promise<RetainedStore> {
  const store: RetainedStore = {
    storeRetained: () => Promise.resolve(),
    createRetainedStreamCombi: () => {
      throw new Error("the search of aedes is not used");
    },
  };
  const messages = new RetainedMessages({ reached: () => {} }, new ManualClock(), () => {});
  messages.watch(store);
  for (let index = 0; index < TOPICS; index += 1) {
    const payload = Buffer.from("on");
    messages.keeps(`t/${index}`, payload, { address: "192.0.2.7" });
    await store.storeRetained({
      cmd: "publish",
      topic: `t/${index}`,
      payload,
      qos: 1,
      retain: true,
      dup: false,
    });
  }
  return store;
}

test("a filter over thousands of topics leaves turns of the event loop to readings", async () => {
  const store = await manyTopics();
  let turns = 0;
  const search = { isOver: false };
  const others = (async () => {
    while (!search.isOver) {
      await turn();
      turns += 1;
    }
  })();
  let found = 0;
  for await (const _packet of store.createRetainedStreamCombi(["none/#", "t/#"])) found += 1;
  search.isOver = true;
  await others;
  expect(found).toBe(TOPICS);
  // Two filters, five hundred topics at a time.
  expect(turns).toBeGreaterThanOrEqual((2 * TOPICS) / 500);
});
