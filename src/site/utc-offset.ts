import { offsetSpan, type OffsetSpan } from "../domain/calendar.ts";
import { isoTime } from "../domain/clock.ts";

/** The offset of the site's time zone, with which a browser shows times without the slow formats of its own. */
export interface UtcOffsetView {
  /** Minutes that the site is ahead of UTC. */
  readonly minutes: number;
  /** ISO 8601 UTC: the first instant with this offset, as far as searched. */
  readonly since: string;
  /** ISO 8601 UTC: the first instant after it. */
  readonly until: string;
}

/** Searches the changes of the clocks once for each span between them. */
export class SiteUtcOffset {
  #known: { readonly timezone: string; readonly span: OffsetSpan } | undefined;

  /**
   * @param nowMs milliseconds since 1970
   * @param timezone IANA name; a reload may change it
   */
  at(nowMs: number, timezone: string): UtcOffsetView {
    const { offsetMs, fromMs, untilMs } = this.#spanAt(nowMs, timezone);
    return { minutes: offsetMs / 60_000, since: isoTime(fromMs), until: isoTime(untilMs) };
  }

  #spanAt(nowMs: number, timezone: string): OffsetSpan {
    const known = this.#known;
    if (known?.timezone === timezone && nowMs >= known.span.fromMs && nowMs < known.span.untilMs)
      return known.span;
    const span = offsetSpan(nowMs, timezone);
    this.#known = { timezone, span };
    return span;
  }
}
