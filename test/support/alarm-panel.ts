import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect, type Socket } from "node:net";

/*
 * A panel as the standard describes it, independent of the daemon's own reading and writing of frames: the checksum is
 * computed bit by bit, and replies are taken apart by their text.
 */

/**
 * How a panel's frames differ from the standard: checksum and length that include the CR (Eldes), a checksum of two raw
 * bytes (Trikdis, Lupusec), or a NUL after each frame.
 */
export type AlarmPanelDialect = "standard" | "covers-cr" | "raw-checksum" | "nul";

export interface AlarmPanelOptions {
  readonly account: string;
  /** Port of the receiver on 127.0.0.1. */
  readonly port: () => number;
  readonly transport?: "tcp" | "udp";
  /** Hexadecimal digits; without it messages are plain. */
  readonly key?: string;
  /** What ends each message instead of the time of `wallMs`. */
  readonly time?: string;
  /** Returns the panel's time; without it messages have none. */
  readonly wallMs?: (() => number) | undefined;
  /** Time without a reply after which the message is sent again, in milliseconds. */
  readonly replyWithinMs?: number;
  readonly dialect?: AlarmPanelDialect;
}

export interface AlarmPanelReply {
  readonly token: string;
  readonly sequence: string;
  /** The decrypted content of an encrypted reply, otherwise what is in the brackets and after them. */
  readonly content: string;
  /** As it was on the wire. */
  readonly bytes: Buffer;
}

const NO_VECTOR = Buffer.alloc(16);
/** LF, a raw checksum of two bytes, which may be CR and LF, and the length. */
const HEAD_BYTES_MIN = 7;
/** A refused connection fails at once; panels that try again without a pause would only take processor time. */
const REPEAT_AFTER_MS = 100;

/** An alarm panel that numbers its messages and repeats each until it is acknowledged. */
export class AlarmPanel {
  readonly #options: AlarmPanelOptions;
  #sequence = 0;
  /** How often a message was sent, repetitions included. */
  sent = 0;

  constructor(options: AlarmPanelOptions) {
    this.#options = options;
  }

  /** Writes a message. @param data for example `#1234|1130 01 004`; empty for a supervision message */
  frame(token: string, data: string, sequence: string): Buffer {
    const { account, key, wallMs, dialect, time = wallMs ? stamp(wallMs()) : "" } = this.#options;
    const head = `"${key ? "*" : ""}${token}"${sequence}L0#${account}[`;
    if (!key) return wire(`${head}${data}]${time}`, dialect);
    const tail = `|${data}]${time}`;
    const content = `${"x".repeat((16 - (Buffer.byteLength(tail) % 16)) % 16)}${tail}`;
    const cipher = createCipheriv(`aes-${key.length * 4}-cbc`, Buffer.from(key, "hex"), NO_VECTOR);
    cipher.setAutoPadding(false);
    return wire(
      head +
        Buffer.concat([cipher.update(content), cipher.final()])
          .toString("hex")
          .toUpperCase(),
      dialect,
    );
  }

  /** Number of the next message; the panel continues with 0001 after 9999. */
  nextSequence(): string {
    this.#sequence = (this.#sequence % 9_999) + 1;
    return String(this.#sequence).padStart(4, "0");
  }

  /** Sends a Contact ID event once, such as `1130 01 004`. @returns the reply; undefined for none */
  contactId(event: string, sequence = this.nextSequence()): Promise<AlarmPanelReply | undefined> {
    return this.send(this.frame("ADM-CID", `#${this.#options.account}|${event}`, sequence));
  }

  /** Sends a SIA event once, such as `Nri1/BA04`. */
  sia(data: string, sequence = this.nextSequence()): Promise<AlarmPanelReply | undefined> {
    return this.send(this.frame("SIA-DCS", `#${this.#options.account}|${data}`, sequence));
  }

  /** Sends a supervision message. */
  supervision(): Promise<AlarmPanelReply | undefined> {
    return this.send(this.frame("NULL", "", "0000"));
  }

  /** Sends an event with one sequence until it is acknowledged. @param isOver ends the attempts */
  async report(event: string, isOver: () => boolean = () => false): Promise<boolean> {
    const sequence = this.nextSequence();
    while (!isOver()) {
      const reply = await this.contactId(event, sequence).catch(() => undefined);
      if (reply?.token === "ACK" && reply.sequence === sequence) return true;
      await pause(REPEAT_AFTER_MS);
    }
    return false;
  }

  /** Sends any bytes. @returns the first reply; undefined if none arrives in time or the connection is closed */
  async send(bytes: Buffer): Promise<AlarmPanelReply | undefined> {
    this.sent += 1;
    const { transport = "tcp", replyWithinMs = 2_000, port } = this.#options;
    const read = transport === "tcp" ? overTcp : overUdp;
    const reply = await read(bytes, port(), replyWithinMs);
    return reply && this.#replyOf(reply);
  }

  #replyOf(bytes: Buffer): AlarmPanelReply {
    const { dialect } = this.#options;
    const body = bytes.toString("latin1", dialect === "raw-checksum" ? HEAD_BYTES_MIN : 9, bytes.length - 1);
    if (wire(body, dialect === "nul" ? "standard" : dialect).compare(bytes) !== 0)
      throw new Error(`not a frame: ${JSON.stringify(bytes.toString("latin1"))}`);
    const [, asterisk, token = "", sequence = "", rest = ""] =
      /^"(\*?)([A-Z]+)"(\d{4})[^[]*\[(.*)$/s.exec(body) ?? [];
    const { key } = this.#options;
    if (asterisk !== "*" || !key) return { token, sequence, content: rest, bytes };
    const decipher = createDecipheriv(`aes-${key.length * 4}-cbc`, Buffer.from(key, "hex"), NO_VECTOR);
    decipher.setAutoPadding(false);
    const content = Buffer.concat([decipher.update(rest, "hex"), decipher.final()]).toString("latin1");
    return { token, sequence, content, bytes };
  }
}

/** Writes a body as a frame. */
export function wire(body: string, dialect: AlarmPanelDialect = "standard"): Buffer {
  const bytes = Buffer.from(body, "utf8");
  const covered = dialect === "covers-cr" ? Buffer.concat([bytes, Buffer.from("\r")]) : bytes;
  let crc = 0;
  for (const byte of covered) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1)
      crc = crc % 2 === 1 ? Math.floor(crc / 2) ^ 0xa001 : Math.floor(crc / 2);
  }
  const hex = (value: number): string => value.toString(16).toUpperCase().padStart(4, "0");
  const checksum = dialect === "raw-checksum" ? Buffer.of(crc >> 8, crc % 256) : Buffer.from(hex(crc));
  const end = dialect === "nul" ? "\r\0" : "\r";
  return Buffer.concat([
    Buffer.from("\n"),
    checksum,
    Buffer.from(hex(covered.length)),
    bytes,
    Buffer.from(end),
  ]);
}

function stamp(wallMs: number): string {
  const time = new Date(wallMs);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(two).join(":");
  return `_${clock},${two(time.getUTCMonth() + 1)}-${two(time.getUTCDate())}-${time.getUTCFullYear()}`;
}

function overTcp(bytes: Buffer, port: number, withinMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    const parts: Buffer[] = [];
    socket.setTimeout(withinMs, () => socket.destroy());
    socket.on("error", reject);
    socket.on("close", () => resolve(undefined));
    socket.on("data", (part) => {
      parts.push(part);
      const all = Buffer.concat(parts);
      const end = all.indexOf("\r\n", HEAD_BYTES_MIN) + 1 || all.length;
      if (all[end - 1] !== 0x0d) return;
      resolve(all.subarray(0, end));
      socket.destroy();
    });
  });
}

function overUdp(bytes: Buffer, port: number, withinMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    const end = (reply: Buffer | undefined): void => {
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    };
    const timer = setTimeout(() => end(undefined), withinMs);
    socket.once("message", end);
    socket.send(bytes, port, "127.0.0.1");
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A key for AES. @param bytes 16, 24 or 32 */
export function newAlarmPanelKey(bytes: 16 | 24 | 32): string {
  return randomBytes(bytes).toString("hex").toUpperCase();
}
