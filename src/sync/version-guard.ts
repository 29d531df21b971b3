import { PRECONDITION_FAILED, type WriteOutcome } from "./reply-classification.ts";

/** An update is sent with a version at most this often: dispatchers do not change one record faster than it is read. */
const GUARDED_MAX = 3;

/**
 * Decides which version of a record an update names, so that it does not overwrite what a dispatcher has written since the
 * record was read. One object for all requests of one update.
 */
export class VersionGuard {
  readonly #isUsable: boolean;
  readonly #refused = new Set<string>();

  /** @param isUsable whether the centre is known to treat versions like Santinela */
  constructor(isUsable: boolean) {
    this.#isUsable = isUsable;
  }

  /**
   * The version to name; undefined to change any. A centre that refuses the version that it shows itself, or several in a
   * row, compares them in another way: then the update is sent without, so that it arrives at all.
   * @param shown entity tag of the record as read
   */
  versionOf(shown: string | undefined): string | undefined {
    // If-Match compares strongly (RFC 9110, 13.1.1), so a weak tag, which a compressing proxy makes, never matches.
    const isStrong = shown?.startsWith('"') === true;
    const isRefused = shown !== undefined && this.#refused.has(shown);
    return this.#isUsable && isStrong && !isRefused && this.#refused.size < GUARDED_MAX ? shown : undefined;
  }

  /**
   * Whether the record has changed since it was read, so that it is to be read and merged again.
   * @param version the version that was named
   */
  isOutdated({ code }: WriteOutcome, version: string | undefined): boolean {
    if (version === undefined || code !== String(PRECONDITION_FAILED)) return false;
    this.#refused.add(version);
    return true;
  }
}
