import request from "supertest";
import { beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { NO_SITE, TestApp } from "../support/app.ts";

/** What the requests have caused; each is then answered with 409. */
let done: string[];
let app: TestApp;
let token: string;

beforeEach(async () => {
  done = [];
  const noted =
    (what: string) =>
    (...values: unknown[]): Promise<never> => {
      done.push(`${what} ${JSON.stringify(values.slice(0, -1))}`);
      return Promise.reject(new AppError("conflict", "noted"));
    };
  app = await TestApp.forTest({
    site: {
      ...NO_SITE,
      zones: { ...NO_SITE.zones, bypass: noted("bypass"), simulate: noted("simulate") },
      tests: {
        ...NO_SITE.tests,
        startWalk: noted("start"),
        extendWalk: noted("extend"),
        endWalk: noted("end"),
        startSignal: noted("signal"),
      },
    },
  });
  token = await app.token("operator");
});

function post(path: string, body: object): request.Test {
  return request(app.app).post(path).set("Authorization", `Bearer ${token}`).send(body);
}

test.each([
  ["/site/walk-test", { edn: true }, 'unknown field "edn". Known: minutes, extend, end'],
  ["/site/walk-test", { minuts: 5 }, 'unknown field "minuts". Known: minutes, extend, end'],
  ["/site/walk-test", { end: "true" }, "end must be true or false"],
  ["/site/walk-test", { extend: 1 }, "extend must be true or false"],
  ["/site/walk-test", { end: null }, "end must be true or false"],
  ["/site/zones/door/bypass", { reason: "painter", minute: 5 }, /^unknown field "minute"\. Known: reason, /],
  ["/site/zones/door/bypass", { reason: "painter", minutes: "5" }, "minutes must be a number"],
  ["/site/simulate", { zone: "door", contact: "open", id: 1 }, 'unknown field "id". Known: zone, contact'],
  ["/site/signal-test", { zones: "door" }, 'unknown field "zones". Known: zone'],
  ["/site/signal-test", { zone: 7 }, "zone must be the id of a zone"],
] as const)("POST %s with %j is rejected and changes nothing", async (path, body, wanted) => {
  const { body: answer } = await post(path, body).expect(400);
  const { message } = answer as { message: string };
  expect(message).toMatch(wanted);
  expect(translateToRomanian(message)).toBeDefined();
  expect(done).toEqual([]);
});

test("requests with the known fields are carried out", async () => {
  await post("/site/walk-test", {}).expect(409);
  await post("/site/walk-test", { minutes: 5, extend: false, end: false }).expect(409);
  await post("/site/walk-test", { minutes: 5, extend: true }).expect(409);
  await post("/site/walk-test", { end: true }).expect(409);
  await post("/site/zones/door/bypass", { reason: "painter", minutes: 5 }).expect(409);
  await post("/site/simulate", { zone: "door", contact: "open" }).expect(409);
  await post("/site/signal-test", {}).expect(409);
  await post("/site/signal-test", { zone: "door" }).expect(409);
  expect(done).toEqual([
    "start [null]",
    "start [5]",
    "extend [5]",
    "end []",
    'bypass ["door",{"reason":"painter","minutes":5}]',
    'simulate ["door","open"]',
    "signal [null]",
    'signal ["door"]',
  ]);
});
