import { itemsOf, type ReadOutcome, type WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { Link } from "./link.ts";

/** Faults in a row that count as a link fault, even if a read succeeds. */
const SUSPECT_RESPONSES_MAX = 3;

/** Decides from the responses if the link is at fault. */
export class LinkFaultDetector {
  readonly #link: Link;
  readonly #centre: UpstreamClient;
  #suspectCount = 0;
  #probe: Promise<ReadOutcome> | undefined;

  constructor({ link, centre }: { link: Link; centre: UpstreamClient }) {
    this.#link = link;
    this.#centre = centre.urgent;
  }

  /** Whether requests may be sent now. */
  get isOpen(): boolean {
    return this.#link.state.waitMs === 0;
  }

  /**
   * Handles the outcome of one record's request. A fault that the record may have caused is checked with a
   * read. A record that a gateway rejects must not delay the alarms behind it.
   */
  async note(outcome: WriteOutcome | ReadOutcome): Promise<void> {
    const isSuspect = outcome.mayBeRecordSpecific === true;
    this.#suspectCount = isSuspect ? this.#suspectCount + 1 : 0;
    if (!isSuspect || this.#suspectCount >= SUSPECT_RESPONSES_MAX) return this.#link.note(outcome);
    this.#probe ??= this.#centre
      .read("/interventii?_start=0&_end=1")
      .finally(() => (this.#probe = undefined));
    const result = await this.#probe;
    // Concurrent requests had the same fault: the link is already down.
    if (this.#suspectCount >= SUSPECT_RESPONSES_MAX) return;
    this.#link.note(result.link === "ok" && itemsOf(result.value) ? result : outcome);
  }
}
