import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATROL, TestApp } from "../support/app.ts";
import { listen } from "../support/loopback.ts";

let site: TestApp;
let token: string;
const servers: Server[] = [];
const baseUrls: string[] = [];
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
  await Promise.all(
    [{}, site.served.classes].map(async (lean) => {
      const server = createServer(lean, site.app);
      servers.push(server);
      baseUrls.push(`http://127.0.0.1:${await listen(server)}`);
    }),
  );
});
afterAll(async () => {
  for (const server of servers) server.close();
  await site.close();
});

describe("a request created with Express's classes", () => {
  test.each([
    ["reads one", "GET", "/interventii/1", undefined],
    ["requests a HEAD", "HEAD", "/interventii/1", undefined],
    ["lists", "GET", "/interventii?_start=0&_end=1", undefined],
    ["finds nothing", "GET", "/interventii/999", undefined],
    ["has an unknown path", "GET", "/nowhere?x=1", undefined],
    ["sends a broken body", "POST", "/interventii", "{"],
    ["uses a wrong method", "DELETE", "/interventii", undefined],
    ["requests OPTIONS", "OPTIONS", "/interventii", undefined],
  ])("gets the same response when it %s", async (_what, method, path, body) => {
    await fetch(`${baseUrls[0]}/interventii`, ask("POST", JSON.stringify(PATROL)));
    const [plain, lean] = await Promise.all(
      baseUrls.map(async (baseUrl) => {
        const answer = await fetch(`${baseUrl}${path}`, ask(method, body));
        const headers = [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "date");
        return { status: answer.status, headers, text: await answer.text() };
      }),
    );
    expect(lean).toEqual(plain);
  });

  test("has Express's prototype at creation, and Express does not replace it", () => {
    const { IncomingMessage, ServerResponse } = site.served.classes;
    const message = new IncomingMessage(undefined as never);
    expect(message).toHaveProperty("acceptsLanguages");
    expect(message).toHaveProperty("app.request", Object.getPrototypeOf(message));
    expect(new ServerResponse(message)).toHaveProperty("app.response.json");
  });

  test("has the same object shape as all others, so that V8 can optimise its use", () => {
    setFlagsFromString("--allow-natives-syntax");
    const haveSameShape = runInThisContext("(one, other) => %HaveSameMap(one, other)") as (
      one: object,
      other: object,
    ) => boolean;
    const { IncomingMessage, ServerResponse } = site.served.classes;
    const messages = [1, 2].map(() => new IncomingMessage(undefined as never)) as [object, object];
    expect(haveSameShape(...messages)).toBe(true);
    expect(
      haveSameShape(new ServerResponse(messages[0] as never), new ServerResponse(messages[1] as never)),
    ).toBe(true);
    expect(haveSameShape(messages[0], {}), "the question can be answered with no").toBe(false);
    setFlagsFromString("--no-allow-natives-syntax");
  });
});

function ask(method: string, body: string | undefined): RequestInit {
  return {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
  };
}
