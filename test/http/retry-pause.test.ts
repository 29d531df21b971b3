import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { TestApp } from "../support/app.ts";

/* What clients are asked for whose requests cannot be handled now, as while the database of a centre fails over. */

let app: TestApp;
let token: string;
/** Why the database cannot be used; undefined if only this request cannot be handled. */
let cause: Error | undefined;
beforeEach(async () => {
  cause = new Error("connect ECONNREFUSED");
  app = await TestApp.forTest({
    records: new Proxy({} as TestApp["parts"]["records"], {
      get: () => async () => {
        throw new AppError("unavailable", "the database is not available", { retryAfterS: 2, cause });
      },
    }),
  });
  token = await app.token("operator");
});

async function pauseS(): Promise<number> {
  const asked = request(app.app).get("/interventii/1");
  const { headers } = await asked.set("Authorization", `Bearer ${token}`).expect(503);
  return Number(headers["retry-after"]);
}

async function thousandRequests(): Promise<void> {
  for (let count = 0; count < 1_000; count += 50)
    await Promise.all(Array.from({ length: 50 }, () => pauseS()));
}

test("a few clients are asked for two seconds, hundreds for more, and later ones for two again", async () => {
  expect(await pauseS()).toBe(2);
  await thousandRequests();
  expect(await pauseS()).toBe(6);
  app.clock.advance(5_000);
  expect(await pauseS()).toBe(6);
  app.clock.advance(20_000);
  expect(await pauseS()).toBe(2);
});

test("requests that fail for another reason, such as too many reports of a site, ask the others for no more", async () => {
  cause = undefined;
  await thousandRequests();
  expect(await pauseS()).toBe(2);
  cause = new Error("connect ECONNREFUSED");
  expect(await pauseS()).toBe(2);
});
