import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { AppError } from "../domain/errors.ts";

/** Listening address of a TCP server. */
interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** File descriptor of a listening socket from systemd; undefined to open one. */
  readonly descriptor: number | undefined;
  /**
   * Connections that may wait until the process takes them, at most net.core.somaxconn of the kernel. A city's sites connect at
   * once after a power cut: the 511 of Node.js overflow while the process is busy, and the kernel resets connections later that
   * their clients take for open.
   */
  readonly waitingMax: number;
}

/**
 * Starts listening.
 * @throws AppError `configuration` if the socket from systemd has another address; otherwise the system's error
 */
export async function listenAt(
  server: Server | TlsServer,
  { host, port, descriptor, waitingMax: backlog }: ListenAddress,
): Promise<void> {
  if (descriptor === undefined) return listening(server, () => server.listen({ port, host, backlog }));
  await listening(server, () => server.listen({ fd: descriptor, backlog }));
  // The configured address must match: the security checks apply to the configuration.
  const actual = addressOf(server);
  if (actual.port === port && isSame(actual.host, host)) return;
  await closed(server);
  throw new AppError(
    "configuration",
    `the socket from systemd listens on ${actual.host} port ${actual.port}, but http is set to ${host} port ${port}`,
    {
      hint: "Set ListenStream= of santinela.socket (systemctl edit) to http.host and http.port.",
    },
  );
}

function isSame(address: string, host: string): boolean {
  return address === host || (host === "localhost" && (address === "127.0.0.1" || address === "::1"));
}

/** Waits until the server listens. @throws the system's error */
export function listening(server: Server | TlsServer, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onListening = (): void => {
      server.off("error", onError);
      resolve();
    };
    const onError = (error: Error): void => {
      server.off("listening", onListening);
      reject(error);
    };
    server.once("listening", onListening);
    server.once("error", onError);
    listen();
  });
}

/** Closes the server and waits for its open connections. */
export function closed(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** The address of a listening server. */
export function addressOf(server: Server | TlsServer): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** Converts a system error of an address to an AppError with a remedy. */
export function addressError(
  { host, port }: Pick<ListenAddress, "host" | "port">,
  cause: NodeJS.ErrnoException,
): AppError {
  if (cause instanceof AppError) return cause;
  if (cause.code === "EADDRINUSE")
    return new AppError("busy", `port ${port} of ${host} is in use by another program`, {
      hint: "Stop that program or set http.port to another port, in the configuration or with SANTINELA_HTTP__PORT.",
      cause,
    });
  if (cause.code === "EACCES")
    return new AppError(
      "configuration",
      `this user may not open port ${port} of ${host}: let systemd open it with santinela.socket, or set http.port to 1024 or more`,
      { cause },
    );
  return new AppError("configuration", `cannot listen on ${host} port ${port}: ${cause.message}`, {
    hint: "Set http.host to an address of this machine and http.port to a free port.",
    cause,
  });
}
