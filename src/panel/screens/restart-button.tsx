import { useState } from "preact/hooks";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { t } from "../i18n.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

/** Restarts the daemon after a confirmation, because zones are not monitored for some seconds. */
export function RestartButton() {
  const [isAsked, setIsAsked] = useState(false);
  const restart = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      await request("/site/restart", { method: "POST" });
      showNotice(t("restart.done"));
    });
  return (
    <>
      <Act onClick={() => setIsAsked(true)}>{t("restart.ask")}</Act>
      {isAsked && (
        <ConfirmDialog
          title={t("restart.title")}
          action={t("restart.do")}
          act={restart}
          close={() => setIsAsked(false)}
        >
          <p>{t("restart.text")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
