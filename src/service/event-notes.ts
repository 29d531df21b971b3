import { networkOf } from "../domain/client-network.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { Remote } from "../domain/remote.ts";
import { isStorageError } from "../store/database.ts";
import type { EventService } from "./events.ts";

/** Interval of `forbidden` events of one account; the next one has the count. */
const FORBIDDEN_INTERVAL_MS = 60_000;
const ACCOUNTS_MAX = 1000;
/** Events of wrong one-time codes in an hour, from whatever addresses; the next one has the count of the others. */
const WRONG_CODES_MAX = 60;
const WRONG_CODES_WINDOW_MS = 3_600_000;
/** Sign-ins of one site from one address in an hour that have an event of their own; the next one has the count of the others. */
const SIGN_INS_MAX = 60;
const SIGN_INS_WINDOW_MS = 3_600_000;
/** As many as a centre has sites. */
const PLACES_MAX = 10_000;
/** Events kept while they cannot be written; the oldest are then only in the technical log, because the memory is for trips. */
const KEPT_MAX = 1000;
const RETRY_MS = 1_000;

interface KeptEvent {
  readonly event: NewEvent;
  readonly atMs: number;
}

/** Sends events to the event log for actions that must not wait for it or fail with it. */
export class EventNotes {
  readonly #events: Pick<Remote<EventService>, "add">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #forbidden = new Map<string, { atMs: number; unlogged: number }>();
  #wrongCodes = { sinceMs: 0, count: 0 };
  readonly #signIns = new Map<string, { readonly sinceMs: number; count: number }>();
  /** Events that arrived while the log could not be written, oldest first. */
  #kept: (KeptEvent & { readonly error: unknown })[] = [];
  readonly #retryMs: number;
  #cancelRetry: CancelTimer = () => {};
  #isStopped = false;

  /** @param options `retryMs`: time after which an event that could not be written is sent again, milliseconds */
  constructor(options: {
    events: Pick<Remote<EventService>, "add">;
    clock: Clock;
    log: Log;
    retryMs?: number;
  }) {
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#events = options.events;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Adds an event. The action has taken effect: a log that cannot be written, as on a full disk, must not undo it. */
  note(event: NewEvent): void {
    this.#send({ event, atMs: this.#clock.wallMs() });
  }

  /** As `note`; resolves when the event is durable or cannot be written. @throws AppError `unavailable` if it can be later */
  async added(event: NewEvent): Promise<void> {
    await this.#events.add(event, this.#clock.wallMs()).catch((error: unknown) => {
      if (!isStorageError(error)) throw error;
      this.#unwritten(event, error);
    });
  }

  /**
   * As `added`, for the sign-in of a user; while the log cannot be reached or cannot write, the event is kept and written later:
   * a person must be able to look where an alarm is.
   */
  async userSignedIn(event: NewEvent): Promise<void> {
    const atMs = this.#clock.wallMs();
    await this.#events.add(event, atMs).catch((error: unknown) => {
      if (!isPassing(error) && !isStorageError(error)) throw error;
      this.#keep({ event, atMs }, error);
    });
  }

  /**
   * As `added`, for the sign-in of a site; rate-limited, because its password, which a stolen device has, is never delayed, and
   * each event is stored for a year.
   */
  async siteSignedIn(event: NewEvent): Promise<void> {
    const place = `${event.who} ${networkOf(event.from)}`;
    const nowMs = this.#clock.monotonicMs();
    let own = this.#signIns.get(place);
    const unlogged = Math.max(0, (own?.count ?? 0) - SIGN_INS_MAX);
    const isOver = own === undefined || nowMs - own.sinceMs >= SIGN_INS_WINDOW_MS;
    if (own === undefined || isOver) {
      if (this.#signIns.size >= PLACES_MAX) this.#signIns.clear();
      own = { sinceMs: nowMs, count: 0 };
      this.#signIns.set(place, own);
    }
    own.count += 1;
    if (own.count > SIGN_INS_MAX) return;
    const meanwhile = isOver && unlogged > 0 ? { refusedMeanwhile: unlogged } : {};
    await this.added({ ...event, detail: { ...event.detail, ...meanwhile } });
  }

  /** Adds an event for a denied request; rate-limited, so that a retrying client cannot fill the log. */
  forbidden({ who, from }: Actor, subject: string): void {
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#forbidden.get(who);
    if (earlier && nowMs - earlier.atMs < FORBIDDEN_INTERVAL_MS) {
      earlier.unlogged += 1;
      return;
    }
    if (this.#forbidden.size >= ACCOUNTS_MAX) this.#forbidden.clear();
    this.#forbidden.set(who, { atMs: nowMs, unlogged: 0 });
    const detail = earlier && earlier.unlogged > 0 ? { refusedMeanwhile: earlier.unlogged } : {};
    this.note({ event: "forbidden", who, from, subject, detail });
  }

  /** Adds an event about a wrong one-time code; rate-limited, because no token is needed to send one. */
  wrongCode(event: NewEvent): void {
    const nowMs = this.#clock.monotonicMs();
    const isOver = nowMs - this.#wrongCodes.sinceMs >= WRONG_CODES_WINDOW_MS;
    const unlogged = isOver ? Math.max(0, this.#wrongCodes.count - WRONG_CODES_MAX) : 0;
    if (isOver) this.#wrongCodes = { sinceMs: nowMs, count: 0 };
    this.#wrongCodes.count += 1;
    if (this.#wrongCodes.count > WRONG_CODES_MAX) return;
    const meanwhile = unlogged > 0 ? { refusedMeanwhile: unlogged } : {};
    this.note({ ...event, detail: { ...event.detail, ...meanwhile } });
  }

  /** Events that have not been taken are then only in the technical log. */
  stop(): void {
    this.#cancelRetry();
    this.#isStopped = true;
    for (const { event, error } of this.#kept.splice(0)) this.#unwritten(event, error);
  }

  /** @param isRepeated whether an earlier attempt had no answer: the event may be there */
  #send(kept: KeptEvent, isRepeated = false): void {
    this.#events.add(kept.event, kept.atMs, isRepeated).catch((error: unknown) => this.#keep(kept, error));
  }

  /** Keeps an event that could not be written now; any other is only in the technical log. */
  #keep(unsent: KeptEvent, error: unknown): void {
    if (!isPassing(error) || this.#isStopped) return this.#unwritten(unsent.event, error);
    if (this.#kept.length === 0)
      this.#cancelRetry = this.#clock.after(this.#retryMs, () => this.#sendAgain());
    this.#kept.push({ ...unsent, error });
    for (const oldest of this.#kept.splice(0, this.#kept.length - KEPT_MAX))
      this.#unwritten(oldest.event, oldest.error);
  }

  #sendAgain(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const one of kept) this.#send(one, true);
  }

  #unwritten({ event, subject }: NewEvent, error: unknown): void {
    this.#log.error("event-write-failed", { event, subject, error });
  }
}

/** Whether the log cannot be written now: the records restart, or their database has no primary that can write. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && error.code === "unavailable";
}
