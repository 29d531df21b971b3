import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { t } from "../i18n.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

/** Enables debug logging for 30 minutes. */
export function DebugLogButton() {
  const enable = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const options = { method: "POST", body: { minutes: 30 } } as const;
      const { body } = await request<{ readonly until: string }>("/site/log-level", options);
      showNotice(t("debugLog.enabled", { time: formatTime(body.until) }));
    });
  return <Act onClick={() => void enable()}>{t("debugLog.enable")}</Act>;
}
