import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/inputs/trip-dispatcher.ts";

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

test("tasks of different keys run concurrently up to a limit; tasks of one key run in order", async () => {
  const lanes = new KeyedQueue();
  const log: string[] = [];
  const pieces = new Map<string, ReturnType<typeof work>>();
  const feeding = (async () => {
    for (const name of ["hall 1", "yard 1", "hall 2", "roof 1", "cellar 1"]) {
      const lane = name.slice(0, 4);
      await lanes.free(lane, 3);
      const piece = work();
      pieces.set(name, piece);
      log.push(name);
      lanes.start(lane, piece.run);
    }
  })();
  await turn();
  expect(log).toEqual(["hall 1", "yard 1"]);
  pieces.get("hall 1")?.end();
  await turn();
  expect(log).toEqual(["hall 1", "yard 1", "hall 2", "roof 1"]);
  pieces.get("yard 1")?.end();
  await turn();
  expect(log.at(-1)).toBe("cellar 1");
  await feeding;
  let isOver = false;
  const end = lanes.end().then(() => (isOver = true));
  await turn();
  expect(isOver).toBe(false);
  for (const piece of pieces.values()) piece.end();
  await end;
});

test("an error stops the queue, and is thrown when all running tasks have ended", async () => {
  const lanes = new KeyedQueue();
  const [first, second] = [work(), work()];
  lanes.start("hall", first.run);
  lanes.start("yard", second.run);
  first.end(new Error("the journal cannot be marked"));
  await turn();
  await expect(lanes.free("roof", 8)).rejects.toThrow("the journal cannot be marked");
  const end = lanes.end();
  second.end();
  await expect(end).rejects.toThrow("the journal cannot be marked");
});
