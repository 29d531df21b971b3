import type { Link, LinkOptions } from "./link.ts";
import type { UpstreamClient } from "./upstream-client.ts";

/**
 * Maximum time without a response on an idle link. With a check every 15 seconds and a response time as long,
 * the link state is at most five minutes old.
 */
const IDLE_MAX_MS = 255_000;
/** Each site sends its request up to this much earlier, at a random time. */
const JITTER_MS = 60_000;

interface HeartbeatOptions extends Pick<LinkOptions, "clock" | "random"> {
  readonly centre: UpstreamClient;
  readonly link: Link;
}

/** Sends a small request over an idle link, so that its state is known. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #running: Promise<void> | undefined;
  #intervalMs: number;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#intervalMs = IDLE_MAX_MS - JITTER_MS * options.random();
  }

  /** Sends a request if the last response is too old, or if a link that is down may be retried. */
  runIfDue(): void {
    const { link } = this.#options;
    const { state, waitMs, answeredAgoMs } = link.state;
    if (this.#running || waitMs > 0) return;
    if (state === "up" && (answeredAgoMs ?? 0) < this.#intervalMs) return;
    this.#running = this.#ask().finally(() => (this.#running = undefined));
  }

  /** Resolves when no request is in flight. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #ask(): Promise<void> {
    const { centre, link, random } = this.#options;
    this.#intervalMs = IDLE_MAX_MS - JITTER_MS * random();
    link.note(await centre.read("/interventii?_start=0&_end=1"));
  }
}
