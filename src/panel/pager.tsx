import { t } from "./i18n.ts";

/** Position in a list, with previous and next if it is longer than a page. */
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
  const hasPages = total > size || start > 0;
  return (
    <p class="row pager">
      {hasPages && (
        <button type="button" disabled={start === 0} onClick={() => turn(Math.max(0, start - size))}>
          {t("app.previous")}
        </button>
      )}
      <span role="status">
        {t("app.range", { from: start + 1, to: Math.min(start + size, total), total })}
      </span>
      {hasPages && (
        <button type="button" disabled={start + size >= total} onClick={() => turn(start + size)}>
          {t("app.next")}
        </button>
      )}
    </p>
  );
}
