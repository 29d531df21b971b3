import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BufferCollection } from "../../src/ops/buffer-collection.ts";

const MIB = 1024 * 1024;
const MESSAGE_BYTES = MIB / 16;
const MESSAGES = 8_000;

/** The most memory of buffers, in MiB above that of the start, while many messages are read and `kept` of them held. */
function mostMiB(buffers: BufferCollection | undefined, kept: number): number {
  const held: Buffer[] = [];
  const startBytes = process.memoryUsage().arrayBuffers;
  let mostBytes = 0;
  for (let message = 0; message < MESSAGES; message += 1) {
    held[message % kept] = Buffer.allocUnsafeSlow(MESSAGE_BYTES);
    buffers?.read(MESSAGE_BYTES);
    mostBytes = Math.max(mostBytes, process.memoryUsage().arrayBuffers - startBytes);
  }
  return mostBytes / MIB;
}

test("V8 alone leaves more than 30 MiB of buffers that nothing uses", () => {
  expect(mostMiB(undefined, 1)).toBeGreaterThan(30);
});

test("buffers of messages are collected soon after their use", () => {
  expect(mostMiB(new BufferCollection({ hasOldBuffers: false }), 1)).toBeLessThan(20);
});

test("buffers that were held for a while are collected too", () => {
  // 16 MiB are held, and each message only until 256 more have arrived.
  expect(mostMiB(new BufferCollection({ hasOldBuffers: true }), 256)).toBeLessThan(16 + 32);
});

test("programs that it runs in cannot call the collection", () => {
  expect(new BufferCollection({ hasOldBuffers: false })).toBeDefined();
  expect(runInNewContext("typeof gc")).toBe("undefined");
});
