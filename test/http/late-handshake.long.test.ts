import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestApp } from "../support/app.ts";
import { TestAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { close, listen } from "../support/loopback.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { ServedApp } from "../support/served-app.ts";

/* A machine or network so slow that a TLS handshake exceeds the server's time-out of ten seconds. */

let site: TestApp;
let served: ServedApp;
let authority: TestAuthority;
/** A proxy that holds the data of the server until it is released. */
let line: Server;
let port: number;
let release: () => void;
const sockets: Socket[] = [];

beforeAll(async () => {
  site = await TestApp.make();
  authority = await TestAuthority.make();
  // No timer of the daemon expires: the time-out is that of Node.js.
  served = await new ServedApp(site, {
    tls: await authority.sign("127.0.0.1"),
    clock: new ManualClock(),
  }).start();
  line = createServer((near) => {
    const far = connectTcp(served.server.address.port, "127.0.0.1");
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far);
    release = () => void far.pipe(near);
  });
  port = await listen(line);
});
afterAll(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await close(line);
  await served.stop();
  await site.close();
  authority.remove();
});

/** Signs in over the proxy. @returns all that the server answers, once the connection has ended */
function signIn(): Promise<string> {
  const client = connect({ port, host: "127.0.0.1", ca: authority.ca });
  sockets.push(client);
  let answer = "";
  client.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  client.on("error", () => {});
  const body = JSON.stringify({ email: "site@test.example", password: "correct horse" });
  client.write(
    `POST /auth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return new Promise((resolve) => {
    client.once("close", () => resolve(answer));
    client.once("end", () => resolve(answer));
  });
}

test("a handshake that is released in time lets the sign-in through", async () => {
  const answer = signIn();
  await eventually("the connection", () => served.server.use.open === 1);
  release();
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
  await eventually("its end", () => served.server.use.open === 0);
});

test("a TLS handshake that exceeds its time-out closes the connection, and a sign-in gets no false response", async () => {
  const answer = signIn();
  await eventually("the connection", () => served.server.use.open === 1);
  await eventually("its end at the server", () => served.server.use.open === 0);
  release();
  expect(await answer).toBe("");
});
