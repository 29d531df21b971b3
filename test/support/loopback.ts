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

/** A free TCP port of the loopback. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await close(server);
  return port;
}
