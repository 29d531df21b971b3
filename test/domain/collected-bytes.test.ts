import { expect, test } from "vitest";
import { CollectedBytes } from "../../src/domain/collected-bytes.ts";

const LIMIT = 1000;

test.each([[1], [3], [333], [1000]])("chunks of %i bytes become what was sent", (size) => {
  const sent = Buffer.from(Array.from({ length: LIMIT }, (_, at) => at % 251));
  const collected = new CollectedBytes(LIMIT);
  for (let at = 0; at < sent.length; at += size) collected.add(sent.subarray(at, at + size));
  expect(collected.isTooLong).toBe(false);
  expect(collected.take()).toEqual(sent);
});

test("a sender's memory may be used again after a chunk was added", () => {
  const chunk = Buffer.from("door");
  const collected = new CollectedBytes(LIMIT);
  collected.add(chunk);
  chunk.fill("x");
  collected.add(Buffer.from("!"));
  expect(collected.take().toString()).toBe("door!");
});

test("nothing is kept of more than the limit, also if less follows", () => {
  const collected = new CollectedBytes(LIMIT);
  collected.add(Buffer.alloc(LIMIT));
  collected.add(Buffer.alloc(1));
  collected.add(Buffer.from("more"));
  expect([collected.isTooLong, collected.take().length]).toEqual([true, 0]);
});
