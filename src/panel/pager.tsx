import { t } from "./i18n.ts";

/** Position in a long list, with previous and next. */
export function Pager({
  start,
  size,
  total,
  turn,
}: {
  readonly start: number;
  readonly size: number;
  readonly total: number;
  readonly turn: (start: number) => void;
}) {
  if (total === 0) return null;
  return (
    <p class="row pager">
      <button type="button" disabled={start === 0} onClick={() => turn(Math.max(0, start - size))}>
        {t("app.previous")}
      </button>
      <span role="status">
        {t("app.range", { from: start + 1, to: Math.min(start + size, total), total })}
      </span>
      <button type="button" disabled={start + size >= total} onClick={() => turn(start + size)}>
        {t("app.next")}
      </button>
    </p>
  );
}
