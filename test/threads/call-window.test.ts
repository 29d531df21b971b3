import { expect, test } from "vitest";
import { CallWindow } from "../../src/threads/call-window.ts";

/** Calls that wait for an answer, in the order of their start. */
class Answers {
  readonly started: number[] = [];
  readonly #waiting: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];

  call(number: number): () => Promise<number> {
    return () => {
      this.started.push(number);
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    };
  }

  /** Answers the oldest calls. */
  async answer(count: number): Promise<void> {
    for (const { resolve } of this.#waiting.splice(0, count)) resolve(0);
    await turn();
  }

  async refuse(): Promise<void> {
    this.#waiting.shift()?.reject(new Error("refused"));
    await turn();
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test("a flood of 5,000 calls has at most 1,024 without an answer, and keeps its order", async () => {
  const window = new CallWindow();
  const answers = new Answers();
  const all = Array.from({ length: 5_000 }, (_, number) => number);
  const done = Promise.all(all.map((number) => window.run(1, answers.call(number))));
  expect(answers.started).toHaveLength(1_024);
  await answers.answer(10);
  expect(answers.started).toHaveLength(1_034);
  for (let left = 6; left > 0; left -= 1) await answers.answer(1_024);
  await done;
  expect(answers.started).toEqual(all);
});

test("large calls wait for each other, and the largest has room alone", async () => {
  const window = new CallWindow();
  const answers = new Answers();
  const mebibytes = [3, 2, 64, 1].map((size, number) => window.run(size * 1024 * 1024, answers.call(number)));
  expect(answers.started).toEqual([0]);
  await answers.answer(1);
  expect(answers.started).toEqual([0, 1]);
  await answers.answer(1);
  expect(answers.started).toEqual([0, 1, 2]);
  await answers.answer(1);
  await answers.answer(1);
  await Promise.all(mebibytes);
});

test("a rejected call makes room for the next", async () => {
  const window = new CallWindow();
  const answers = new Answers();
  const full = 4 * 1024 * 1024;
  const rejected = window.run(full, answers.call(0)).catch((error: Error) => error.message);
  const next = window.run(full, answers.call(1));
  await answers.refuse();
  expect(await rejected).toBe("refused");
  await answers.answer(1);
  expect(await next).toBe(0);
});
