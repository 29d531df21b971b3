import { notUpdatedSinceMs } from "./api.ts";
import { formatTime } from "./date-format.ts";
import { t } from "./i18n.ts";

/** Above what a screen still shows of an earlier response. */
export function NotUpdated() {
  const sinceMs = notUpdatedSinceMs.value;
  if (sinceMs === Infinity) return null;
  const time = formatTime(new Date(sinceMs).toISOString());
  return (
    <p class="box s-attention" role="status">
      {t("app.notUpdated", { time })}
    </p>
  );
}
