import type { Clock } from "../domain/clock.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { Link } from "./link.ts";

/** A link that nothing uses is asked so often at the least; a look comes every 15 seconds, and an answer takes as long. */
const EVIDENCE_MAX_MS = 255_000;
/** Sites ask up to so much sooner, each at a moment of its own. */
const JITTER_MS = 60_000;

/** A cheap request now and then, so that a link which nothing uses is known to be up or down. */
export class Heartbeat {
  readonly #options: {
    readonly centre: UpstreamClient;
    readonly link: Link;
    readonly clock: Pick<Clock, "monotonicMs">;
    readonly random: () => number;
  };
  #running: Promise<void> | undefined;
  #afterMs: number;

  constructor(options: {
    readonly centre: UpstreamClient;
    readonly link: Link;
    readonly clock: Pick<Clock, "monotonicMs">;
    readonly random: () => number;
  }) {
    this.#options = options;
    this.#afterMs = EVIDENCE_MAX_MS - JITTER_MS * options.random();
  }

  /** Asks if nothing has been heard of the centre for too long, or if a link that is down may be tried again. */
  look(): void {
    const { link } = this.#options;
    const { state, waitMs, answeredAgoMs } = link.state;
    if (this.#running || waitMs > 0) return;
    if (state === "up" && (answeredAgoMs ?? 0) < this.#afterMs) return;
    this.#running = this.#ask().finally(() => (this.#running = undefined));
  }

  /** Comes back when nothing of it is under way. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #ask(): Promise<void> {
    const { centre, link, random } = this.#options;
    this.#afterMs = EVIDENCE_MAX_MS - JITTER_MS * random();
    link.note(await centre.read("/interventii?_start=0&_end=1"));
  }
}
