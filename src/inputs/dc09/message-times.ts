import type { AlarmPanelAccount } from "../../domain/alarm-panel.ts";
import type { Clock, TrustedTime } from "../../domain/clock.ts";
import type { MessageContent, MessageHead } from "../../dc09/message.ts";
import type { Journal } from "../../store/journal.ts";

/** DC-09, 5.5.1.8: how far the time of a message may be ahead or behind. */
const AHEAD_MAX_MS = 20_000;
const BEHIND_MAX_MS = 40_000;

/** What the time of a message shows. */
export interface MessageTime {
  /** Whether it was compared with a trusted clock. */
  readonly isChecked: boolean;
  /** Whether the message may be accepted. Without a trusted clock of its own the daemon cannot tell. */
  readonly isInTime: boolean;
  /** Whether the message shows that the alarm panel is there now. */
  readonly isLive: boolean;
  /** Whether it is in time and no recording: the first of its account with this time or a later one. Plain ones cannot tell. */
  readonly isNew: boolean;
  /** Whether it may be a recording: a clock is not there to tell, and a later message was accepted before. */
  readonly isOld: boolean;
}

/**
 * Compares the times of messages with the own clock. While that is not trusted, anyone who has recorded an encrypted message can send
 * it again: then the newest time of the alarm panel takes the place of the clock.
 */
export class MessageTimes {
  readonly #clock: Clock;
  readonly #time: TrustedTime;
  /** The newest time in an accepted encrypted message, by account, milliseconds since 1970. */
  readonly #newest = new Map<string, number>();

  constructor(parts: { readonly clock: Clock; readonly time: TrustedTime; readonly journal: Journal }) {
    this.#clock = parts.clock;
    this.#time = parts.time;
    for (const { account, encryptedWallMs, sentWallMs } of parts.journal.alarmPanels.messages())
      this.#note(account, encryptedWallMs, sentWallMs !== null);
  }

  of({ account, timestamps }: AlarmPanelAccount, head: MessageHead, content: MessageContent): MessageTime {
    const isChecked = timestamps === "checked" && this.#time.isTrusted();
    const isInTime = !isChecked || this.#isNow(content);
    const newestMs = this.#newest.get(account);
    if (timestamps === "ignored" || !head.isEncrypted || newestMs === undefined)
      return { isChecked, isInTime, isNew: isInTime, isLive: isInTime, isOld: false };
    const sentWallMs = content.sentWallMs ?? Number.NEGATIVE_INFINITY;
    const isNew = isInTime && sentWallMs > newestMs;
    if (isChecked) return { isChecked, isInTime, isNew, isLive: isInTime, isOld: false };
    // The alarm panel may send several messages in one second, but the first has shown already that it is there.
    return { isChecked, isInTime, isNew, isLive: isNew, isOld: sentWallMs < newestMs };
  }

  /** Remembers the time of an accepted message. */
  note(account: string, head: MessageHead, { sentWallMs }: MessageContent, shown: MessageTime): void {
    if (head.isEncrypted && shown.isInTime) this.#note(account, sentWallMs, shown.isChecked);
  }

  #note(account: string, wallMs: number | null, isChecked: boolean): void {
    if (wallMs === null) return;
    const newestMs = this.#newest.get(account) ?? Number.NEGATIVE_INFINITY;
    // The clock of the alarm panel was ahead, and was set right: it must not stay locked out.
    const wasAhead = isChecked && newestMs - wallMs > AHEAD_MAX_MS + BEHIND_MAX_MS;
    this.#newest.set(account, wasAhead ? wallMs : Math.max(newestMs, wallMs));
  }

  #isNow({ sentWallMs, hasInvalidTime }: MessageContent): boolean {
    if (sentWallMs === null) return !hasInvalidTime;
    const aheadMs = sentWallMs - this.#clock.wallMs();
    // Seconds are whole: a message of this second is up to 999 ms behind.
    return aheadMs <= AHEAD_MAX_MS && aheadMs >= -BEHIND_MAX_MS - 999;
  }
}
