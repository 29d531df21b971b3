import { t } from "./i18n.ts";
import type { MessageKey } from "./messages/catalogue.ts";

/** Selects the time range of a chart. */
export function TimeRangeChoice<T extends number>({
  ranges,
  hours,
  choose,
}: {
  readonly ranges: readonly (readonly [hours: T, name: MessageKey])[];
  readonly hours: T;
  readonly choose: (hours: T) => void;
}) {
  return (
    <div class="chips" role="group" aria-label={t("timeRange.title")}>
      {ranges.map(([one, name]) => (
        <button type="button" key={one} aria-pressed={hours === one} onClick={() => choose(one)}>
          {t(name)}
        </button>
      ))}
    </div>
  );
}
