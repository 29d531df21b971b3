import { sequenceText, type MessageSender, type OutgoingMessage } from "./event-message.ts";
import { encryptedContent, messageHead, timeOf, type MessageHead } from "./message.ts";

/** What a receiver has replied. */
export type ReceiverReply =
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
