import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/inputs/keyed-queue.ts";

/** A task that ends on demand. */
function work(): { run: () => Promise<void>; end: (error?: Error) => void } {
  let complete: (error?: Error) => void = () => {};
  const done = new Promise<void>((resolve, reject) => {
    complete = (error) => (error ? reject(error) : resolve());
  });
  return { run: () => done, end: (error) => complete(error) };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const never = new Promise<void>(() => {});

test("tasks of different keys run concurrently; each end, and a hint, wakes who waits", async () => {
  const lanes = new KeyedQueue();
  const [hall, yard] = [work(), work()];
  lanes.start("hall", hall.run);
  lanes.start("yard", yard.run);
  expect([lanes.size, lanes.isBusy("hall"), lanes.isBusy("roof")]).toEqual([2, true, false]);
  await lanes.next(Promise.resolve());
  expect(lanes.size).toBe(2);
  const ended = lanes.next(never);
  hall.end();
  await ended;
  await turn();
  expect([lanes.size, lanes.isBusy("hall"), lanes.isBusy("yard")]).toEqual([1, false, true]);
  let isOver = false;
  const end = lanes.end().then(() => (isOver = true));
  await turn();
  expect(isOver).toBe(false);
  yard.end();
  await end;
});

test("an error stops the queue, and is thrown when all running tasks have ended", async () => {
  const lanes = new KeyedQueue();
  const [first, second] = [work(), work()];
  lanes.start("hall", first.run);
  lanes.start("yard", second.run);
  first.end(new Error("the journal cannot be marked"));
  await turn();
  await expect(lanes.next(Promise.resolve())).rejects.toThrow("the journal cannot be marked");
  const end = lanes.end();
  second.end();
  await expect(end).rejects.toThrow("the journal cannot be marked");
});
