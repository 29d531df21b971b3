import { encrypted, paddingFor } from "./cipher.ts";
import { frameOf, type Dialect } from "./frame-reader.ts";
import { timeText, type MessageHead } from "./message.ts";

/** What a reply answers. */
export interface Answered {
  readonly head: Pick<MessageHead, "isEncrypted" | "sequence" | "receiver" | "line" | "accountText">;
  readonly dialect: Dialect;
}

/**
 * The positive reply (DC-09, 5.5.3.1): with the sequence, receiver, prefix and account as the panel sent them; encrypted,
 * with a time, if the message was.
 * @param key of the account; only used for an encrypted message
 */
export function ack({ head, dialect }: Answered, wallMs: number, key: Buffer | undefined): Buffer {
  if (!head.isEncrypted || !key) return frameOf(Buffer.from(`"ACK"${echoOf(head)}[]`, "latin1"), dialect);
  const tail = `|]${timeText(wallMs)}`;
  // Fixed padding: the time makes the content unique, and the same bytes for a repeat reveal nothing new.
  const content = paddingFor(tail.length, PADDING) + tail;
  const digits = encrypted(Buffer.from(content, "latin1"), key);
  return frameOf(Buffer.from(`"*ACK"${echoOf(head)}[${digits}`, "latin1"), dialect);
}

/** DC-09, 5.5.3.3: the message was read and cannot be processed. */
export function duh({ head, dialect }: Answered): Buffer {
  return frameOf(Buffer.from(`"DUH"${echoOf(head)}[]`, "latin1"), dialect);
}

/** DC-09, 5.5.3.2: the panel shall set its clock and send again. Never encrypted, and without the panel's account. */
export function nak({ dialect }: Pick<Answered, "dialect">, wallMs: number): Buffer {
  return frameOf(Buffer.from(`"NAK"0000R0L0A0[]${timeText(wallMs)}`, "latin1"), dialect);
}

const PADDING = Uint8Array.from({ length: 16 }, (_, index) => index);

function echoOf({ sequence, receiver, line, accountText }: Answered["head"]): string {
  const receiverText = receiver === null ? "" : `R${receiver}`;
  const lineText = line === null ? "" : `L${line}`;
  return `${sequence}${receiverText}${lineText}${accountText === null ? "" : `#${accountText}`}`;
}
