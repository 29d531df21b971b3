import { createCipheriv } from "node:crypto";
import { connect, type Socket } from "node:net";
import { isEncrypted, LOAD_ZONES, ALARM_PANEL_KEY } from "../contenders/alarm-panels.ts";

/** A frame that is not acknowledged by then is lost. */
const ANSWER_MS_MAX = 20_000;
const NO_VECTOR = Buffer.alloc(16);
/** CRC-16 with the polynomial 0xA001, reflected (SIA DC-09). */
const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc % 2 === 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

/** A panel on one connection that sends its next message once the last one is acknowledged. */
export class AlarmPanelConnection {
  readonly #account: string;
  readonly #socket: Socket;
  #sequence = 0;
  #turn = 0;
  #onAnswer: (isAcknowledged: boolean) => void = () => {};

  private constructor(account: string, socket: Socket) {
    this.#account = account;
    this.#socket = socket;
    socket.setEncoding("latin1");
    // A reply is short and alone: this panel waits for it.
    socket.on("data", (reply: string) => this.#onAnswer(/"\*?ACK"/.test(reply)));
    socket.on("close", () => this.#onAnswer(false));
    socket.on("error", () => this.#onAnswer(false));
  }

  static open(account: string, port: number): Promise<AlarmPanelConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () =>
        resolve(new AlarmPanelConnection(account, socket)),
      );
      socket.once("error", reject);
    });
  }

  /** Reports an alarm of a zone. @returns milliseconds to the acknowledgement; undefined without one */
  alarm(zone: number): Promise<number | undefined> {
    return this.#report("1120", zone);
  }

  /** Reports the next one of the alarms and restorals of all its zones, in turn: an alarm first. */
  async next(): Promise<Reported> {
    const turn = this.#turn;
    this.#turn += 1;
    const isAlarm = turn % 2 === 0;
    const ackMs = await this.#report(isAlarm ? "1120" : "3120", (Math.floor(turn / 2) % LOAD_ZONES) + 1);
    return { isAlarm, ackMs };
  }

  #report(code: EventCode, zone: number): Promise<number | undefined> {
    this.#sequence = (this.#sequence % 9_999) + 1;
    const frame = eventFrame(this.#account, this.#sequence, code, zone, new Date());
    const startMs = performance.now();
    return new Promise((resolve) => {
      const end = (isAcknowledged: boolean): void => {
        clearTimeout(limit);
        this.#onAnswer = () => {};
        resolve(isAcknowledged ? performance.now() - startMs : undefined);
      };
      const limit = setTimeout(() => end(false), ANSWER_MS_MAX);
      this.#onAnswer = end;
      if (this.#socket.destroyed) end(false);
      else this.#socket.write(frame);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** An alarm of a panic button, and its restoral. */
type EventCode = "1120" | "3120";

/** A message of the load. */
export interface Reported {
  readonly isAlarm: boolean;
  /** Undefined without an acknowledgement. */
  readonly ackMs: number | undefined;
}

/** A Contact ID event of a panic button as a frame, encrypted if the account is. */
export function eventFrame(
  account: string,
  sequence: number,
  code: EventCode,
  zone: number,
  time: Date,
): Buffer {
  const data = `#${account}|${code} 01 ${String(zone).padStart(3, "0")}`;
  const token = isEncrypted(account) ? "*ADM-CID" : "ADM-CID";
  const head = `"${token}"${String(sequence).padStart(4, "0")}L0#${account}[`;
  const content = `${data}]${stampOf(time)}`;
  return framed(head + (isEncrypted(account) ? encrypted(`|${content}`) : content));
}

/** A body with its checksum and length. */
export function framed(text: string): Buffer {
  const body = Buffer.from(text, "latin1");
  return Buffer.concat([Buffer.from(`\n${hex(crcOf(body))}${hex(body.length)}`), body, Buffer.from("\r")]);
}

/** Padding stands before the bar. */
function encrypted(tail: string): string {
  const cipher = createCipheriv("aes-128-cbc", Buffer.from(ALARM_PANEL_KEY, "hex"), NO_VECTOR).setAutoPadding(
    false,
  );
  const padded = "x".repeat((16 - (tail.length % 16)) % 16) + tail;
  return Buffer.concat([cipher.update(padded, "latin1"), cipher.final()])
    .toString("hex")
    .toUpperCase();
}

function crcOf(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return crc;
}

function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, "0");
}

/** `_HH:MM:SS,MM-DD-YYYY`, UTC. */
function stampOf(time: Date): string {
  const [date = "", clock = ""] = time.toISOString().split("T");
  const [year, month, day] = date.split("-");
  return `_${clock.slice(0, 8)},${month}-${day}-${year}`;
}
