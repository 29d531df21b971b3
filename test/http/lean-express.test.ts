import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";

const PATROL = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 };

let site: TestApp;
let token: string;
const servers: Server[] = [];
const baseUrls: string[] = [];
beforeAll(async () => {
  site = await TestApp.make();
  token = await site.token();
  await Promise.all(
    [{}, site.served.born].map(async (born) => {
      const server = createServer(born, site.app);
      servers.push(server);
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve);
      });
      baseUrls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }),
  );
});
afterAll(async () => {
  for (const server of servers) server.close();
  await site.close();
});

describe("a request that was born as Express's own", () => {
  test.each([
    ["reads one", "GET", "/interventii/1", undefined],
    ["asks for a head", "HEAD", "/interventii/1", undefined],
    ["lists", "GET", "/interventii?_start=0&_end=1", undefined],
    ["finds nothing", "GET", "/interventii/999", undefined],
    ["goes astray", "GET", "/nowhere?x=1", undefined],
    ["sends a broken body", "POST", "/interventii", "{"],
    ["is not allowed", "DELETE", "/interventii", undefined],
    ["asks what is possible", "OPTIONS", "/interventii", undefined],
  ])("is answered as any other when it %s", async (_what, method, path, body) => {
    await fetch(`${baseUrls[0]}/interventii`, ask("POST", JSON.stringify(PATROL)));
    const [plain, born] = await Promise.all(
      baseUrls.map(async (baseUrl) => {
        const answer = await fetch(`${baseUrl}${path}`, ask(method, body));
        const headers = [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "date");
        return { status: answer.status, headers, text: await answer.text() };
      }),
    );
    expect(born).toEqual(plain);
  });

  test("has its prototype from the first", () => {
    const { IncomingMessage, ServerResponse } = site.served.born;
    const message = new IncomingMessage(undefined as never);
    expect(Object.getPrototypeOf(message)).toBe(IncomingMessage.prototype);
    expect(message.constructor.name).toBe("IncomingMessage");
    expect(new ServerResponse(message)).toHaveProperty("json");
  });
});

function ask(method: string, body: string | undefined): RequestInit {
  return {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body }),
  };
}
