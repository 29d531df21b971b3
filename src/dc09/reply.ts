import { encrypted, paddingFor } from "./cipher.ts";
import { frameOf, type Dialect } from "./frame-reader.ts";
import { timeText, type MessageHead, encryptedContent, messageHead, timeOf } from "./message.ts";
import { sequenceText, type MessageSender, type OutgoingMessage } from "./event-message.ts";

/** What a reply answers. */
export interface ReplyTarget {
  readonly head: Pick<MessageHead, "isEncrypted" | "sequence" | "receiver" | "line" | "accountText">;
  readonly dialect: Dialect;
}

/**
 * The positive reply (DC-09, 5.5.3.1): with the sequence, receiver, prefix and account as the panel sent them; encrypted,
 * with a time, if the message was.
 * @param key of the account; only used for an encrypted message
 */
export function ack({ head, dialect }: ReplyTarget, wallMs: number, key: Buffer | undefined): Buffer {
  if (!head.isEncrypted || !key) return frameOf(Buffer.from(`"ACK"${echoOf(head)}[]`, "latin1"), dialect);
  const tail = `|]${timeText(wallMs)}`;
  // Fixed padding: the time makes the content unique, and the same bytes for a repeat reveal nothing new.
  const content = paddingFor(tail.length, PADDING) + tail;
  const digits = encrypted(Buffer.from(content, "latin1"), key);
  return frameOf(Buffer.from(`"*ACK"${echoOf(head)}[${digits}`, "latin1"), dialect);
}

/** DC-09, 5.5.3.3: the message was read and cannot be processed. */
export function duh({ head, dialect }: ReplyTarget): Buffer {
  return frameOf(Buffer.from(`"DUH"${echoOf(head)}[]`, "latin1"), dialect);
}

/** DC-09, 5.5.3.2: the panel shall set its clock and send again. Never encrypted, and without the panel's account. */
export function nak({ dialect }: Pick<ReplyTarget, "dialect">, wallMs: number): Buffer {
  return frameOf(Buffer.from(`"NAK"0000R0L0A0[]${timeText(wallMs)}`, "latin1"), dialect);
}

const PADDING = Uint8Array.from({ length: 16 }, (_, index) => index);

function echoOf({ sequence, receiver, line, accountText }: ReplyTarget["head"]): string {
  const receiverText = receiver === null ? "" : `R${receiver}`;
  const lineText = line === null ? "" : `L${line}`;
  return `${sequence}${receiverText}${lineText}${accountText === null ? "" : `#${accountText}`}`;
}

/** What a receiver has replied. */
type ReceiverReply =
  /** The message is accepted. */
  | { readonly token: "ACK" }
  /** The message was read and cannot be processed. */
  | { readonly token: "DUH" }
  /** The message was not accepted; `wallMs` is the receiver's time, milliseconds since 1970, null for none. */
  | { readonly token: "NAK"; readonly wallMs: number | null }
  /** A reply that proves nothing, with the reason. */
  | { readonly token: "unusable"; readonly reason: string };

/** DC-09, 5.5.3.2: a NAK names no message, and its account may follow an `A` instead of a `#`. */
const NAK = /^"NAK"\d{4}(?:R[0-9A-F]{0,6})?(?:L[0-9A-F]{0,6})?(?:[A#][0-9A-F]{0,16})?\[\](.*)$/is;
/**
 * An encrypted ACK must have been written about now, or it may be one of an earlier message with the same sequence. A sequence
 * returns after 9,999 messages, which no site sends within a day; a receiver may have a wrong clock.
 */
const ACK_AGE_MS_MAX = 86_400_000;

/**
 * Reads the body of a reply to a message.
 * @param nowMs milliseconds since 1970, by the receiver's clock as far as it is known
 * @returns undefined for a reply to another message
 */
export function receiverReply(
  body: Buffer,
  sender: MessageSender,
  { sequence }: Pick<OutgoingMessage, "sequence">,
  nowMs: number,
): ReceiverReply | undefined {
  const nak = NAK.exec(body.toString("latin1"));
  if (nak) return { token: "NAK", wallMs: timeOf(nak[1] ?? "") ?? null };
  const head = messageHead(body);
  if (!head || head.sequence !== sequenceText(sequence)) return undefined;
  if (head.token === "DUH") return { token: "DUH" };
  if (head.token !== "ACK") return { token: "unusable", reason: `it replied with ${head.token}` };
  return ackOf(head, sender, nowMs);
}

function ackOf(head: MessageHead, { account, key }: MessageSender, nowMs: number): ReceiverReply {
  if (head.account !== null && head.account !== account)
    return { token: "unusable", reason: `it acknowledged account ${head.account}` };
  if (!key) return head.isEncrypted ? unreadable() : { token: "ACK" };
  // Anyone on the way can write a plain one.
  if (!head.isEncrypted)
    return { token: "unusable", reason: "its acknowledgement of an encrypted message is not encrypted" };
  const content = encryptedContent(head, key);
  if (!content || content.sentWallMs === null) return unreadable();
  return Math.abs(content.sentWallMs - nowMs) > ACK_AGE_MS_MAX
    ? { token: "unusable", reason: "the time of its acknowledgement differs by more than a day" }
    : { token: "ACK" };
}

function unreadable(): ReceiverReply {
  return { token: "unusable", reason: "its acknowledgement is encrypted with another key" };
}
