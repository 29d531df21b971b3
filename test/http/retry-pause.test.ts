import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { TestApp } from "../support/app.ts";

/* What clients are asked for whose requests cannot be handled now, as while the database of a centre fails over. */

let app: TestApp;
beforeEach(async () => {
  app = await TestApp.forTest({
    records: new Proxy({} as TestApp["parts"]["records"], {
      get: () => async () => {
        throw new AppError("unavailable", "the database is not available", { retryAfterS: 2 });
      },
    }),
  });
});

test("a few clients are asked for two seconds, hundreds for more, and later ones for two again", async () => {
  const token = await app.token("operator");
  const pauseS = async (): Promise<number> => {
    const asked = request(app.app).get("/interventii/1").set("Authorization", `Bearer ${token}`);
    return Number((await asked.expect(503)).headers["retry-after"]);
  };
  expect(await pauseS()).toBe(2);
  for (let count = 0; count < 1_000; count += 50)
    await Promise.all(Array.from({ length: 50 }, () => pauseS()));
  expect(await pauseS()).toBe(6);
  app.clock.advance(5_000);
  expect(await pauseS()).toBe(6);
  app.clock.advance(20_000);
  expect(await pauseS()).toBe(2);
});
