import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Timeout of idle connections; event streams send a keep-alive every 15 s. */
export const IDLE_TIMEOUT_MS = 45_000;

/** Operations on whole databases take minutes on a slow SD card, without traffic to the client. */
const LONG_RESPONSE_TIMEOUT_MS = 600_000;

/** Raises the idle timeout for one slow response. */
export function disableIdleTimeout(response: ServerResponse): void {
  response.setTimeout(LONG_RESPONSE_TIMEOUT_MS);
}

/** Restores the idle timeout once the response is ready to be sent. */
export function restoreIdleTimeout(response: ServerResponse): void {
  response.setTimeout(IDLE_TIMEOUT_MS);
}

/** A list may wait for others, twenty seconds for those of its account and thirty for a thread, and then take thirty. */
const SLOW_LIST_TIMEOUT_MS = 90_000;
/** Connections with slow lists in progress, which may be several, with the timeout that they have otherwise. */
const slowLists = new WeakMap<Socket, { lists: number; readonly usualMs: number | undefined }>();

/** Keeps the connection of a request open until its list has been read. The time for sending it is as for any response. */
export async function whileListIsRead<T>({ socket }: IncomingMessage, list: Promise<T>): Promise<T> {
  const slow = slowLists.get(socket) ?? { lists: 0, usualMs: socket.timeout };
  slowLists.set(socket, slow);
  slow.lists += 1;
  socket.setTimeout(SLOW_LIST_TIMEOUT_MS);
  try {
    return await list;
  } finally {
    slow.lists -= 1;
    if (slow.lists === 0) {
      slowLists.delete(socket);
      socket.setTimeout(slow.usualMs ?? IDLE_TIMEOUT_MS);
    }
  }
}

/**
 * How long the connection of a site is kept for its next report. A new one costs a TLS handshake of several kB, more than the
 * report; providers close idle connections after some minutes.
 */
const REPORT_IDLE_MS = 180_000;
/** Connections that wait for the next report. */
const waitingForReport = new WeakSet<object>();

/** Keeps the connection of a response open for the next report of its site. To be called before the response is sent. */
export function keepForNextReport(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  response.once("finish", () => {
    // After the server's own handler, which sets the time for all other connections.
    socket.setTimeout(REPORT_IDLE_MS);
    waitingForReport.add(socket);
  });
}

/** Whether a connection only waits for the next report. */
export function waitsForReport(socket: Socket): boolean {
  return waitingForReport.has(socket);
}

/** Notes that a request has arrived on a connection. */
export function markRequestBegun(socket: Socket): void {
  waitingForReport.delete(socket);
}
