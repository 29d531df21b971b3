import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { NO_OWN_ADDRESS, OWN_ADDRESS } from "../support/own-address.ts";
import { testUnless } from "../support/required-programs.ts";

/* Configured connection limits of the network API, and of the connections that wait for it. */

const ALTOGETHER = 40;
const PER_ADDRESS = 10;

const installation = Installation.temporary(afterAll);
const sockets: Socket[] = [];
let port: number;
beforeAll(async () => {
  const limits = `connectionsMax: ${ALTOGETHER}, connectionsPerAddressMax: ${PER_ADDRESS}`;
  const daemon = installation.daemon(
    "site",
    `http: { port: 0, ${limits} }\nmqtt: off\ngpio: { backend: simulated }\n`,
  );
  port = (await daemon.start()).httpPort;
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
});

/** Opens connections and waits until each has a response or is closed. @returns the open ones */
async function opened(count: number, localAddress: string): Promise<Socket[]> {
  const answered = new Set<Socket>();
  const all = Array.from({ length: count }, () => connect({ port, host: "127.0.0.1", localAddress }));
  sockets.push(...all);
  for (const socket of all) {
    socket.on("error", () => {});
    socket.on("data", () => void answered.add(socket));
    socket.write("GET /interventii HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  await eventually("an answer or an end of each", () =>
    all.every((socket) => answered.has(socket) || socket.closed),
  );
  return all.filter((socket) => !socket.closed);
}

testUnless(
  NO_OWN_ADDRESS,
  "one network address gets at most the configured number of connections (requires a network address)",
  async () => {
    const open = await opened(3 * PER_ADDRESS, OWN_ADDRESS);
    // One that has its response may be closed for another only then.
    await eventually(
      "the rest to be closed",
      () => open.filter(({ closed }) => !closed).length === PER_ADDRESS,
    );
    for (const socket of sockets.splice(0)) socket.destroy();
    // A client may open another connection after closing one.
    await eventually("room again", async () => (await opened(1, OWN_ADDRESS)).length === 1);
  },
  { isRequired: false },
);

test("all addresses together get at most the configured number of connections", async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (let address = 2; address < 6; address += 1) await opened(25, `127.0.0.${address}`);
  await eventually(
    "the rest to be closed",
    () => sockets.filter(({ closed }) => !closed).length === ALTOGETHER,
  );
});

test("a thousand sites that connect while the centre is busy are connected, and each gets its answer", async () => {
  const sites = 1_000;
  const centre = installation.centre("centre", `http: { port: 0, connectionsMax: ${sites + 10} }\n`);
  const { httpPort } = await centre.start();
  process.kill(centre.pid ?? 0, "SIGSTOP");
  const waiting = Array.from({ length: sites }, () => connect({ port: httpPort, host: "127.0.0.1" }));
  sockets.push(...waiting);
  const [connected, answered] = [new Set<Socket>(), new Set<Socket>()];
  for (const socket of waiting) {
    socket.on("connect", () => void connected.add(socket)).on("data", () => void answered.add(socket));
    socket.write("GET /site/setup HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  try {
    await eventually("all to be connected", () => connected.size === sites);
  } finally {
    process.kill(centre.pid ?? 0, "SIGCONT");
  }
  await eventually("an answer to each", () => answered.size === sites);
});
