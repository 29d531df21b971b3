import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { Log } from "../../domain/log.ts";
import type { AlarmPanelSupervision } from "./alarm-panel-supervision.ts";

/** Why a message, or a connection, was rejected; with the remedy. */
const REMEDIES = {
  crc: "the checksum of messages is wrong. Check the line, and that the sender speaks SIA DC-09",
  length: "the length field of messages is wrong. Check that the sender speaks SIA DC-09",
  "too-long": "messages are longer than 4,095 bytes. Check that the sender speaks SIA DC-09",
  "source-port":
    "datagrams come from port 0, to which no reply can be sent. Set the alarm panel to TCP, or find the sender",
  malformed: "messages cannot be read. Set the alarm panel to the format ADM-CID (Contact ID) or SIA-DCS",
  token: "messages have an unknown format. Set the alarm panel to ADM-CID (Contact ID) or SIA-DCS",
  "unknown-account": "the account is not in dc09.accounts. Add it, or correct it at the alarm panel",
  address: "messages come from an address that is not in the account's from. Add it, or find the sender",
  plain:
    "messages are not encrypted. Set the key at the alarm panel, or plain: true and from for the account",
  key: "messages cannot be decrypted. Use the same key at the alarm panel and in keyFile, and send the time",
  clock:
    "the alarm panel's time is wrong. The receiver has sent the right time; set its clock to UTC, or timestamps: ignored",
  replayed:
    "messages are older than one that was accepted, or are replies of this receiver: they were recorded and sent again, or the alarm panel's clock was set back. They disarm nothing and end no silence. Find the sender, and set the clock of this machine",
  rate: "the alarm panel sends more than ten messages a second. The others get no reply, and it sends them again",
  "undeclared-zone": "an alarm came from a zone that is not configured. Add the zone, or set zones: auto",
  "not-stored": "messages could not be stored and were not acknowledged. Free disk space or replace the disk",
  connections: "all connections are in use, and idle ones were closed. Find the sender of many connections",
} as const;

/** Reason for a rejection. */
export type MessageRejectionReason = keyof typeof REMEDIES;

/** Replies to rejected messages: the panel shall correct itself (NAK) or give up (DUH). The others get none. */
export const REPLY_TO: Readonly<Partial<Record<MessageRejectionReason, "nak" | "duh">>> = {
  key: "nak",
  clock: "nak",
  malformed: "duh",
  token: "duh",
  "unknown-account": "duh",
  plain: "duh",
  "undeclared-zone": "duh",
};

/** Signals that a message cannot be processed. */
export class MessageRejection extends Error {
  readonly reason: MessageRejectionReason;
  constructor(reason: MessageRejectionReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Reasons that say nothing against the sender: the receiver is at a limit. */
const LIMITS: ReadonlySet<MessageRejectionReason> = new Set<MessageRejectionReason>(["connections", "rate"]);

const REFUSALS = new Map<MessageRejectionReason, MessageRejection>();

/**
 * The signal of a reason, the same each time: with hostile senders, a tenth of the work for each message was the stack
 * of its own error.
 */
export function refusal(reason: MessageRejectionReason): MessageRejection {
  const known = REFUSALS.get(reason) ?? new MessageRejection(reason);
  REFUSALS.set(reason, known);
  return known;
}

/** Time without a further rejection after which its condition clears. */
const CLEAR_MS = 600_000;
/** Open conditions; accounts beyond that share one, because a sender may invent accounts. */
const SUBJECTS_MAX = 32;
/** A line of the log for one subject at most this often. */
const LOGGED_EVERY_MS = 60_000;

interface Open {
  readonly cancel: CancelTimer;
  readonly loggedAtMs: number;
}

/** Counts rejections, and raises one condition for each reason and account while they continue. */
export class AlarmPanelRejections {
  readonly #clock: Clock;
  readonly #conditions: Conditions;
  readonly #log: Log;
  readonly #supervision: AlarmPanelSupervision;
  readonly #open = new Map<string, Open>();
  readonly #counts = new Map<MessageRejectionReason, number>();

  constructor(parts: {
    readonly clock: Clock;
    readonly conditions: Conditions;
    readonly log: Log;
    readonly supervision: AlarmPanelSupervision;
  }) {
    this.#clock = parts.clock;
    this.#conditions = parts.conditions;
    this.#log = parts.log;
    this.#supervision = parts.supervision;
  }

  /** Rejections since the start, by reason. */
  get counts(): ReadonlyMap<MessageRejectionReason, number> {
    return this.#counts;
  }

  /** @param sent the account as sent; empty if none could be read */
  note(reason: MessageRejectionReason, sent: string, address: string): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    const account = LIMITS.has(reason) ? this.#noteLimit(reason, sent, address) : sent;
    const named = account === "" ? reason : `${reason} ${account}`;
    const subject = this.#open.has(named) || this.#open.size < SUBJECTS_MAX ? named : reason;
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#open.get(subject);
    earlier?.cancel();
    const isLogged = earlier === undefined || nowMs - earlier.loggedAtMs >= LOGGED_EVERY_MS;
    if (isLogged) this.#log.warn("dc09-message-rejected", { reason, account, address });
    if (!earlier)
      this.#conditions.raise("alarm-panel-rejected", this.#text(reason, account, address), subject);
    this.#open.set(subject, {
      cancel: this.#clock.after(CLEAR_MS, () => this.#clear(subject)),
      loggedAtMs: isLogged ? nowMs : earlier.loggedAtMs,
    });
  }

  /** @returns the account; empty if several alarm panels, or none, send from the address */
  #noteLimit(reason: MessageRejectionReason, sent: string, address: string): string {
    const accounts = sent === "" ? this.#supervision.accountsAt(address) : [sent];
    for (const account of accounts) this.#supervision.noteRefused(account, reason);
    return accounts.length === 1 ? (accounts[0] ?? "") : "";
  }

  stop(): void {
    for (const [subject, { cancel }] of this.#open) {
      cancel();
      this.#clear(subject);
    }
  }

  #text(reason: MessageRejectionReason, account: string, address: string): string {
    const who = account === "" ? `from ${address}` : `alarm panel ${account} at ${address}`;
    return `${who}: ${REMEDIES[reason]}`;
  }

  #clear(subject: string): void {
    this.#open.delete(subject);
    this.#conditions.clear("alarm-panel-rejected", subject);
  }
}
