import { t } from "./i18n.ts";
import type { MessageKey } from "./messages/catalogue.ts";

/** How far back a picture goes: one of a few spans. */
export function SpanChoice<T extends number>({
  spans,
  hours,
  choose,
}: {
  readonly spans: readonly (readonly [hours: T, name: MessageKey])[];
  readonly hours: T;
  readonly choose: (hours: T) => void;
}) {
  return (
    <div role="group" aria-label={t("lanes.span")}>
      {spans.map(([one, name]) => (
        <button
          type="button"
          class="plain"
          key={one}
          aria-pressed={hours === one}
          onClick={() => choose(one)}
        >
          {t(name)}
        </button>
      ))}
    </div>
  );
}
