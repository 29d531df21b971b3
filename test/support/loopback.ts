import { createServer, type AddressInfo, type Server } from "node:net";

/**
 * Has a server listen on the loopback.
 * @param port by default one that is free
 * @returns its port
 */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Takes no more connections, and waits until those that it has are gone. */
export async function close(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

/** A TCP port of the loopback that nobody had a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await close(server);
  return port;
}
