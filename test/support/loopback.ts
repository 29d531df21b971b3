import { randomInt } from "node:crypto";
import { createServer, type AddressInfo, type Server } from "node:net";

/** Binds a server to the loopback. @param port a free one by default @returns its port */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Accepts no more connections, and waits until the open ones are closed. */
export async function close(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

/** The system gives ports from 32768 on to servers and connections that name none (ip_local_port_range). */
const PORTS_BEGIN = 15_000;
const PORTS_END = 32_000;
/** Given by this process; no port is given twice. */
const given = new Set<number>();

/**
 * A free TCP port of the loopback, below those that the system gives away: where nothing is started at it, connections to it are
 * refused as long as the test runs.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS_BEGIN, PORTS_END);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (isListening) await close(server);
  return isListening;
}
