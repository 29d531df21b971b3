import { createServer, type Server } from "node:net";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { offerBrokers } from "../../src/cli/init/found-brokers.ts";
import { freePort } from "../support/loopback.ts";

let server: Server;
let output: string;
const stderr = new Writable({
  write: (chunk: Buffer, _encoding, done) => {
    output += chunk.toString();
    done();
  },
});
beforeEach(() => {
  output = "";
  server = createServer();
});
afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())));

async function listenAt(host: string): Promise<number> {
  const port = await freePort();
  await new Promise<void>((resolve) => void server.listen(port, host, resolve));
  return port;
}

test("a program that listens at a usual address of a broker is named with its URL", async () => {
  const closed = await freePort();
  const port = await listenAt("127.0.0.1");
  const places = [
    ["mqtt", "127.0.0.1", closed],
    ["mqtts", "127.0.0.1", port],
  ] as const;
  expect(await offerBrokers({ stderr }, places)).toBe(`mqtts://127.0.0.1:${port}`);
  expect(output).toMatch(
    `listens at mqtts://127.0.0.1:${port} (looked at 127.0.0.1 and ::1, ports 1883 and 8883)`,
  );
});

test("without one, the places that were looked at are named", async () => {
  const port = await listenAt("127.0.0.1");
  expect(await offerBrokers({ stderr }, [["mqtt", "::1", port]])).toBeUndefined();
  expect(output).toBe(
    "  No broker listens on this machine (looked at 127.0.0.1 and ::1, ports 1883 and 8883).\n",
  );
});
