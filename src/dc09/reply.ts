import { encrypted, keyedBytes, paddingFor } from "./cipher.ts";
import { frameOf, type Dialect } from "./frame-reader.ts";
import {
  encryptedContent,
  messageHead,
  timeOf,
  timeText,
  type MessageContent,
  type MessageHead,
} from "./message.ts";
import {
  messageFrame,
  sequenceText,
  SUPERVISION,
  type MessageSender,
  type OutgoingMessage,
} from "./event-message.ts";

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
  return frameOf(Buffer.from(`"*ACK"${echoOf(head)}[${ackDigits(wallMs, key)}`, "latin1"), dialect);
}

function ackDigits(wallMs: number, key: Buffer): string {
  const tail = `|]${timeText(wallMs)}`;
  return encrypted(Buffer.from(paddingFor(tail.length, keyedBytes(`ACK${tail}`, key)) + tail, "latin1"), key);
}

/**
 * Whether an encrypted message is one of our acknowledgements, which anyone can send back as a supervision message: its token is
 * not encrypted. The last blocks decide, because others can be put before them.
 * @param sentWallMs its time, milliseconds since 1970
 */
export function isOwnAck({ rest }: Pick<MessageHead, "rest">, sentWallMs: number, key: Buffer): boolean {
  return rest.toString("latin1").toUpperCase().endsWith(ackDigits(sentWallMs, key));
}

/** DC-09, 5.5.3.3: the message was read and cannot be processed. */
export function duh({ head, dialect }: ReplyTarget): Buffer {
  return frameOf(Buffer.from(`"DUH"${echoOf(head)}[]`, "latin1"), dialect);
}

/** DC-09, 5.5.3.2: the panel shall set its clock and send again. Never encrypted, and without the panel's account. */
export function nak({ dialect }: Pick<ReplyTarget, "dialect">, wallMs: number): Buffer {
  return frameOf(Buffer.from(`"NAK"0000R0L0A0[]${timeText(wallMs)}`, "latin1"), dialect);
}

function echoOf({ sequence, receiver, line, accountText }: ReplyTarget["head"]): string {
  const receiverText = receiver === null ? "" : `R${receiver}`;
  const lineText = line === null ? "" : `L${line}`;
  return `${sequence}${receiverText}${lineText}${accountText === null ? "" : `#${accountText}`}`;
}

/** What a receiver has replied. */
type ReceiverReply =
  /** The message is accepted; `wallMs` is the time of an encrypted acknowledgement, milliseconds since 1970. */
  | { readonly token: "ACK"; readonly wallMs: number | null }
  /** The message was read and cannot be processed. */
  | { readonly token: "DUH" }
  /** The message was not accepted; `wallMs` is the receiver's time, milliseconds since 1970, null for none. */
  | { readonly token: "NAK"; readonly wallMs: number | null }
  /** A reply that proves nothing, with the reason. */
  | { readonly token: "unusable"; readonly reason: string };

/** DC-09, 5.5.3.2: a NAK names no message, and its account may follow an `A` instead of a `#`. */
const NAK = /^"NAK"\d{4}(?:R[0-9A-F]{0,6})?(?:L[0-9A-F]{0,6})?(?:[A#][0-9A-F]{0,16})?\[\](.*)$/is;
/** The content of an encrypted ACK without an account has two blocks; more could be the end of one of our messages. */
const ACK_DIGITS_MAX = 64;

/**
 * Reads the body of a reply to a message.
 * @returns undefined for a reply to another message
 */
export function receiverReply(
  body: Buffer,
  sender: MessageSender,
  { sequence }: Pick<OutgoingMessage, "sequence">,
): ReceiverReply | undefined {
  const nak = NAK.exec(body.toString("latin1"));
  if (nak) return { token: "NAK", wallMs: timeOf(nak[1] ?? "") ?? null };
  const head = messageHead(body);
  if (!head || head.sequence !== sequenceText(sequence)) return undefined;
  if (head.token === "DUH") return { token: "DUH" };
  if (head.token !== "ACK") return { token: "unusable", reason: `it replied with ${head.token}` };
  return ackOf(head, sender);
}

function ackOf(head: MessageHead, sender: MessageSender): ReceiverReply {
  const { account, key } = sender;
  if (head.account !== null && head.account !== account)
    return { token: "unusable", reason: `it acknowledged account ${head.account}` };
  if (!key) return head.isEncrypted ? unreadable() : { token: "ACK", wallMs: null };
  // Anyone on the way can write a plain one.
  if (!head.isEncrypted)
    return { token: "unusable", reason: "its acknowledgement of an encrypted message is not encrypted" };
  const content = encryptedContent(head, key);
  if (!content || content.sentWallMs === null) return unreadable();
  if (isOwnMessage(head, content, sender))
    return { token: "unusable", reason: "its acknowledgement is a message of this site that was sent back" };
  return { token: "ACK", wallMs: content.sentWallMs };
}

/** Both have the same key, and their tokens are not encrypted: anyone can send a message back as its acknowledgement. */
function isOwnMessage(
  { rest }: MessageHead,
  { account, data, extended, sentWallMs }: MessageContent,
  sender: MessageSender,
): boolean {
  if (data !== "" || extended.length > 0) return true;
  if (rest.length > ACK_DIGITS_MAX && account !== sender.account) return true;
  // A supervision message has the content of an acknowledgement, but our padding.
  const own = messageFrame(sender, SUPERVISION, sentWallMs ?? 0).toString("latin1");
  return own.includes(`[${rest.toString("latin1").toUpperCase()}\r`);
}

function unreadable(): ReceiverReply {
  return { token: "unusable", reason: "its acknowledgement is encrypted with another key" };
}
