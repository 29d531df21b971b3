import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { SyncRecordView, SyncView } from "../../site/sync-view.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import type { MessageKey } from "../messages/catalogue.ts";
import { notSentText } from "../queued-text.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

interface Given {
  readonly record: SyncRecordView;
  readonly done: () => void;
}

/** Actions for a record that needs attention, as the menu of its row: retry it or stop sending it. */
export function FailedRecordActions(given: Given) {
  const { retry, stop, question } = useActions(given);
  return (
    <>
      <Menu label={t("app.actionsFor", { name: `#${given.record.interventionId}` })}>
        {retry}
        {stop}
      </Menu>
      {question}
    </>
  );
}

/** The same actions on the screen of the record, where it can be edited too. */
export function FailedRecordButtons(given: Given) {
  const { retry, stop, question } = useActions(given);
  return (
    <div class="row">
      {retry}
      <a class="button" href={`#/interventions/${given.record.interventionId}/edit`}>
        <Icon name="pencil" />
        {t("interventions.edit")}
      </a>
      {stop}
      {question}
    </div>
  );
}

async function sentNow(): Promise<SyncView> {
  return (await request<SyncView>("/site/sync/now", { method: "POST" })).body;
}

function dropText(phase: string): MessageKey {
  if (phase === "out-of-scope") return "sync.dropScopeText";
  return phase === "gone" ? "sync.dropGoneText" : "sync.dropText";
}

function useActions({ record: { interventionId: id, phase, lastResponse }, done }: Given): {
  readonly retry: ComponentChildren;
  readonly stop: ComponentChildren;
  /** Whether to stop, while it is asked. */
  readonly question: ComponentChildren;
} {
  const [isAsked, setIsAsked] = useState(false);
  const act = async (action: "retry" | "drop"): Promise<void> => {
    await runWithErrorNotice(async () => {
      await request<SyncView>(`/site/sync/${id}/${action}`, { method: "POST" });
      // A retry is only ordered: this waits for its result.
      const failure = action === "retry" ? notSentText(await sentNow(), id) : undefined;
      if (failure !== undefined) showNotice(failure, true);
      else showNotice(t(action === "retry" ? "sync.retried" : "sync.dropped", { id }));
    });
    done();
  };
  // The search does not find a record that the account may not use: a retry would create it there a second time.
  const retry = phase !== "out-of-scope" && (
    <Act onClick={() => void act("retry")}>
      <Icon name="refresh-cw" />
      {t("sync.retry")}
    </Act>
  );
  const stop = (
    <Act class="danger" onClick={() => setIsAsked(true)}>
      <Icon name="x" />
      {t("sync.drop")}
    </Act>
  );
  const question = isAsked && (
    <ConfirmDialog
      title={t("sync.dropTitle", { id })}
      action={t("sync.dropDo")}
      isDanger
      act={() => act("drop")}
      close={() => setIsAsked(false)}
    >
      <p>{t(dropText(phase))}</p>
      {lastResponse !== null && (
        <p>
          <DaemonText text={lastResponse} />
        </p>
      )}
    </ConfirmDialog>
  );
  return { retry, stop, question };
}
