import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { ServedApp } from "../support/served-app.ts";

/* Clients that stop in the middle of a request wait here for the server's own limits, at the real clock. */

let site: TestApp;
let served: ServedApp;
beforeAll(async () => {
  site = await TestApp.make();
  served = await new ServedApp(site).start();
});
afterAll(async () => {
  await served.stop();
  await site.close();
});

/** Sends a text and nothing more. @returns what the server sends until it closes the connection */
const answerTo = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = "";
    const socket = connect(served.server.address.port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (answer += chunk.toString()));
    // A reset is an end as well.
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });

const BODY =
  "POST /auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

test("slow headers, slow bodies and silence are closed within 70 seconds", async () => {
  const started = performance.now();
  await Promise.all(["", "GET /interventii HTTP/1.1\r\nHost: local", `${BODY}{"em`].map(answerTo));
  expect((performance.now() - started) / 1000).toBeLessThan(70);
});

test.concurrent.for([
  ["headers", "GET /interventii HTTP/1.1\r\nHost: localhost\r\n"],
  ["a request line", "GET /interv"],
] as const)("%s that never end: the answer says that the request timed out", async ([, text], { expect }) => {
  const answer = await answerTo(text);
  expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\nContent-Type: application\/json/);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
    error: "Request Timeout",
    message: "request timed out: it did not arrive completely in time",
    statusCode: 408,
  });
});

test.concurrent("a body that goes on slowly after an early response gets no second one", async ({
  expect,
}) => {
  const head = "POST /interventii HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  let answer = "";
  const socket = connect(served.server.address.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("data", (chunk) => (answer += chunk.toString()));
  socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
  while (!socket.closed) {
    await wait(1_000);
    socket.write(" ");
  }
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
});
