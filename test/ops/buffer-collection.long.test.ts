import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BufferCollection } from "../../src/ops/buffer-collection.ts";

const MIB = 1024 * 1024;
const MESSAGE_BYTES = MIB / 16;
const MESSAGES = 8_000;

/**
 * The most memory of buffers, in MiB above the least, while many messages are read and `kept` of them held. Buffers of earlier tests
 * may go meanwhile, so it counts from the first collection.
 */
function mostMiB(buffers: BufferCollection | undefined, kept: number): number {
  const held: Buffer[] = [];
  let [leastBytes, mostBytes, latestBytes] = [Infinity, 0, 0];
  for (let message = 0; message < MESSAGES; message += 1) {
    held[message % kept] = Buffer.allocUnsafeSlow(MESSAGE_BYTES);
    buffers?.read(MESSAGE_BYTES);
    const { arrayBuffers } = process.memoryUsage();
    if (arrayBuffers < latestBytes) leastBytes = Math.min(leastBytes, arrayBuffers);
    latestBytes = arrayBuffers;
    mostBytes = Math.max(mostBytes, arrayBuffers - leastBytes);
  }
  return mostBytes / MIB;
}

/** The middle of three runs: V8 frees buffers in a thread of its own, which a busy machine delays. */
function middleMiB(buffers: () => BufferCollection | undefined, kept: number): number {
  const [, middle = 0] = [1, 2, 3].map(() => mostMiB(buffers(), kept)).toSorted((one, other) => one - other);
  return middle;
}

const collecting = (hasOldBuffers: boolean) => (): BufferCollection =>
  new BufferCollection({ hasOldBuffers });

test("buffers of messages are collected sooner than V8 alone would", () => {
  const alone = middleMiB(() => undefined, 1);
  expect(alone).toBeGreaterThan(20);
  expect(middleMiB(collecting(false), 1)).toBeLessThan(0.7 * alone);
});

test("buffers that were held for a while are collected too", () => {
  // 32 MiB are held, and each message only until 512 more have arrived.
  const newOnly = middleMiB(collecting(false), 512);
  expect(middleMiB(collecting(true), 512)).toBeLessThan(0.85 * newOnly);
});

test("programs that it runs in cannot call the collection", () => {
  expect(new BufferCollection({ hasOldBuffers: false })).toBeDefined();
  expect(runInNewContext("typeof gc")).toBe("undefined");
});
