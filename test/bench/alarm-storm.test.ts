import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { storm, type StormOutcome } from "../../scripts/bench/measures/alarm-storm.ts";

const REQUEST =
  "POST /interventii HTTP/1.1\r\nHost: centre\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";

async function stormAt(port: number, limitMs: number): Promise<StormOutcome> {
  const { signal } = new AbortController();
  return storm({ port, request: REQUEST, sites: 40, perSecond: 400, limitMs, signal });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("each site connects from its own address and posts one alarm", async () => {
  const addresses: (string | undefined)[] = [];
  const port = await listening(
    createServer((request, response) => {
      addresses.push(request.socket.remoteAddress);
      response.writeHead(201).end("{}");
    }),
  );
  const { timesMs, totalMs, gaveUp } = await stormAt(port, 30_000);
  expect(gaveUp).toBe(0);
  expect(timesMs).toHaveLength(40);
  expect(Math.max(...timesMs)).toBeLessThanOrEqual(totalMs);
  expect(new Set(addresses).size).toBe(40);
});

test("a site that is refused, cut off or not answered has given up, and took its whole limit", async () => {
  let requests = 0;
  const port = await listening(
    createServer((request, response) => {
      requests += 1;
      if (requests % 4 === 0) response.writeHead(503).end();
      if (requests % 4 === 1) request.socket.destroy();
      if (requests % 4 === 2) response.writeHead(201).end("{}");
    }),
  );
  const { timesMs, gaveUp } = await stormAt(port, 2_000);
  expect(gaveUp).toBe(30);
  expect(timesMs.filter((ms) => ms === 2_000)).toHaveLength(30);
});
