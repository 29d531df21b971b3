import {
  messageFrame,
  SUPERVISION,
  type MessageSender,
  type OutgoingMessage,
} from "../../dc09/event-message.ts";
import { receiverReply } from "../../dc09/reply.ts";
import { backOffMs } from "../../domain/backoff.ts";
import type { CancelTimer, Clock, TrustedTime } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { Log } from "../../domain/log.ts";
import type { ReceiverState } from "../../domain/transmission.ts";
import type { ReceiverAddress } from "../../domain/transmitter.ts";
import { exchange } from "./message-exchange.ts";
import { ReceiverAcceptance } from "./receiver-acceptance.ts";
import { ReceiverClock } from "./receiver-clock.ts";

interface ReceiverLinkOptions {
  readonly receiver: ReceiverAddress & {
    /** Interval of the supervision messages in seconds; 0 for none. */
    readonly pollS: number;
  };
  /** Position in the configuration, from 0. */
  readonly place: number;
  readonly sender: MessageSender;
  readonly replyS: number;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called when the state changes. */
  readonly onChange: (state: ReceiverState) => void;
}

/** What came of a message at one receiver. */
type LinkOutcome =
  | { readonly is: "acknowledged" }
  /** It replied, and has not accepted the message. `isUncertain`: that is not known, because it has another time than expected. */
  | { readonly is: "rejected"; readonly reason: string; readonly isUncertain?: true; readonly isDuh?: true }
  /** It does not reply; the link is down. */
  | { readonly is: "lost"; readonly reason: string };

/** Attempts without a reply before a receiver counts as unreachable. */
const ATTEMPTS = 2;
/** A receiver that does not reply is polled again after a random time up to this; an alarm may be waiting for it. */
const PROBE_BASE_MS = 1_000;
const PROBE_CAP_MS = 15_000;
/** A receiver with another time is polled again after this time and up to once more: a recording cannot know when. */
const UNCERTAIN_BASE_MS = 5_000;

/** One receiver: exchanges messages with it, supervises it, and knows whether it replies and by how much its clock differs. */
export class ReceiverLink {
  readonly address: string;
  readonly #options: ReceiverLinkOptions;
  #state: ReceiverState;
  #failures = 0;
  readonly #acceptance: ReceiverAcceptance;
  /** Whether the next event may show that an unsupervised receiver replies again. */
  #isProbeDue = false;
  readonly #itsClock: ReceiverClock;
  #cancel: CancelTimer = () => {};
  #poll: Promise<void> | undefined;
  readonly #abort = new AbortController();

  constructor(options: ReceiverLinkOptions) {
    this.#options = options;
    const { receiver, place, clock } = options;
    const host = receiver.host.includes(":") ? `[${receiver.host}]` : receiver.host;
    this.address = `${host}:${receiver.port}/${receiver.transport}`;
    this.#itsClock = new ReceiverClock({ ...options, address: this.address });
    this.#acceptance = new ReceiverAcceptance({ ...options, address: this.address });
    this.#state = { place, address: this.address, state: "unknown", sinceMs: clock.wallMs(), reason: null };
    options.onChange(this.#state);
  }

  /** Whether events may be sent to it now: it has replied to the last message, no message was sent yet, or it is to be probed. */
  get isUsable(): boolean {
    return this.#state.state !== "down" || this.#isProbeDue;
  }

  /** The receiver's time as far as it is known, milliseconds since 1970. */
  nowMs(): number {
    return this.#itsClock.nowMs();
  }

  /** Sends the first supervision message soon, at a random time. */
  start(): void {
    const { receiver, random } = this.#options;
    if (receiver.pollS > 0) this.#arm(Math.min(receiver.pollS * 1000, PROBE_BASE_MS) * random());
  }

  /** Ends what is in flight, and clears its conditions. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#cancel();
    await this.#poll;
    const { conditions } = this.#options;
    for (const code of LINK_CONDITIONS) conditions.clear(code, this.address);
  }

  /**
   * Sends a message until there is a reply, at most twice.
   * @param stamped stores the time of the message before it is sent, and returns the time to use: that of the last attempt while
   *   it is valid, so that a repetition has the same bytes. `isRefused`: the last one was rejected because of its time
   */
  async send(message: OutgoingMessage, stamped: (isRefused: boolean) => number): Promise<LinkOutcome> {
    let outcome = await this.#exchange(message, () => stamped(false));
    // The receiver has told its time: the same event with that time.
    if (outcome.is === "wrong-time") outcome = await this.#exchange(message, () => stamped(true));
    if (outcome.is === "wrong-time")
      outcome = { is: "rejected", reason: "NAK: it rejects the time of the message" };
    this.#note(message.token !== "NULL", outcome);
    return outcome;
  }

  #note(isEvent: boolean, outcome: LinkOutcome): void {
    if (outcome.is === "lost") return;
    if (outcome.is === "acknowledged")
      return this.#acceptance.note({ isEvent, reason: undefined, isDuh: false });
    const { reason, isUncertain, isDuh = false } = outcome;
    if (isUncertain !== true) return this.#acceptance.note({ isEvent, reason, isDuh });
    if (isEvent) this.#acceptance.noteUncertain();
  }

  #arm(delayMs: number): void {
    if (this.#abort.signal.aborted) return;
    this.#cancel();
    this.#cancel = this.#options.clock.after(delayMs, () => this.#due());
  }

  #due(): void {
    const { pollS } = this.#options.receiver;
    if (pollS === 0) {
      // Without supervision messages, which it may ignore, the event that waits is the probe.
      this.#isProbeDue = true;
      return;
    }
    this.#poll ??= this.#supervise().finally(() => {
      this.#poll = undefined;
      const isSteady = this.isUsable && !this.#itsClock.isUncertain;
      this.#arm(isSteady ? pollS * 1000 : this.#probeMs());
    });
  }

  /** Time until the next probe. */
  #probeMs(): number {
    const { random } = this.#options;
    if (this.isUsable) return UNCERTAIN_BASE_MS * (1 + random());
    return PROBE_BASE_MS / 2 + backOffMs(this.#failures, random(), PROBE_BASE_MS, PROBE_CAP_MS);
  }

  async #supervise(): Promise<void> {
    await this.send(SUPERVISION, () => this.nowMs());
  }

  /** A message with its times by the receiver's clock: when it occurred too, or a new event would look old there. */
  #byItsClock(message: OutgoingMessage): OutgoingMessage {
    const { occurredMs } = message;
    return { ...message, occurredMs: occurredMs === null ? null : this.#itsClock.itsMs(occurredMs) };
  }

  async #exchange(
    message: OutgoingMessage,
    stamp: () => number,
  ): Promise<LinkOutcome | { readonly is: "wrong-time" }> {
    const { receiver: to, sender, replyS, clock } = this.#options;
    let reason = "";
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const stampMs = stamp();
      const frame = messageFrame(sender, this.#byItsClock(message), stampMs);
      const sentMs = clock.monotonicMs();
      const result = await exchange(frame, {
        to,
        clock,
        withinMs: replyS * 1000,
        signal: this.#abort.signal,
        read: (body) => receiverReply(body, sender, message),
      });
      if (result.reply) return this.#answered(result.reply, sentMs);
      ({ reason } = result);
      if (this.#abort.signal.aborted) return { is: "lost", reason };
      if (result.isRefused) break;
    }
    this.#failed(reason);
    return { is: "lost", reason };
  }

  #answered(
    reply: NonNullable<ReturnType<typeof receiverReply>>,
    sentMs: number,
  ): LinkOutcome | { readonly is: "wrong-time" } {
    // Any reply shows that it is there; only an acknowledgement shows that it takes our messages.
    this.#replied();
    if (reply.token === "ACK") return this.#acknowledged(reply.wallMs, sentMs);
    if (reply.token === "unusable") return { is: "rejected", reason: reply.reason };
    if (reply.token === "DUH")
      return { is: "rejected", reason: "DUH: it cannot process the message", isDuh: true };
    return reply.wallMs !== null && this.#itsClock.noteRefusal(reply.wallMs)
      ? { is: "wrong-time" }
      : { is: "rejected", reason: "NAK: most likely the key is another one" };
  }

  #acknowledged(wallMs: number | null, sentMs: number): LinkOutcome {
    const judged = wallMs === null ? "counts" : this.#itsClock.judge(wallMs, sentMs);
    if (judged === "counts") return { is: "acknowledged" };
    const reason = "the time of its acknowledgement is not the expected one";
    if (judged === "old") return { is: "rejected", reason };
    // Soon again, unless a supervision message is under way.
    if (!this.#poll && this.#options.receiver.pollS > 0) this.#arm(this.#probeMs());
    return { is: "rejected", reason, isUncertain: true };
  }

  #replied(): void {
    this.#failures = 0;
    this.#isProbeDue = false;
    if (this.#state.state === "up") return;
    this.#options.conditions.clear("monitoring-receiver-unreachable", this.address);
    this.#change("up", null);
  }

  #failed(reason: string): void {
    const { conditions } = this.#options;
    this.#failures += 1;
    this.#isProbeDue = false;
    conditions.raise("monitoring-receiver-unreachable", { receiver: this.address, reason }, this.address);
    if (this.#state.state !== "down" || this.#state.reason !== reason) this.#change("down", reason);
    if (!this.#poll) this.#arm(this.#options.receiver.pollS === 0 ? this.#probeMs() : PROBE_BASE_MS / 2);
  }

  #change(state: ReceiverState["state"], reason: string | null): void {
    const { log, clock, onChange, place } = this.#options;
    const sinceMs = state === this.#state.state ? this.#state.sinceMs : clock.wallMs();
    if (state !== this.#state.state)
      log.info(`monitoring-receiver-${state}`, { receiver: this.address, reason });
    this.#state = { place, address: this.address, state, sinceMs, reason };
    onChange(this.#state);
  }
}

/** Conditions of a link; their subject is its address. */
const LINK_CONDITIONS = [
  "monitoring-receiver-unreachable",
  "monitoring-receiver-rejects",
  "monitoring-receiver-supervision",
  "monitoring-receiver-clock",
] as const;
