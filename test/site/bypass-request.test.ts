import request from "supertest";
import { expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { BypassRequest } from "../../src/inputs/zone-overrides.ts";
import { NO_SITE, TestApp } from "../support/app.ts";

test("a bypass is for some minutes or until a full hour, and nothing else", async () => {
  const orders: BypassRequest[] = [];
  const bypass = async (_zone: string, order: BypassRequest): Promise<never> => {
    orders.push(order);
    throw new AppError("not-found", "unknown zone");
  };
  const app = await TestApp.forTest({ site: { ...NO_SITE, zones: { ...NO_SITE.zones, bypass } } });
  const token = await app.token();
  const ask = (body: object) =>
    request(app.app)
      .post("/site/zones/door/bypass")
      .set("Authorization", `Bearer ${token}`)
      .send({ reason: "painter", ...body });
  for (const untilHour of [0, 23]) await ask({ untilHour }).expect(404);
  await ask({ minutes: 5 }).expect(404);
  expect(orders).toEqual([
    { reason: "painter", untilHour: 0 },
    { reason: "painter", untilHour: 23 },
    { reason: "painter", minutes: 5 },
  ]);
  for (const untilHour of [-1, 24, 6.5, "6", null]) {
    const { body } = await ask({ untilHour }).expect(400);
    expect(body).toMatchObject({ message: "untilHour must be a whole number from 0 to 23" });
  }
  const { body } = await ask({ untilHour: 6, minutes: 5 }).expect(400);
  expect(body).toMatchObject({ message: "send either minutes or untilHour" });
  expect(orders).toHaveLength(3);
});
