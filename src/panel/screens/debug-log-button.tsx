import { request } from "../api.ts";
import { t } from "../i18n.ts";
import { formatTime } from "../date-format.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

/** Has the daemon write every detail into its log for half an hour, such as what each message said about its zone. */
export function LogButton() {
  const detail = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const order = { method: "POST", body: { minutes: 30 } } as const;
      const { body } = await request<{ readonly until: string }>("/site/log-level", order);
      showNotice(t("log.done", { time: formatTime(body.until) }));
    });
  return (
    <button type="button" onClick={() => void detail()}>
      {t("log.ask")}
    </button>
  );
}
