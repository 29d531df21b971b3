import { isoTime } from "../domain/clock.ts";
import { decrypted } from "./cipher.ts";
import { behindBlanks, BLOCKS_MAX, endOfBlock, endOfData } from "./end-of-data.ts";

/** The head of a message: everything before the first bracket. */
export interface MessageHead {
  /** The ID token without the asterisk, such as `ADM-CID`. */
  readonly token: string;
  readonly isEncrypted: boolean;
  /** Four digits. */
  readonly sequence: string;
  /** Receiver number; null if the message has none. */
  readonly receiver: string | null;
  /** Account prefix (line); may be empty; null if the message has none. */
  readonly line: string | null;
  /** Account in capitals; null if it is only in the data. */
  readonly account: string | null;
  /** The account as sent, for the reply; null without a `#`. */
  readonly accountText: string | null;
  /** Everything after the first bracket: plain, or hexadecimal digits if encrypted. */
  readonly rest: Buffer;
}

/** The content of a message. */
export interface MessageContent {
  /** Account in the data, in capitals; null without one. */
  readonly account: string | null;
  /** The event data, without the account. */
  readonly data: string;
  /** The data of further events, of a sender that puts several blocks of data into one message. */
  readonly furtherData: readonly string[];
  /** Extended data blocks: identifier letter and text. */
  readonly extended: readonly { readonly id: string; readonly text: string }[];
  /** Time of the panel, milliseconds since 1970; null for a panel that sends none, and for a time that does not exist. */
  readonly sentWallMs: number | null;
  /** Whether it sent a time that does not exist, such as month 0 of a clock that was never set, or no time in its place. */
  readonly hasInvalidTime: boolean;
}

/**
 * As DC-09, 5.5.1: the prefix and the receiver have up to six hexadecimal digits, the account up to sixteen. Some write their
 * account into all three. Other letters are read too, so that a wrong account is named.
 */
const HEAD =
  /^"(\*?)([A-Z0-9-]{1,16})"(\d{4})(?:R([0-9A-F]{0,16}))?(?:L([0-9A-F]{0,16}))?(?:#([0-9A-Z]{0,16}))?\[/i;

/** Reads the head of a body. @returns undefined if it is not a DC-09 message */
export function messageHead(body: Buffer): MessageHead | undefined {
  const [head, asterisk, token = "", sequence = "", receiver, line, account] =
    HEAD.exec(body.toString("latin1")) ?? [];
  if (head === undefined) return undefined;
  return {
    token: token.toUpperCase(),
    isEncrypted: asterisk === "*",
    sequence,
    receiver: receiver ?? null,
    line: line ?? null,
    account: account === undefined || account === "" ? null : account.toUpperCase(),
    accountText: account ?? null,
    rest: body.subarray(head.length),
  };
}

/** The last block of an encrypted message, in capitals: it depends on key, time and everything before it. Null for a plain one. */
export function lastBlockOf({ isEncrypted, rest }: MessageHead): string | null {
  return isEncrypted ? rest.subarray(-LAST_BLOCK_DIGITS).toString("latin1").toUpperCase() : null;
}

const LAST_BLOCK_DIGITS = 32;

/** The content of a message that is not encrypted. @returns undefined if it is malformed */
export function plainContent(head: MessageHead): MessageContent | undefined {
  return contentOf(textOf(head.rest), head);
}

/**
 * Decrypts and reads the content of a message.
 * @param key 16, 24 or 32 bytes
 * @returns undefined for another key or a malformed content
 */
export function encryptedContent(head: MessageHead, key: Buffer): MessageContent | undefined {
  const bytes = decrypted(head.rest.toString("latin1"), key);
  const text = bytes && textOf(withoutPadding(bytes));
  const content = text === undefined ? undefined : contentOf(text, head);
  // DC-09, 5.5.1.8 requires the time in encrypted messages. It also shows that the key is right: with another one the
  // content is random, and without a time an old message could be replayed.
  // That of a clock that was never set shows it too.
  return content && (content.sentWallMs !== null || TIME.test(text?.slice(-TIME_LENGTH) ?? ""))
    ? content
    : undefined;
}

const BAR = 0x7c;
const BLANK = 0x20;

/**
 * Decrypted bytes from the bar behind their padding. The padding may be any bytes (DC-09, 5.4.4.2), which must not decide how the
 * text is read, and differs in each repetition. Without padding the account is before the first bar. Some senders pad behind the
 * time instead, with control characters as their library for AES does.
 */
function withoutPadding(bytes: Buffer): Buffer {
  const end = bytes.findLastIndex((byte) => byte >= BLANK) + 1;
  const bar = Math.max(bytes.indexOf(BAR), 0);
  return bytes.subarray(ACCOUNT.test(bytes.toString("latin1", 0, bar)) ? 0 : bar, end);
}

/**
 * A text in the data may have brackets: the data ends with the first one behind which only blocks and the time follow. Contact ID has
 * no text, so it ends with the first.
 */
function contentOf(text: string, head: MessageHead): MessageContent | undefined {
  const first = text.indexOf("]");
  if (first < 0) return undefined;
  const hasText = head.token !== "ADM-CID";
  const mayHaveBrackets = (id: string): boolean => !hasText || BLOCKS_WITH_TEXT.includes(id.toUpperCase());
  const end = hasText ? endOfData(text, mayHaveBrackets) : first;
  const tail =
    end < 0 ? undefined : (tailAt(text, end + 1, () => false) ?? tailAt(text, end + 1, mayHaveBrackets));
  if (tail) return { ...dataOf(text.slice(0, end), head), ...tail };
  // Some senders fill the place of the time, or that before it, with anything.
  const time = text.slice(-TIME_LENGTH);
  const sentWallMs = (TIME.test(time) ? timeOf(time) : undefined) ?? null;
  const hasInvalidTime = sentWallMs === null && text.slice(first + 1).trim() !== "";
  const data = dataOf(text.slice(0, first), head);
  return { ...data, furtherData: [], extended: [], sentWallMs, hasInvalidTime };
}

/** Blocks of extended data that may have brackets in their text: the time of an event, a text, an address of a picture. */
const BLOCKS_WITH_TEXT = "HIV";

/** A block of data behind another one. The identifiers of extended data are letters. */
const FURTHER_DATA = /^#[0-9A-Z]{0,16}\|/i;

/**
 * What follows the data.
 * @param mayHaveBrackets whether a block of this letter may have brackets of its own: it ends where another block, the time or
 *   nothing follows
 * @returns undefined if it is malformed
 */
function tailAt(
  text: string,
  from: number,
  mayHaveBrackets: (id: string) => boolean,
): Omit<MessageContent, "account" | "data"> | undefined {
  const furtherData: string[] = [];
  const extended: { id: string; text: string }[] = [];
  let at = behindBlanks(text, from);
  for (let blocks = 0; text[at] === "["; blocks += 1) {
    const close = mayHaveBrackets(text.slice(at + 1, at + 2)) ? endOfBlock(text, at) : text.indexOf("]", at);
    if (close < 0 || blocks >= BLOCKS_MAX) return undefined;
    const block = text.slice(at + 1, close);
    if (FURTHER_DATA.test(block)) furtherData.push(block.replace(FURTHER_DATA, ""));
    else extended.push({ id: block.slice(0, 1), text: block.slice(1) });
    at = behindBlanks(text, close + 1);
  }
  // A comparison first, so that the search for the end is one pass.
  if (at < text.length && text[at] !== "_") return undefined;
  const time = text.slice(at);
  const sentWallMs = timeOf(time);
  const hasInvalidTime = sentWallMs === undefined;
  if (hasInvalidTime && time.includes("]")) return undefined;
  return { furtherData, extended, sentWallMs: sentWallMs ?? null, hasInvalidTime };
}

const ACCOUNT = /^#([0-9A-Z]{1,16})$/i;

/**
 * Separates padding, account and data. Encrypted data begins with padding up to the first `|`, which some panels omit
 * when there is nothing to pad or no data. Some write the account without its `#`, or only the `#`: it is then that of the head.
 */
function dataOf(text: string, head: MessageHead): Pick<MessageContent, "account" | "data"> {
  const parts = text.split("|");
  const [first = "", second = ""] = parts;
  const beginsWithAccount = parts.length > 1 && ACCOUNT.test(first) && !ACCOUNT.test(second);
  if (head.isEncrypted && !beginsWithAccount) parts.shift();
  const account = ACCOUNT.exec(parts[0] ?? "")?.[1];
  const isOfHead = parts[0] === "" || parts[0] === "#" || parts[0]?.toUpperCase() === head.account;
  if (account !== undefined || (isOfHead && parts.length > 1)) parts.shift();
  return { account: account?.toUpperCase() ?? null, data: parts.join("|") };
}

/** Of `_HH:MM:SS,MM-DD-YYYY`. */
const TIME_LENGTH = 20;
const TIME = /^_(\d{2}):(\d{2}):(\d{2}),(\d{2})-(\d{2})-(\d{4})\s*$/;

/** The time at the end of a message, in UTC, milliseconds since 1970. @returns null for none, undefined for anything else */
export function timeOf(text: string): number | null | undefined {
  // Some senders without a clock write only its underscore.
  if (text === "" || text === "_") return null;
  const [hour = 0, minute = 0, second = 0, month = 0, day = 0, year = 0] = (TIME.exec(text) ?? [])
    .slice(1)
    .map(Number);
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
  // A 31st of February or an hour 25 is not a time.
  return year > 0 && timeText(wallMs) === text.trimEnd() ? wallMs : undefined;
}

/** A time as it ends a message: `_HH:MM:SS,MM-DD-YYYY` in UTC. */
export function timeText(wallMs: number): string {
  const [date = "", time = ""] = isoTime(wallMs).split("T");
  const [year, month, day] = date.split("-");
  return `_${time.slice(0, 8)},${month}-${day}-${year}`;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Texts of panels are UTF-8 or a single-byte code. */
function textOf(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
