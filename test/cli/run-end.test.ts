import { expect, test } from "vitest";
import { RunEnd } from "../../src/cli/run-end.ts";

test("a restore that is requested while a restart because of damage stops the daemon is done before the next run", async () => {
  const done: string[] = [];
  const end = new RunEnd();
  end.request(() => done.push("restart"));
  const betweenRuns = await end.requested();
  end.request(() => done.push("restore"));
  betweenRuns();
  expect(done).toEqual(["restart", "restore"]);
});

test("a restore is done and reported although an earlier one fails", async () => {
  const done: string[] = [];
  const end = new RunEnd();
  end.request(() => {
    throw new Error("the backup cannot be read");
  });
  end.request(() => done.push("restore"));
  const betweenRuns = await end.requested();
  expect(betweenRuns).toThrow("the backup cannot be read");
  expect(done).toEqual(["restore"]);
});
