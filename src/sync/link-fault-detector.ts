import { itemsOf, type ReadOutcome, type WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { Link } from "./link.ts";

/** So many records in a row that meet a fault are the link after all, whatever a read says. */
const SUSPECT_REPLIES_MAX = 3;

/** Tells the link what the answers say about it. */
export class LinkFaultDetector {
  readonly #link: Link;
  readonly #centre: UpstreamClient;
  #doubtfulInARow = 0;
  #probe: Promise<ReadOutcome> | undefined;

  constructor({ link, centre }: { link: Link; centre: UpstreamClient }) {
    this.#link = link;
    this.#centre = centre.urgent;
  }

  /** Whether something may be sent now. */
  get isOpen(): boolean {
    return this.#link.state.waitMs === 0;
  }

  /**
   * Takes an answer to one record's request. A fault that the record itself may have caused is held against a read,
   * which no record's content can spoil: one record that a gateway dislikes must not hold up the alarms behind it.
   */
  async note(outcome: WriteOutcome | ReadOutcome): Promise<void> {
    const isDoubtful = outcome.mayBeRecordSpecific === true;
    this.#doubtfulInARow = isDoubtful ? this.#doubtfulInARow + 1 : 0;
    if (!isDoubtful || this.#doubtfulInARow >= SUSPECT_REPLIES_MAX) return this.#link.note(outcome);
    this.#probe ??= this.#centre
      .read("/interventii?_start=0&_end=1")
      .finally(() => (this.#probe = undefined));
    const probed = await this.#probe;
    // Others on the wire met the same meanwhile: the link rests already.
    if (this.#doubtfulInARow >= SUSPECT_REPLIES_MAX) return;
    this.#link.note(probed.link === "ok" && itemsOf(probed.value) ? probed : outcome);
  }
}
