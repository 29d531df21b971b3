import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { AppError } from "../domain/errors.ts";

/** Where a TCP server is to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** A socket that listens there already and that somebody else keeps over our restarts; undefined to make one. */
  readonly descriptor: number | undefined;
}

/**
 * Listens at a place.
 * @throws AppError `configuration` when the handed-over socket listens elsewhere, whatever the system threw otherwise
 */
export async function listenAt(
  server: Server | TlsServer,
  { host, port, descriptor }: ListenAddress,
): Promise<void> {
  if (descriptor === undefined) return listening(server, () => server.listen(port, host));
  await listening(server, () => server.listen({ fd: descriptor }));
  // What may be reached from where is for the configuration to say, which has been checked for it.
  const actual = addressOf(server);
  if (actual.port === port && isSame(actual.host, host)) return;
  await closed(server);
  throw new AppError(
    "configuration",
    `the socket that systemd hands over listens on ${actual.host} port ${actual.port}, http says ${host} port ${port}`,
    {
      hint: "Make ListenStream= of santinela.socket (systemctl edit) the same as http.host and http.port.",
    },
  );
}

function isSame(address: string, host: string): boolean {
  return address === host || (host === "localhost" && (address === "127.0.0.1" || address === "::1"));
}

/** @throws whatever the system threw */
export function listening(server: Server | TlsServer, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      resolve();
    });
    listen();
  });
}

/** Takes no more connections and waits for those that are there. */
export function closed(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Where a listening server is reached. */
export function addressOf(server: Server | TlsServer): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

/** The system's refusal of an address as a sentence with the remedy; what is one already stays. */
export function addressError({ host, port }: ListenAddress, cause: NodeJS.ErrnoException): AppError {
  if (cause instanceof AppError) return cause;
  if (cause.code === "EADDRINUSE")
    return new AppError("busy", `port ${port} of ${host} is taken by another program`, {
      hint: "End that program or set http.port to another port.",
      cause,
    });
  return new AppError("configuration", `cannot listen on ${host} port ${port}: ${cause.message}`, {
    hint: "Set http.host to an address of this machine and http.port to a port that this user may use.",
    cause,
  });
}
