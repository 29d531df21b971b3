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
  const lanes = new KeyedQueue(2);
  const [hall, yard] = [work(), work()];
  lanes.start("hall", hall.run);
  lanes.start("yard", yard.run);
  expect([lanes.size, lanes.isBusy("hall"), lanes.isBusy("roof")]).toEqual([2, true, false]);
  await lanes.next(Promise.resolve());
  expect([lanes.size, lanes.isFull]).toEqual([2, true]);
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
  const lanes = new KeyedQueue(2);
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

test("tasks that run are distinguished from those that start later, even of the same key", async () => {
  const lanes = new KeyedQueue(2);
  const [first, second] = [work(), work()];
  lanes.start("hall", first.run);
  const isRunning = lanes.watch();
  expect([isRunning(), lanes.isFull]).toEqual([true, false]);
  first.end();
  await turn();
  lanes.start("hall", second.run);
  expect([isRunning(), lanes.watch()()]).toEqual([false, true]);
  second.end();
  await lanes.end();
});
