import { offsetSpan, type OffsetSpan } from "../domain/calendar.ts";
import { isoTime } from "../domain/clock.ts";
import type { UtcOffsetView } from "./status-view.ts";

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
