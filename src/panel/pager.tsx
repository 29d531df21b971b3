import { useLayoutEffect, useRef } from "preact/hooks";
import type { ApiResponse } from "./http.ts";
import { t } from "./i18n.ts";
import { setQuery } from "./route.ts";

/**
 * The number of rows of a list whose address has the start of the page. A page whose last rows have left the list is replaced
 * by the last one.
 */
export function useTotal(response: ApiResponse<readonly unknown[]> | undefined, size: number): number {
  const total = Number(response?.headers.get("X-Total-Count") ?? 0);
  useLayoutEffect(() => {
    if (response?.body.length !== 0 || total === 0) return;
    const last = Math.floor((total - 1) / size) * size;
    setQuery({ start: last === 0 ? "" : String(last) });
  }, [response]);
  return total;
}

/**
 * Position in a list, with previous and next if it is longer than a page, and with the first and the last page if there are more
 * than two. It stands behind the list, whose beginning is shown when a page is turned.
 */
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
  const place = useRef<HTMLParagraphElement>(null);
  if (total === 0) return null;
  const hasPages = total > size || start > 0;
  const last = Math.floor((total - 1) / size) * size;
  const hasEnds = last > size;
  const turnTo = (next: number): void => {
    turn(next);
    const list = place.current?.previousElementSibling;
    if (list && list.getBoundingClientRect().top < 0) list.scrollIntoView();
  };
  return (
    <p class="row pager" ref={place}>
      {hasEnds && (
        <button type="button" disabled={start === 0} onClick={() => turnTo(0)}>
          {t("app.first")}
        </button>
      )}
      {hasPages && (
        <button type="button" disabled={start === 0} onClick={() => turnTo(Math.max(0, start - size))}>
          {t("app.previous")}
        </button>
      )}
      <span role="status">
        {t("app.range", { from: start + 1, to: Math.min(start + size, total), total })}
      </span>
      {hasPages && (
        <button type="button" disabled={start + size >= total} onClick={() => turnTo(start + size)}>
          {t("app.next")}
        </button>
      )}
      {hasEnds && (
        <button type="button" disabled={start >= last} onClick={() => turnTo(last)}>
          {t("app.last")}
        </button>
      )}
    </p>
  );
}
