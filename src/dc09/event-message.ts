import { encrypted, keyedBytes, paddingFor } from "./cipher.ts";
import { frameOf } from "./frame-reader.ts";
import { timeText } from "./message.ts";

/** Who sends a message, and with which key. */
export interface MessageSender {
  /** Three to sixteen hexadecimal digits in capitals. */
  readonly account: string;
  /** Receiver number, one to six hexadecimal digits; null to send none. */
  readonly receiver: string | null;
  /** Account prefix (line), one to six hexadecimal digits. */
  readonly line: string;
  /** 16, 24 or 32 bytes; null to send plain messages. */
  readonly key: Buffer | null;
}

/** The content of a message. */
export interface OutgoingMessage {
  readonly token: "ADM-CID" | "SIA-DCS" | "NULL";
  /** The event data without the account; empty for a supervision message (`NULL`). */
  readonly data: string;
  /** 1 to 9999; 0 for a supervision message. */
  readonly sequence: number;
  /** When the event occurred, milliseconds since 1970; null if that is not known. */
  readonly occurredMs: number | null;
}

/** A supervision message. */
export const SUPERVISION = { token: "NULL", data: "", sequence: 0, occurredMs: null } as const;

/**
 * Writes a message as a frame of the standard's form. The same arguments give the same bytes.
 * @param stampMs time of the message, milliseconds since 1970
 */
export function messageFrame(
  { account, receiver, line, key }: MessageSender,
  { token, data, sequence, occurredMs }: OutgoingMessage,
  stampMs: number,
): Buffer {
  const content = token === "NULL" ? "" : `#${account}|${data}`;
  const isOld = occurredMs !== null && stampMs - occurredMs > OCCURRED_BEFORE_MS;
  const occurred = isOld ? `[H${timeText(occurredMs).slice(1)}]` : "";
  const tail = `${content}]${occurred}${timeText(stampMs)}`;
  const receiverText = receiver === null ? "" : `R${receiver}`;
  const head = `"${key ? "*" : ""}${token}"${sequenceText(sequence)}${receiverText}L${line}#${account}[`;
  if (!key) return frameOf(Buffer.from(head + tail));
  // The bar ends the padding, and is there without padding too.
  const padded = `${paddingFor(Buffer.byteLength(tail) + 1, keyedBytes(head + tail, key))}|${tail}`;
  return frameOf(Buffer.from(head + encrypted(Buffer.from(padded), key)));
}

/** An event that is older than this has its own time in the message, in the extended data block `H` (time of occurrence). */
const OCCURRED_BEFORE_MS = 30_000;

/** A sequence number as a message has it: four digits. */
export function sequenceText(sequence: number): string {
  return String(sequence).padStart(4, "0");
}
