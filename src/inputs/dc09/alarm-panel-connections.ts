import type { Socket } from "node:net";
import type { Clock } from "../../domain/clock.ts";
import { FrameReader, type FrameRead } from "../../dc09/frame-reader.ts";
import type { IntakeResult } from "./alarm-panel-intake.ts";

interface AlarmPanelConnectionsOptions {
  readonly clock: Clock;
  readonly take: (read: FrameRead, address: string) => Promise<IntakeResult>;
  /** Called when a connection is closed because all are in use. */
  readonly onFull: (address: string) => void;
}

/** Open connections; an installation has up to 200 panels, most of which connect for each message. */
const CONNECTIONS_MAX = 256;
/** A connection without an accepted message is closed after this time; a panel sends at once. */
const UNPROVEN_MS = 15_000;
/** A connection is closed this long after its last accepted message; panels that stay connected poll more often. */
const IDLE_MS = 900_000;
/** Rejected messages after which a connection is closed, and the rest of a datagram is dropped. */
export const REJECTED_MAX = 8;
/** Messages that are processed at once on one connection; then it is not read. */
const PENDING_MAX = 16;
/** Bytes without an accepted message after which a connection is closed; a panel's memory has a few hundred messages. */
const UNACCEPTED_BYTES_MAX = 262_144;
/** Interval of the check for idle connections while there are any. */
const SWEEP_MS = 1_000;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly reader: FrameReader;
  /** Monotonic time of the last accepted message; of the connection before the first. */
  activeMs: number;
  isProven: boolean;
  rejected: number;
  /** Received since the last accepted message. */
  bytes: number;
  pending: number;
  /** Resolves when all messages so far are answered. */
  last: Promise<void>;
}

/** TCP connections of alarm panels, each with its messages in order. */
export class AlarmPanelConnections {
  readonly #options: AlarmPanelConnectionsOptions;
  /** In the order of their beginning. */
  readonly #open = new Set<Connection>();
  /** Connections without an accepted message, by address. */
  readonly #unproven = new Map<string, number>();
  #cancelSweep: (() => void) | undefined;

  constructor(options: AlarmPanelConnectionsOptions) {
    this.#options = options;
  }

  /** Reads a new connection. When all are in use, another one is closed for it. */
  accept(socket: Socket): void {
    const connection: Connection = {
      socket,
      address: socket.remoteAddress ?? "",
      reader: new FrameReader(),
      activeMs: this.#options.clock.monotonicMs(),
      isProven: false,
      rejected: 0,
      bytes: 0,
      pending: 0,
      last: Promise.resolve(),
    };
    if (this.#open.size >= CONNECTIONS_MAX) this.#makeRoom();
    this.#open.add(connection);
    this.#countUnproven(connection.address, 1);
    socket.on("data", (bytes) => this.#read(connection, bytes));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#forget(connection));
    // A panel may close its side and wait for the reply.
    socket.on("end", () => void connection.last.then(() => socket.end()));
    this.#cancelSweep ??= this.#options.clock.after(SWEEP_MS, () => this.#sweep());
  }

  stop(): void {
    this.#cancelSweep?.();
    for (const { socket } of this.#open) socket.destroy();
  }

  #read(connection: Connection, bytes: Uint8Array): void {
    connection.bytes += bytes.length;
    if (connection.bytes > UNACCEPTED_BYTES_MAX) {
      connection.socket.destroy();
      return;
    }
    for (const read of connection.reader.push(bytes)) {
      connection.pending += 1;
      connection.last = connection.last.then(() => this.#answer(connection, read));
    }
    if (connection.pending >= PENDING_MAX) connection.socket.pause();
  }

  async #answer(connection: Connection, read: FrameRead): Promise<void> {
    const { socket, address } = connection;
    if (!socket.destroyed || socket.writable) {
      const { isProof, isRejected, reply } = await this.#options.take(read, address);
      if (isProof) {
        if (!connection.isProven && this.#open.has(connection)) this.#countUnproven(address, -1);
        connection.isProven = true;
        connection.rejected = 0;
        connection.bytes = 0;
        connection.activeMs = this.#options.clock.monotonicMs();
      } else if (isRejected) connection.rejected += 1;
      if (reply && !socket.destroyed) socket.write(reply);
      if (connection.rejected >= REJECTED_MAX) socket.destroy();
    }
    connection.pending -= 1;
    if (connection.pending < PENDING_MAX && !socket.destroyed) socket.resume();
  }

  /**
   * Closes the oldest connection without an accepted message, of the address with the most of them. Cheap, because
   * there can be hundreds of connections a second: the set is in the order of their beginning.
   */
  #makeRoom(): void {
    const most = Math.max(0, ...this.#unproven.values());
    let closed: Connection | undefined;
    for (const connection of this.#open) {
      const isChosen = !connection.isProven && this.#unproven.get(connection.address) === most;
      if (isChosen || closed === undefined || (most === 0 && connection.activeMs < closed.activeMs))
        closed = connection;
      if (isChosen) break;
    }
    if (!closed) return;
    this.#options.onFull(closed.address);
    this.#forget(closed);
    closed.socket.destroy();
  }

  #forget(connection: Connection): void {
    if (this.#open.delete(connection) && !connection.isProven) this.#countUnproven(connection.address, -1);
  }

  #countUnproven(address: string, change: 1 | -1): void {
    const count = (this.#unproven.get(address) ?? 0) + change;
    if (count > 0) this.#unproven.set(address, count);
    else this.#unproven.delete(address);
  }

  #sweep(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const { socket, isProven, activeMs } of this.#open)
      if (nowMs - activeMs >= (isProven ? IDLE_MS : UNPROVEN_MS)) socket.destroy();
    this.#cancelSweep =
      this.#open.size > 0 ? this.#options.clock.after(SWEEP_MS, () => this.#sweep()) : undefined;
  }
}
