import { useState } from "preact/hooks";
import type { SyncRecordView, SyncView } from "../../site/sync-view.ts";
import { request } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

/** Actions for a record that needs attention: retry it or stop sending it. */
export function FailedRecordActions({
  record: { interventionId: id, phase, lastResponse },
  done,
}: {
  readonly record: SyncRecordView;
  readonly done: () => void;
}) {
  const [isAsked, setIsAsked] = useState(false);
  const act = async (action: "retry" | "drop"): Promise<void> => {
    await runWithErrorNotice(async () => {
      await request<SyncView>(`/site/sync/${id}/${action}`, { method: "POST" });
      showNotice(t(action === "retry" ? "sync.retried" : "sync.dropped", { id }));
    });
    done();
  };
  return (
    <>
      <Menu label={t("app.actionsFor", { name: `#${id}` })}>
        <button type="button" onClick={() => void act("retry")}>
          <Icon name="refresh-cw" />
          {t("sync.retry")}
        </button>
        <button type="button" class="danger" onClick={() => setIsAsked(true)}>
          <Icon name="x" />
          {t("sync.drop")}
        </button>
      </Menu>
      {isAsked && (
        <ConfirmDialog
          title={t("sync.dropTitle", { id })}
          action={t("sync.dropDo")}
          isDanger
          act={() => act("drop")}
          close={() => setIsAsked(false)}
        >
          <p>{t(phase === "gone" ? "sync.dropGoneText" : "sync.dropText")}</p>
          {lastResponse !== null && (
            <p>
              <DaemonText text={lastResponse} />
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
