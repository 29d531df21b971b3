import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../domain/client-network.ts";
import { accountOf } from "./auth-guards.ts";

/** Maximum pending responses on one connection: real clients do not pipeline more, and a response may have 16 MB. */
const PIPELINED_REQUESTS_MAX = 4;
/** Maximum bytes that wait for slow clients; beyond it, connections of the one with the most are ended. */
const UNSENT_BYTES_MAX = 48 * 1024 * 1024;
/** The bytes are counted again after at least so many further ones: counting all for each response is quadratic. */
const COUNTED_AGAIN_BYTES = UNSENT_BYTES_MAX / 32;

/** What waits for a client. */
interface Unsent {
  readonly socket: Socket;
  /** The account of the request; before a sign-in the network. */
  readonly client: number | string;
  readonly bytes: number;
}

/**
 * The responses that are not sent yet. A client that reads slowly uses memory; others are served all the same: when too much
 * waits, the connection with the most ends of the account with the most.
 */
export class PendingResponses {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  /** Number of bytes that wait at most; exact when they have just been counted. */
  #bytesAtMost = 0;
  #countedAgainAt = UNSENT_BYTES_MAX;
  #ended = 0;

  /** Number of connections ended for want of memory since the start. */
  get ended(): number {
    return this.#ended;
  }

  /**
   * Adds the response to a request that has arrived.
   * @returns false if too many are pending on its connection
   */
  add(response: ServerResponse): boolean {
    const { socket } = response.req;
    const onSocket = this.#bySocket.get(socket) ?? new Set();
    if (onSocket.size >= PIPELINED_REQUESTS_MAX) return false;
    this.#bySocket.set(socket, onSocket.add(response));
    const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
    // Node.js keeps what the client has not read yet, without an event.
    response.end = ((...given: unknown[]) => {
      end(...given);
      this.#note(response.writableLength);
      return response;
    }) as typeof response.end;
    return true;
  }

  /** Removes one that is sent, or whose connection is closed. */
  remove(response: ServerResponse): void {
    const { socket } = response.req;
    const onSocket = this.#bySocket.get(socket);
    onSocket?.delete(response);
    // Those behind it are no longer sent, and Node.js does not close them.
    if (onSocket?.size === 0 || socket.destroyed) this.#bySocket.delete(socket);
  }

  /** Ends connections if too much waits with these bytes more. */
  #note(bytes: number): void {
    this.#bytesAtMost += bytes;
    if (this.#bytesAtMost <= this.#countedAgainAt) return;
    let waiting = this.#unsent();
    while (sumOf(waiting) > UNSENT_BYTES_MAX) {
      const { socket } = largestOfLargestClient(waiting);
      this.#ended += 1;
      this.#bySocket.delete(socket);
      socket.destroy();
      waiting = waiting.filter((one) => one.socket !== socket);
    }
    this.#bytesAtMost = sumOf(waiting);
    this.#countedAgainAt = Math.max(UNSENT_BYTES_MAX, this.#bytesAtMost + COUNTED_AGAIN_BYTES);
  }

  #unsent(): Unsent[] {
    return [...this.#bySocket].flatMap(([socket, responses]) => {
      const network = networkOf(socket.remoteAddress ?? "");
      // Of the socket for the first response; those behind it wait in Node.js.
      return [...responses].map(({ req, writableLength }) => ({
        socket,
        client: accountOf(req) ?? network,
        bytes: writableLength,
      }));
    });
  }
}

function sumOf(waiting: readonly Unsent[]): number {
  return waiting.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @param waiting not empty */
function largestOfLargestClient(waiting: readonly Unsent[]): Unsent {
  const byClient = new Map<Unsent["client"], Unsent[]>();
  for (const one of waiting) {
    const others = byClient.get(one.client);
    if (others) others.push(one);
    else byClient.set(one.client, [one]);
  }
  const largest = [...byClient.values()].reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));
  return largest.reduce((one, other) => (other.bytes > one.bytes ? other : one));
}
