import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, Installation } from "../support/installation.ts";
import { NO_IPV6 } from "../support/own-address.ts";
import { testUnless } from "../support/required-programs.ts";

/** The fewest connections that a configuration can allow. */
const CONNECTIONS = 16;

const installation = new Installation();
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await installation.remove();
});

function open(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => "the daemon may reset it");
  sockets.push(socket);
  return socket;
}

async function answer(socket: Socket, request: string): Promise<string> {
  if (socket.closed) return "closed";
  const closed = once(socket, "close").then(() => "closed");
  socket.write(request);
  const data = once(socket, "data").then(([chunk]) => (chunk as Buffer).toString().slice(0, 12));
  return Promise.race([data, closed]);
}

testUnless(
  NO_IPV6,
  "after a restart, strangers do not displace a user at an address that has signed in before",
  async () => {
    const user = "127.0.0.2";
    const daemon = installation.daemon(
      "site",
      `site: { ref: site }
http: { host: "::", port: 0, tls: off, connectionsMax: ${CONNECTIONS}, connectionsPerAddressMax: ${CONNECTIONS} }
mqtt: off
gpio: { backend: simulated }
`,
    );
    await daemon.addAccount(EDGE, "operator");
    const before = await daemon.start();
    const body = JSON.stringify(EDGE);
    const head = `POST /auth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    expect(await answer(open(before.httpPort, user), `${head}\r\n\r\n${body}`)).toBe("HTTP/1.1 200");
    await daemon.end("SIGKILL");
    // Without IPv6, the same address has another text form.
    const { httpPort } = await daemon.start({ ...process.env, SANTINELA_HTTP__HOST: "0.0.0.0" });
    const control = new ControlClient(join(installation.folder, "site"));
    const replaced = async (): Promise<number> =>
      Number(/^santinela_http_connections_replaced_total (\d+)$/m.exec(await control.text("/metrics"))?.[1]);
    // It sends nothing yet, and is the oldest.
    const idle = open(httpPort, user);
    await once(idle, "connect");
    for (let stranger = 0; stranger < CONNECTIONS + 3; stranger += 1) open(httpPort, "127.0.0.1");
    await eventually("strangers to replace each other", async () => (await replaced()) >= 4);
    expect(await answer(idle, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")).toMatch(/^HTTP\/1\.1/);
  },
  { isRequired: false },
);
