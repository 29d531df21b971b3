import { createCipheriv, createDecipheriv } from "node:crypto";
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { wire } from "./alarm-panel.ts";

/*
 * A monitoring receiver as the standard describes it, independent of the daemon's own reading and writing of frames: it takes
 * each frame apart byte by byte, and computes the checksum bit by bit.
 */

export interface MonitoringReceiverOptions {
  readonly account: string;
  readonly transport?: "tcp" | "udp";
  /** Hexadecimal digits; without it only plain messages are accepted. */
  readonly key?: string | undefined;
  /** The receiver's time, milliseconds since 1970. */
  readonly wallMs: () => number;
}

/** A message as it arrived. */
export interface ReceivedMessage {
  readonly bytes: Buffer;
  readonly isEncrypted: boolean;
  readonly token: string;
  readonly sequence: string;
  /** What is between the account and the bracket in the data. */
  readonly data: string;
  /** Extended data blocks. */
  readonly extended: readonly string[];
  /** `HH:MM:SS,MM-DD-YYYY`. */
  readonly time: string;
}

/** What the receiver does with a message: `cut` closes the connection without a reply, `lost` accepts it and loses the ACK. */
export type Behaviour = "ack" | "duh" | "nak" | "silent" | "cut" | "lost" | Buffer;

const NO_VECTOR = Buffer.alloc(16);

/** Checks, remembers and acknowledges the messages of one account. */
export class MonitoringReceiver {
  readonly #options: MonitoringReceiverOptions;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #udp: UdpSocket | undefined;
  #port = 0;
  /** Messages with a right frame, repetitions included. */
  readonly messages: ReceivedMessage[] = [];
  /** Distinct events that were accepted, in order: those with another sequence or data than the one before it. */
  readonly events: string[] = [];
  /** Why frames were not accepted. */
  readonly complaints: string[] = [];
  /** Called with each right message; by default it is acknowledged. */
  behaviour: (message: ReceivedMessage) => Behaviour = () => "ack";

  constructor(options: MonitoringReceiverOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, at the same port as before. */
  async start(): Promise<void> {
    if (this.#options.transport === "udp") {
      const udp = createSocket("udp4");
      this.#udp = udp;
      udp.on("message", (bytes, { port, address }) =>
        this.#take(
          bytes,
          (reply) => {
            udp.send(reply, port, address);
          },
          () => {},
        ),
      );
      await new Promise<void>((resolve) => udp.bind(this.#port, "127.0.0.1", resolve));
      this.#port = udp.address().port;
      return;
    }
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      let pending = Buffer.alloc(0);
      socket.on("data", (bytes) => {
        pending = Buffer.concat([pending, bytes]);
        if (pending.at(-1) !== 0x0d) return;
        const frame = pending;
        pending = Buffer.alloc(0);
        this.#take(
          frame,
          (reply) => void socket.write(reply),
          () => socket.destroy(),
        );
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Ends all connections, and listens no longer. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const [udp, server] = [this.#udp, this.#server];
    [this.#udp, this.#server] = [undefined, undefined];
    await new Promise<void>((resolve) => {
      if (udp) udp.close(resolve);
      else if (server) server.close(() => resolve());
      else resolve();
    });
  }

  /** Messages that are events, repetitions included. */
  get sent(): readonly ReceivedMessage[] {
    return this.messages.filter(({ token }) => token !== "NULL");
  }

  #take(bytes: Buffer, reply: (bytes: Buffer) => void, cut: () => void): void {
    const message = this.#read(bytes);
    if (typeof message === "string") {
      this.complaints.push(message);
      return;
    }
    this.messages.push(message);
    const behaviour = this.behaviour(message);
    if (behaviour === "ack" || behaviour === "lost") this.#accept(message);
    if (behaviour === "cut" || behaviour === "lost") cut();
    if (behaviour === "ack") reply(this.#ack(message));
    if (behaviour === "duh") reply(wire(`"DUH"${message.sequence}L0#${this.#options.account}[]`));
    if (behaviour === "nak") reply(wire(`"NAK"0000R0L0A0[]_${timeOf(this.#options.wallMs())}`));
    if (Buffer.isBuffer(behaviour)) reply(behaviour);
  }

  #accept({ token, sequence, data }: ReceivedMessage): void {
    const event = `${sequence} ${data}`;
    if (token !== "NULL" && this.events.at(-1) !== event) this.events.push(event);
  }

  /** @returns a complaint for anything that the standard does not allow */
  #read(bytes: Buffer): ReceivedMessage | string {
    const text = bytes.toString("latin1");
    if (bytes[0] !== 0x0a || bytes.at(-1) !== 0x0d) return "no LF or CR";
    const body = bytes.subarray(9, -1);
    if (wire(body.toString("utf8")).compare(bytes) !== 0) return "checksum or length is wrong";
    const [whole, asterisk, token = "", sequence = "", account = ""] =
      /^"(\*?)([A-Z-]+)"(\d{4})(?:R[0-9A-F]{1,6})?L[0-9A-F]{1,6}#([0-9A-F]{3,16})\[/.exec(text.slice(9)) ??
      [];
    if (whole === undefined) return `no head: ${text}`;
    if (account !== this.#options.account) return `account ${account}`;
    const isEncrypted = asterisk === "*";
    const rest = text.slice(9 + whole.length, -1);
    if (isEncrypted !== (this.#options.key !== undefined))
      return "plain instead of encrypted, or the reverse";
    const content = isEncrypted ? this.#decrypt(rest) : rest;
    const [, data = "", extended = "", time = ""] =
      /^([^\]]*)\]((?:\[[^\]]*\])*)_(\d\d:\d\d:\d\d,\d\d-\d\d-\d{4})$/.exec(content ?? "") ?? [];
    if (time === "") return `unreadable content: ${content}`;
    if (token !== "NULL" && !data.startsWith(`#${account}|`)) return `no account in ${data}`;
    return {
      bytes,
      isEncrypted,
      token,
      sequence,
      data: data.slice(data.indexOf("|") + 1),
      extended: extended
        .split("]")
        .filter(Boolean)
        .map((block) => block.slice(1)),
      time,
    };
  }

  /** The content after padding and bar. Whole blocks are padded with another one (DC-09, 5.4.4.3). */
  #decrypt(digits: string): string | undefined {
    const key = Buffer.from(this.#options.key ?? "", "hex");
    if (!/^([0-9A-F]{32})+$/.test(digits)) return undefined;
    const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, NO_VECTOR).setAutoPadding(false);
    const content = Buffer.concat([decipher.update(digits, "hex"), decipher.final()]).toString("latin1");
    const bar = content.indexOf("|");
    return bar < 1 || bar > 16 || /[[\]#]/.test(content.slice(0, bar)) ? undefined : content.slice(bar + 1);
  }

  #ack({ sequence }: ReceivedMessage): Buffer {
    const { account, key } = this.#options;
    if (key === undefined) return wire(`"ACK"${sequence}L0#${account}[]`);
    return wire(`"*ACK"${sequence}L0#${account}[${encryptedTail(key, this.#options.wallMs())}`);
  }
}

/** The content of an encrypted ACK. */
export function encryptedTail(key: string, wallMs: number): string {
  const tail = `|]_${timeOf(wallMs)}`;
  const content = "k".repeat((16 - (tail.length % 16)) % 16) + tail;
  const bytes = Buffer.from(key, "hex");
  const cipher = createCipheriv(`aes-${bytes.length * 8}-cbc`, bytes, NO_VECTOR).setAutoPadding(false);
  return Buffer.concat([cipher.update(content), cipher.final()])
    .toString("hex")
    .toUpperCase();
}

/** A time as messages have it, in UTC. */
export function timeOf(wallMs: number): string {
  const [date = "", time = ""] = new Date(wallMs).toISOString().split("T");
  const [year, month, day] = date.split("-");
  return `${time.slice(0, 8)},${month}-${day}-${year}`;
}
