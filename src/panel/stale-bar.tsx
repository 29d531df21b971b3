import { minute } from "./clock.ts";
import { staleText } from "./date-format.ts";
import { t } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { lastResponseAtMs, liveness, tryNow } from "./live-updates.ts";

/** Says from when the shown data is, while the page has lost its daemon; before the first data the screen says that there is none. */
export function StaleBar() {
  if (liveness.value !== "lost" || lastResponseAtMs.value === 0) return null;
  // Of another day, the time has its date.
  void minute.value;
  return (
    <section class="banner s-off" aria-label={t("live.lost")}>
      <p class="row">
        <Icon name="wifi" /> <span class="grow">{staleText()}</span>
      </p>
      <button type="button" onClick={tryNow}>
        {t("app.retry")}
      </button>
    </section>
  );
}
